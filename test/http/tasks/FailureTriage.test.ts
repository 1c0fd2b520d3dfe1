import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { Role } from "../../../src/domain/kernel/Access.ts"
import { AgentId, type ProjectId } from "../../../src/domain/kernel/Id.ts"
import { levels } from "../../../src/services/tasks/Rollups/Series.ts"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { eventOf, offerEvents } from "../../services/tasks/Ingest/world.ts"
import { recordedEvents, subscribe, watchOutbox } from "../../services/triggers/TriggerEvents/world.ts"
import { until } from "../../until.ts"

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString().replace("Z", "000Z")
const ahead = (seconds: number) => ago(-seconds)

const failure = (name: string, task_id: string, at: string, exception = "ValueError: no such order") =>
  eventOf({
    id: randomUUID(),
    kind: "task.failed",
    engine: "rq",
    task_id,
    occurred_at: at,
    data: { task_name: name, queue: "mail", worker: "w@h", exception }
  })

const world = Effect.gen(function*() {
  const project = yield* freshProject()
  const source = { projectId: project.id, agentId: AgentId.make(randomUUID()) }
  const basePath = `/projects/${project.slug}`
  const keyOf = (role: Role) => freshKey({ roles: { [project.id]: role } })
  const operator = yield* keyOf("operator")
  const get = (path: string, key = operator) => request("GET", `${basePath}${path}`, key)
  const namesIn = (query: string) =>
    Effect.map(
      get(`/issues?${query}`),
      ({ json }): ReadonlyArray<string> =>
        json.items.map(({ sample_task_name }: { sample_task_name: string }) => sample_task_name)
    )
  return {
    project,
    operator,
    keyOf,
    get,
    namesIn,
    report: (...events: ReadonlyArray<ReturnType<typeof failure>>) => offerEvents(source, events),
    fingerprintOf: (name: string) =>
      Effect.map(get(`/issues?status=all&search=${name}`), ({ json }) => String(json.items[0].fingerprint)),
    triage: (fingerprint: string, body: object, key = operator) =>
      request("PATCH", `${basePath}/issues/${fingerprint}`, { ...key, body }),
    actions: Effect.map(
      Effect.flatMap(keyOf("auditor"), (key) => get("/audit?action_prefix=failure_group.", key)),
      ({ json }) =>
        json.items.map(({ action, metadata }: { action: string; metadata: { by?: string } }) => [
          action.slice("failure_group.".length),
          metadata.by ?? null
        ]).reverse()
    )
  }
})

const triageOf = ({ muted_until, triage }: { triage: string; muted_until: string | null }) => [triage, muted_until]

describe.each(laneEngines)("the triage of failure groups on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.effect("a resolved group is hidden until it fails again; then it is regressed, which has a trigger", () =>
      Effect.gen(function*() {
        const { actions, fingerprintOf, get, namesIn, operator, project, report, triage } = yield* world
        yield* watchOutbox
        yield* subscribe(project.id, "failure_group.regressed")
        yield* report(failure("shop.pay", "a", ago(60)))
        const fingerprint = yield* fingerprintOf("shop.pay")
        const { json: resolved, status } = yield* triage(fingerprint, { triage: "resolved" })
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(triageOf(resolved), ["resolved", null])
        assert.deepStrictEqual(resolved.triaged_by, { id: operator.user_id, name: null })
        assert.deepStrictEqual(yield* namesIn(""), [])
        assert.deepStrictEqual(yield* namesIn("status=ongoing"), [])
        assert.deepStrictEqual(yield* namesIn("status=resolved"), ["shop.pay"])
        yield* report(failure("shop.pay", "b", ago(30)))
        assert.strictEqual((yield* get(`/issues/${fingerprint}`)).json.occurrences, 2)
        assert.deepStrictEqual(yield* namesIn("status=resolved"), ["shop.pay"], "it failed before the resolution")
        yield* report(failure("shop.pay", "c", ahead(1)))
        yield* until(namesIn("status=regressed"), (names) => names.length === 1)
        assert.deepStrictEqual(yield* namesIn(""), ["shop.pay"])
        const { json: regressed } = yield* get(`/issues/${fingerprint}`)
        assert.isNull(regressed.triaged_by)
        yield* triage(fingerprint, { triage: "resolved" })
        assert.deepStrictEqual(
          (yield* recordedEvents(project.id)).map(({ condition, occurrences, recovered, trigger }) => [
            trigger,
            condition,
            occurrences[0].task_id,
            recovered ?? false
          ]),
          [
            ["failure_group.regressed", fingerprint, "c", false],
            ["failure_group.regressed", fingerprint, "c", true]
          ]
        )
        assert.deepStrictEqual(yield* actions, [["resolved", null], ["regressed", "failure triage"], [
          "resolved",
          null
        ]])
      }))

    it.effect("a muted group is hidden until its time has come, it escalates, or it is opened", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { actions, fingerprintOf, get, namesIn, operator, project, report, triage } = yield* world
        yield* report(failure("shop.pay", "a", ago(7200)), failure("shop.pay", "b", ago(1)))
        const fingerprint = yield* fingerprintOf("shop.pay")
        const triageNow = Effect.map(get(`/issues/${fingerprint}`), ({ json }) => triageOf(json))
        for (
          const body of [
            { triage: "muted" },
            { triage: "muted", muted_until: ago(1) },
            { triage: "muted", muted_until: ahead(91 * 86_400) },
            { triage: "muted", muted_until: "later" },
            { triage: "resolved", muted_until: ahead(60) },
            { triage: "regressed" },
            { note: "x".repeat(2001) }
          ]
        ) assert.strictEqual((yield* triage(fingerprint, body)).status, 422, JSON.stringify(body))
        yield* triage(fingerprint, { triage: "muted", muted_until: ahead(3) })
        assert.deepStrictEqual(yield* namesIn(""), [])
        assert.deepStrictEqual(yield* namesIn("status=muted"), ["shop.pay"])
        yield* until(triageNow, ([state]) => state === "open")
        yield* triage(fingerprint, { triage: "muted", muted_until: "escalates" })
        assert.deepStrictEqual(yield* triageNow, ["muted", "escalates"])
        yield* triage(fingerprint, { triage: "open" })
        assert.deepStrictEqual(yield* triageNow, ["open", null])
        yield* triage(fingerprint, { triage: "muted", muted_until: "next_deploy" })
        assert.deepStrictEqual(yield* triageNow, ["muted", "next_deploy"])
        const deploy = yield* request("POST", `/projects/${project.slug}/deploys`, {
          ...operator,
          body: { version: "v2" }
        })
        assert.strictEqual(deploy.status, 201, deploy.text)
        yield* until(triageNow, ([state]) => state === "open")
        // it escalates in an hour that began after the mute
        yield* triage(fingerprint, { triage: "muted", muted_until: "escalates" })
        yield* sql`UPDATE failure_group_counts SET occurrences = 100
          WHERE project_id = ${project.id} AND level = ${levels.hour} AND bucket = (
            SELECT max(bucket) FROM failure_group_counts WHERE project_id = ${project.id} AND level = ${levels.hour})`
        yield* Effect.sleep("3 seconds") // at least one tick of the loop, which must not change it
        assert.deepStrictEqual(yield* triageNow, ["muted", "escalates"], "the hour began before the mute")
        yield* sql`UPDATE failure_groups SET triaged_at = ${ago(4000)} WHERE project_id = ${project.id}`
        yield* until(triageNow, ([state]) => state === "open")
        assert.deepStrictEqual(yield* actions, [
          ["muted", null],
          ["unmuted", "failure triage"],
          ["muted", null],
          ["reopened", null],
          ["muted", null],
          ["unmuted", "failure triage"],
          ["muted", null],
          ["unmuted", "failure triage"]
        ])
      }))

    it.effect("a group is assigned to a member, who loses it with the membership, and has a note", () =>
      Effect.gen(function*() {
        const { actions, fingerprintOf, get, keyOf, namesIn, operator, project, report, triage } = yield* world
        yield* report(failure("shop.pay", "a", ago(2)), failure("shop.ship", "b", ago(1)))
        const fingerprint = yield* fingerprintOf("shop.pay")
        const [admin, member, viewer] = [yield* keyOf("admin"), yield* keyOf("operator"), yield* keyOf("viewer")]
        const stranger = yield* freshKey()
        assert.strictEqual((yield* triage(fingerprint, { note: "x" }, viewer)).status, 403)
        assert.strictEqual((yield* triage(fingerprint, { assignee: stranger.user_id })).status, 422)
        assert.strictEqual((yield* triage("0".repeat(16), { note: "x" })).status, 404)
        const { json: people } = yield* get("/issue-assignees")
        const ids: ReadonlyArray<string> = people.map(({ id }: { id: string }) => id)
        assert.includeMembers([...ids], [operator.user_id, member.user_id, viewer.user_id])
        assert.notInclude(ids, stranger.user_id)
        assert.strictEqual((yield* get("/issue-assignees", viewer)).status, 403)

        assert.deepStrictEqual((yield* triage(fingerprint, { assignee: "me" })).json.assignee.id, operator.user_id)
        assert.deepStrictEqual(yield* namesIn("assignee=me"), ["shop.pay"])
        yield* triage(fingerprint, { assignee: member.user_id, note: "<b>\u202ewaits</b> for the bank" })
        const inboxOf = ({ token }: { readonly token: string }) =>
          Effect.map(
            request("GET", "/user/notifications", { token }),
            ({ json }) =>
              json.map(({ body, data, title }: { title: string; body: string; data: object }) => [title, body, data])
          )
        assert.deepStrictEqual(yield* inboxOf(operator), [], "who takes a group knows it")
        assert.deepStrictEqual(yield* inboxOf(member), [
          ["Assigned to you: shop.pay", "ValueError: no such order", { fingerprint }]
        ])
        assert.deepStrictEqual(yield* namesIn("assignee=me"), [])
        assert.deepStrictEqual(yield* namesIn(`assignee=${member.user_id}`), ["shop.pay"])
        assert.deepStrictEqual(yield* namesIn("assignee=none"), ["shop.ship"])
        yield* triage(fingerprint, {})
        const { json: group } = yield* get(`/issues/${fingerprint}`)
        assert.strictEqual(group.note, "<b>\u202ewaits</b> for the bank")
        assert.deepStrictEqual(group.assignee, { id: member.user_id, name: null })

        const sql = yield* SqlClient.SqlClient
        const setActive = (is_active: number) =>
          sql`UPDATE users SET is_active = ${is_active} WHERE id = ${member.user_id}`
        yield* setActive(0)
        assert.isNull((yield* get(`/issues/${fingerprint}`)).json.assignee)
        assert.sameMembers([...yield* namesIn("assignee=none")], ["shop.pay", "shop.ship"], "as it is shown")
        assert.deepStrictEqual(yield* namesIn(`assignee=${member.user_id}`), [], "as it is shown")
        yield* setActive(1)
        assert.deepStrictEqual(yield* namesIn("assignee=none"), ["shop.ship"])

        const limitOf = Effect.map(get("/issue-assignees"), ({ headers, json }) => [
          headers.get("x-svc-limit-applied"),
          json.length <= 500
        ])
        assert.deepStrictEqual(yield* limitOf, [null, true])
        const [user] = yield* sql<object>`SELECT * FROM users WHERE id = ${member.user_id}`
        const [membership] = yield* sql<object>`
          SELECT * FROM memberships WHERE user_id = ${member.user_id} AND project_id = ${project.id}`
        const copies = Array.from({ length: 500 }, () => ({ id: randomUUID(), membership: randomUUID() }))
        yield* sql`INSERT INTO users ${
          sql.insert(copies.map(({ id }) => ({
            ...user,
            id,
            email: `${id}@example.com`,
            email_key: `${id}@example.com`
          })))
        }`
        yield* sql`INSERT INTO memberships ${
          sql.insert(copies.map(({ id, membership: of }) => ({ ...membership, id: of, user_id: id })))
        }`
        assert.deepStrictEqual(yield* limitOf, ["500", true], "there are more")
        yield* sql`DELETE FROM users WHERE ${sql.in("id", copies.map(({ id }) => id))}`

        const { json: memberships } = yield* get("/memberships", admin)
        const { id } = memberships.find(({ user_id }: { user_id: string }) => user_id === member.user_id)
        const removal = yield* request("DELETE", `/projects/${project.slug}/memberships/${id}`, admin)
        assert.strictEqual(removal.status, 204)
        assert.isNull((yield* get(`/issues/${fingerprint}`)).json.assignee)
        assert.sameMembers([...yield* namesIn("assignee=none")], ["shop.pay", "shop.ship"])
        assert.isNull((yield* triage(fingerprint, { note: "" })).json.note)
        assert.deepStrictEqual(yield* actions, [
          ["assigned", null],
          ["assigned", null],
          ["note_changed", null],
          ["note_changed", null]
        ])
      }))

    it.effect("groups are found by text, and sorted by failures, first and last failure, and escalation, page by page", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { get, namesIn, project, report } = yield* world
        yield* report(
          ...[1, 2, 3].map((second) => failure("often", `o${second}`, ago(7200 + second), "Declined: 100%_off")),
          failure("old", "x", ago(90 * 3600)),
          failure("old", "y", ago(5)),
          failure("new", "z", ago(10), "KeyError: 'Straße'")
        )
        assert.deepStrictEqual(yield* namesIn("search=DECLINED"), ["often"])
        assert.deepStrictEqual(yield* namesIn(`search=${encodeURIComponent("0%_o")}`), ["often"])
        assert.deepStrictEqual(yield* namesIn("search=%25%25"), [])
        assert.deepStrictEqual(yield* namesIn(`search=${encodeURIComponent("Straße")}`), ["new"])
        assert.deepStrictEqual(yield* namesIn("search=old"), ["old"])
        const pagesOf = Effect.fnUntraced(function*(query: string) {
          const names: Array<string> = []
          let cursor = ""
          do {
            const { json } = yield* get(`/issues?limit=1&${query}${cursor}`)
            names.push(...json.items.map(({ sample_task_name }: { sample_task_name: string }) => sample_task_name))
            cursor = json.next_cursor === null ? "" : `&cursor=${json.next_cursor}`
          } while (cursor !== "")
          return names
        })
        assert.deepStrictEqual(yield* pagesOf("sort=last_seen"), ["old", "new", "often"])
        assert.deepStrictEqual(yield* pagesOf("sort=first_seen"), ["new", "often", "old"])
        assert.deepStrictEqual(yield* pagesOf("sort=count"), ["often", "old", "new"])
        assert.deepStrictEqual(yield* pagesOf("sort=count&hours=1"), ["old", "new"])
        assert.deepStrictEqual(yield* pagesOf("sort=count&hours=24"), ["often", "old", "new"])
        yield* escalate(sql, project.id, "new")
        assert.deepStrictEqual(yield* pagesOf("sort=escalating"), ["new", "old", "often"])
        const { json: { next_cursor } } = yield* get("/issues?limit=1&sort=count")
        assert.strictEqual((yield* get(`/issues?sort=first_seen&cursor=${next_cursor}`)).status, 422)
        for (const query of ["sort=name", "assignee=you", "search=", "status=open"]) {
          assert.strictEqual((yield* get(`/issues?${query}`)).status, 422, query)
        }
      }))
  })
})

/** As if the group had failed before this hour for the first time, and 40 times in it. */
const escalate = (sql: SqlClient.SqlClient, projectId: ProjectId, name: string) =>
  Effect.zipRight(
    sql`UPDATE failure_group_counts SET occurrences = 40 WHERE project_id = ${projectId} AND level = ${levels.hour}
      AND fingerprint = (SELECT fingerprint FROM failure_groups WHERE project_id = ${projectId} AND task_name = ${name})`,
    sql`UPDATE failure_groups SET first_seen_at = ${ago(9000)}
      WHERE project_id = ${projectId} AND task_name = ${name}`
  )
