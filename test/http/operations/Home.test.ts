import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { Scope } from "../../../src/domain/kernel/Access.ts"
import { AgentId } from "../../../src/domain/kernel/Id.ts"
import type { Project } from "../../../src/domain/kernel/Project.ts"
import type { AgentEvent } from "../../../src/domain/kernel/TaskEvent.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { freshAgent } from "../../agent.ts"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { mergeAll, taskEvents } from "../../rollups.ts"
import { offerEvents } from "../../services/tasks/Ingest/world.ts"
import { insertTasks, storedTask } from "../../tasks.ts"

const agentId = AgentId.make(randomUUID())

const homeOf = (projects: ReadonlyArray<Project>, more: { scopes?: ReadonlyArray<Scope>; boundTo?: string } = {}) =>
  Effect.gen(function*() {
    const roles = Object.fromEntries(projects.map(({ id }) => [id, "viewer"] as const))
    const key = yield* freshKey({ roles, ...more })
    return {
      key,
      summary: request("GET", "/home/summary", key),
      failures: (query = "") => request("GET", `/home/recent-failures${query}`, key),
      trends: (query: string) => request("GET", `/home/trends${query}`, key)
    }
  })

describe.each(laneEngines)("home on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.effect("shows the projects of the caller in numbers, and what needs attention", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const now = yield* Timestamp.now
        const one = yield* freshProject()
        const other = yield* freshProject()
        const hidden = yield* freshProject()
        yield* freshAgent(one)
        const received = Timestamp.addSeconds(now, -600)
        for (const project of [one, hidden]) {
          yield* offerEvents({ projectId: project.id, agentId }, [
            ...taskEvents({ name: "a", received }),
            ...taskEvents({ name: "a", received }),
            ...taskEvents({ name: "a", received, outcome: "failed" })
          ])
        }
        yield* mergeAll
        yield* sql`INSERT INTO commands ${
          sql.insert({
            id: Ids.uuidv7(Timestamp.toEpochMillis(now) - 400_000),
            project_id: one.id,
            action: "retry_task",
            target_type: "task",
            payload: "{}",
            status: "pending",
            issued_at: received,
            timeout_at: Timestamp.addSeconds(now, 3600)
          })
        }`
        const { summary } = yield* homeOf([one, other])
        const { json, status } = yield* summary
        assert.strictEqual(status, 200)
        assert.sameMembers(json.projects.map(({ slug }: { slug: string }) => slug), [one.slug, other.slug])
        const card = json.projects.find(({ id }: { id: string }) => id === one.id)
        assert.containSubset(card, {
          role: "viewer",
          tasks_24h: 3,
          failures_24h: 1,
          failure_rate_24h: 0.3333,
          workers_total: 1,
          agents_online: 0,
          agents_total: 1,
          stuck_commands: 1,
          health: "critical"
        })
        assert.isAtLeast(Date.parse(card.last_activity_at), Date.parse(now) - 1000)
        const idle = json.projects.find(({ id }: { id: string }) => id === other.id)
        assert.containSubset(idle, { tasks_24h: 0, failure_rate_24h: 0, last_activity_at: null, health: "idle" })
        assert.containSubset(json.aggregate, { tasks_24h: 3, failures_24h: 1, agents_total: 1, stuck_commands: 1 })
        assert.deepStrictEqual(
          json.attention.map(({ count, kind, project_slug, severity }: Record<string, unknown>) => [
            kind,
            severity,
            project_slug,
            count
          ]),
          [["agents_offline", "critical", one.slug, 1], ["stuck_commands", "warning", one.slug, 1]]
        )
      }))

    it.effect("names queues that only grow: by reports of 15 minutes, of which none had fewer tasks", () =>
      Effect.gen(function*() {
        const now = yield* Timestamp.now
        const project = yield* freshProject()
        const report = (queue: string, secondsAgo: number, depth: number): AgentEvent => ({
          id: randomUUID(),
          kind: "queue.depth_report",
          engine: "celery",
          taskId: "",
          occurredAt: Timestamp.addSeconds(now, -secondsAgo),
          data: new Map([["queue", JSON.stringify(queue)], ["depth", String(depth)]])
        })
        const depths = {
          grows: [[1000, 5], [600, 5], [300, 20], [10, 25]],
          fell: [[1000, 5], [600, 20], [300, 19], [10, 60]],
          "grows little": [[1000, 5], [10, 24]],
          "grows only lately": [[800, 5], [10, 60]],
          "is not reported": [[2000, 5], [400, 60]]
        } as const
        for (const [queue, reports] of Object.entries(depths)) {
          for (const [secondsAgo, depth] of reports) {
            yield* offerEvents({ projectId: project.id, agentId }, [report(queue, secondsAgo, depth)])
          }
        }
        const { summary } = yield* homeOf([project])
        const { json } = yield* summary
        assert.deepStrictEqual(
          json.attention.map(({ count, kind, message }: Record<string, unknown>) => [kind, count, message]),
          [["queue_growth", 1, "1 queue only grows: for 15 minutes no report had fewer tasks."]]
        )
      }))

    it.effect("names misfires, tripped breakers of rules and schedules, and to admins disabled channels", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const now = yield* Timestamp.now
        const project = yield* freshProject()
        const admin = yield* freshKey({ roles: { [project.id]: "admin" } })
        const create = (path: string, body: object) =>
          Effect.map(request("POST", `/projects/${project.slug}/${path}`, { token: admin.token, body }), (response) => {
            assert.strictEqual(response.status, 201, response.text)
            return String(response.json.id)
          })
        const schedule = {
          engine: "celery",
          kind: "cron",
          expression: "0 3 * * *",
          task_name: "shop.report",
          timezone: "UTC"
        }
        const tripped = yield* create("schedules", { ...schedule, name: "tripped" })
        const repaired = yield* create("schedules", { ...schedule, name: "enabled and disabled since" })
        const rule = yield* create("automation/rules", {
          name: "rule",
          trigger: "task.failed",
          actions: [{ type: "notify" }]
        })
        yield* sql`UPDATE schedules SET is_enabled = 0, enabled_at = ${Timestamp.addSeconds(now, -60)},
          tripped_at = ${now} WHERE id = ${tripped}`
        yield* sql`UPDATE schedules SET is_enabled = 0, enabled_at = ${now},
          tripped_at = ${Timestamp.addSeconds(now, -60)} WHERE id = ${repaired}`
        yield* sql`UPDATE automation_rules SET cb_tripped = 1 WHERE id = ${rule}`
        yield* sql`INSERT INTO schedule_misfires ${
          sql.insert({
            id: Ids.uuidv7(Timestamp.toEpochMillis(now)),
            project_id: project.id,
            schedule_id: tripped,
            detected_at: now,
            expected_fire_at: now,
            lateness_seconds: 61.5,
            grace_seconds: 60,
            slots: 1,
            cause: "no_agent",
            name: "tripped",
            engine: "celery",
            kind: "cron"
          })
        }`
        yield* sql`INSERT INTO channels ${
          sql.insert({
            id: randomUUID(),
            project_id: project.id,
            name: "On-call",
            type: "webhook",
            sealed_config: "",
            is_active: 1,
            is_verified: 1,
            disabled_at: now,
            created_at: now,
            updated_at: now
          })
        }`
        const kindsOf = (json: { readonly attention: ReadonlyArray<{ readonly kind: string }> }) =>
          json.attention.map(({ kind }) => kind)
        const { summary } = yield* homeOf([project])
        const seen = ["schedule_misfires", "breakers_tripped", "schedules_tripped"]
        assert.deepStrictEqual(kindsOf((yield* summary).json), seen)
        const { json } = yield* request("GET", "/home/summary", admin)
        assert.sameMembers(kindsOf(json), [...seen, "channels_disabled"])
      }))

    it.effect("sums the tasks of all projects over time", () =>
      Effect.gen(function*() {
        const now = yield* Timestamp.now
        const projects = [yield* freshProject(), yield* freshProject()]
        const hidden = yield* freshProject()
        const received = Timestamp.addSeconds(now, -600)
        for (const project of [...projects, hidden]) {
          yield* offerEvents({ projectId: project.id, agentId }, [
            ...taskEvents({ name: "a", received }),
            ...taskEvents({ name: "b", received, outcome: "failed" })
          ])
        }
        yield* mergeAll
        const { trends } = yield* homeOf(projects)
        const { json, status } = yield* trends("?window=1h&bucket=1m")
        assert.strictEqual(status, 200)
        assert.lengthOf(json.series, 60)
        const sumOf = (name: string) =>
          json.series.reduce((sum: number, bucket: Readonly<Record<string, number>>) => sum + (bucket[name] ?? 0), 0)
        assert.deepStrictEqual(["received", "success", "failure"].map(sumOf), [4, 2, 2])
        const busy = json.series.find(({ success }: { readonly success: number }) => success > 0)
        assert.isNotNull(busy.runtime_ms)
        assert.isNotNull(busy.wait_ms)
        assert.strictEqual((yield* trends("?window=90d&bucket=1m")).status, 422)
        const receivedBy = (response: typeof trends) =>
          Effect.map(response("?window=1h&bucket=1m"), ({ json }) =>
            json.series.reduce((sum: number, { received }: { readonly received: number }) =>
              sum + received, 0))
        const bound = yield* homeOf(projects, { boundTo: projects[0]!.id })
        assert.strictEqual(yield* receivedBy(bound.trends), 2)
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE projects SET allowed_cidrs = ${"[\"10.9.8.0/24\"]"} WHERE id = ${projects[1]!.id}`
        assert.strictEqual(yield* receivedBy((yield* homeOf(projects)).trends), 2)
        const empty = yield* (yield* homeOf([])).trends("")
        assert.lengthOf(empty.json.series, 24)
        assert.isTrue(empty.json.series.every(({ total }: { readonly total: number }) =>
          total === 0
        ))
      }))

    it.effect("shows a bound key its own project, and nothing without the scope", () =>
      Effect.gen(function*() {
        const one = yield* freshProject()
        const other = yield* freshProject()
        const bound = yield* homeOf([one, other], { boundTo: one.id })
        assert.deepStrictEqual((yield* bound.summary).json.projects.map(({ id }: { id: string }) => id), [one.id])
        const unscoped = yield* homeOf([one], { scopes: ["tasks:read"] })
        assert.strictEqual((yield* unscoped.summary).status, 403)
        assert.strictEqual((yield* unscoped.failures()).status, 403)
        assert.strictEqual((yield* unscoped.trends("")).status, 403)
        const scoped = yield* homeOf([one], { scopes: ["home:read"] })
        assert.strictEqual((yield* scoped.summary).status, 200)
      }))

    it.effect("leaves out a project that does not accept the caller's address", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const project = yield* freshProject()
        yield* insertTasks([storedTask(project.id, Date.now() - 1000, { state: "failure" })])
        yield* sql`UPDATE projects SET allowed_cidrs = ${"[\"10.9.8.0/24\"]"} WHERE id = ${project.id}`
        const { failures, summary } = yield* homeOf([project])
        assert.deepStrictEqual((yield* summary).json.projects, [])
        assert.deepStrictEqual((yield* failures()).json.items, [])
      }))

    it.effect("pages through the failed tasks of all projects, the newest first", () =>
      Effect.gen(function*() {
        const projects = [yield* freshProject(), yield* freshProject()]
        const hidden = yield* freshProject()
        const begin = Date.now() - 100_000
        const tasks = Array.from({ length: 23 }, (_, index) =>
          storedTask(projects[index % 2]!.id, begin + index, {
            state: index % 5 === 0 ? "success" : "failure",
            exception: "x".repeat(2000)
          }))
        yield* insertTasks([...tasks, storedTask(hidden.id, begin, { state: "failure" })])
        const failed = tasks.filter(({ state }) => state === "failure").map(({ id }) => id).toReversed()
        const { failures } = yield* homeOf(projects)
        const found: Array<string> = []
        let cursor: string | null = ""
        while (cursor !== null) {
          const { json }: {
            json: { items: ReadonlyArray<{ id: string; exception: string }>; next_cursor: string | null }
          } = yield* failures(`?limit=7${cursor === "" ? "" : `&cursor=${cursor}`}`)
          assert.isTrue(json.items.every(({ exception }) => exception.length === 500))
          found.push(...json.items.map(({ id }) => id))
          cursor = json.next_cursor
        }
        assert.deepStrictEqual(found, failed)
        assert.strictEqual((yield* failures("?cursor=nonsense")).status, 422)
        assert.strictEqual((yield* failures("?limit=201")).status, 422)
      }))
  })
})
