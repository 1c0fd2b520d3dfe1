import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Scope } from "../../../src/domain/kernel/Access.ts"
import type { Project } from "../../../src/domain/kernel/Project.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { assertRefused, clientOf, clientWith } from "../../client.ts"
import { laneEngines } from "../../engines.ts"
import { ruleIn, scheduleIn } from "../access/world.ts"

const site = Effect.gen(function*() {
  const project = yield* freshProject()
  const now = yield* Timestamp.now
  const ago = (seconds: number) => Timestamp.addSeconds(now, -seconds)
  return { project, path: { slug: project.slug }, ago, api: yield* clientOf("operator", project) }
})

describe.each(laneEngines)("deploys on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.effect("an operator marks a deploy once, viewers list it by time, and an operator deletes it", () =>
      Effect.gen(function*() {
        const { ago, api, path, project } = yield* site
        const viewer = yield* clientOf("viewer", project)
        const payload = { version: "v1.4.2", at: ago(3600), note: "New payment provider", url: "https://x.example/v1" }
        const deploy = yield* api.deploys.create({ path, payload })
        assert.deepInclude(deploy, payload)
        const sameDeploy = { version: "v1.4.2", at: ago(3300), note: null, url: null }
        assert.deepStrictEqual(yield* api.deploys.create({ path, payload: sameDeploy }), deploy)
        const again = yield* api.deploys.create({ path, payload: { version: "v1.4.2", note: null, url: null } })
        assert.deepStrictEqual(yield* viewer.deploys.list({ path, urlParams: {} }), [again, deploy])
        assert.deepStrictEqual(yield* viewer.deploys.list({ path, urlParams: { to: ago(60) } }), [deploy])
        assert.deepStrictEqual(yield* viewer.deploys.list({ path, urlParams: { from: ago(60), limit: 1 } }), [again])

        yield* assertRefused(viewer.deploys.create({ path, payload }), "forbidden")
        yield* assertRefused(api.deploys.create({ path, payload: { ...payload, at: ago(-3600) } }), "validation_failed")
        const key = yield* freshKey({ roles: { [project.id]: "operator" } })
        const script = { version: "v1", url: "javascript:alert(1)" }
        const { status } = yield* request("POST", `/projects/${project.slug}/deploys`, { ...key, body: script })
        assert.strictEqual(status, 422)
        // times whose surroundings are beyond the calendar
        for (const edge of ["0000-01-01T00:00:00Z", "9999-12-31T00:00:00Z"]) {
          for (const query of [`marks?to=${edge}`, `marks?from=${edge}`, `deploys?to=${edge}`]) {
            assert.strictEqual((yield* request("GET", `/projects/${project.slug}/${query}`, key)).status, 422, query)
          }
        }
        const early = { version: "v1", at: "0000-01-01T00:00:00Z" }
        const refusal = yield* request("POST", `/projects/${project.slug}/deploys`, { ...key, body: early })
        assert.strictEqual(refusal.status, 422)

        yield* api.deploys.remove({ path: { ...path, deploy_id: deploy.id } })
        yield* assertRefused(api.deploys.remove({ path: { ...path, deploy_id: deploy.id } }), "not_found")
        assert.deepStrictEqual(yield* viewer.deploys.list({ path, urlParams: {} }), [again])
        const activity = yield* viewer.activity.list({ urlParams: { project_slug: project.slug } })
        assert.deepStrictEqual(
          activity.items.flatMap(({ action, target_name, target_type }) =>
            target_type === "deploy" ? [[action, target_name]] : []
          ),
          [["deploy.deleted", "v1.4.2"], ["deploy.marked", "v1.4.2"], ["deploy.marked", "v1.4.2"]]
        )
      }))

    it.effect("a key that may only mark deploys does nothing else", () =>
      Effect.gen(function*() {
        const { path, project } = yield* site
        const key = yield* freshKey({ roles: { [project.id]: "operator" }, scopes: ["deploys:write"] })
        const { deploys } = yield* clientWith(key)
        yield* deploys.create({ path, payload: { version: "v2", note: null, url: null } })
        yield* assertRefused(deploys.marks({ path, urlParams: {} }), "scope_missing")
      }))
  })
})

describe.each(laneEngines)("marks on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    const insertAll = (project: Project, ago: (seconds: number) => Timestamp.Timestamp) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const idAt = (seconds: number) => Ids.uuidv7(Timestamp.toEpochMillis(ago(seconds)))
        const [rule_id, schedule_id] = [yield* ruleIn(project), yield* scheduleIn(project)]
        const { user_id } = yield* freshKey()
        const command = (seconds: number, fields: object) => {
          const at = ago(seconds)
          return sql`INSERT INTO commands ${
            sql.insert({
              id: idAt(seconds),
              project_id: project.id,
              action: "retry_task",
              engine: "celery",
              target_type: "task",
              target_id: `t${seconds}`,
              payload: "{}",
              status: "completed",
              issued_by: user_id,
              issued_at: at,
              timeout_at: at,
              ...fields
            })
          }`
        }
        yield* command(3000, {})
        yield* command(2990, {})
        yield* command(2000, { action: "purge_queue", target_type: "queue", target_id: "mail" })
        yield* command(2000, { action: "schedule.fire", issued_by: null })
        yield* command(100_000, {})
        const execution = (seconds: number, outcome: string) =>
          sql`INSERT INTO automation_executions ${
            sql.insert({
              id: idAt(seconds),
              project_id: project.id,
              rule_id,
              rule_name: "retry payments",
              trigger_key: "task.failed",
              condition_key: "c",
              action: "retry",
              outcome,
              occurrences: 1,
              occurred_at: ago(seconds),
              created_at: ago(seconds)
            })
          }`
        yield* execution(1500, "executed")
        yield* execution(1400, "dry_run")
        yield* sql`INSERT INTO schedule_misfires ${
          sql.insert({
            id: idAt(900),
            project_id: project.id,
            schedule_id,
            detected_at: ago(900),
            expected_fire_at: ago(1200),
            lateness_seconds: 300,
            grace_seconds: 60,
            slots: 3,
            cause: "agent_offline",
            detail: "No agent was online.",
            name: "nightly",
            engine: "celery",
            kind: "cron"
          })
        }`
        yield* sql`INSERT INTO maintenance_windows ${
          sql.insert({
            id: idAt(600),
            project_id: project.id,
            name: "Upgrade",
            starts_at: ago(600),
            ends_at: ago(300),
            created_at: ago(600)
          })
        }`
        return { rule_id, schedule_id }
      })

    it.effect("has deploys, commands of users, rules, missed runs and maintenance, close ones as one", () =>
      Effect.gen(function*() {
        const { ago, api, path, project } = yield* site
        const { rule_id, schedule_id } = yield* insertAll(project, ago)
        yield* api.deploys.create({ path, payload: { version: "v1.4.2", at: ago(3500), note: null, url: null } })
        const { items, truncated } = yield* api.deploys.marks({ path, urlParams: {} })
        assert.isFalse(truncated)
        assert.deepStrictEqual(
          items.map(({ count, detail, kind, title }) => [kind, title, detail, count]),
          [
            ["deploy", "v1.4.2", null, 1],
            ["command", "retry_task", null, 2],
            ["command", "purge_queue", "mail", 1],
            ["rule", "retry payments", "retry", 1],
            ["missed_run", "nightly", "No agent was online.", 3],
            ["maintenance", "Upgrade", null, 1]
          ]
        )
        assert.deepStrictEqual(
          items.slice(3, 5).map(({ id }) => id),
          [rule_id, schedule_id]
        )
        assert.deepStrictEqual([items[5]?.at, items[5]?.until], [ago(600), ago(300)])
        // a key sees the marks of what it may read
        const kindsWith = (...scopes: ReadonlyArray<Scope>) =>
          Effect.gen(function*() {
            const key = yield* freshKey({ roles: { [project.id]: "viewer" }, scopes: ["deploys:read", ...scopes] })
            const { deploys } = yield* clientWith(key)
            return (yield* deploys.marks({ path, urlParams: {} })).items.map(({ kind }) => kind)
          })
        assert.deepStrictEqual(yield* kindsWith(), ["deploy"])
        assert.deepStrictEqual(yield* kindsWith("commands:read"), ["deploy", "command", "command"])
        assert.deepStrictEqual(yield* kindsWith("automation:read", "schedules:read", "notifications:read"), [
          "deploy",
          "rule",
          "missed_run",
          "maintenance"
        ])
        const { items: early } = yield* api.deploys.marks({ path, urlParams: { from: ago(3600), to: ago(2500) } })
        assert.deepStrictEqual(early.map(({ kind }) => kind), ["deploy", "command"])
        yield* assertRefused(
          api.deploys.marks({ path, urlParams: { from: ago(0), to: ago(10) } }),
          "validation_failed"
        )
      }))
  })
})
