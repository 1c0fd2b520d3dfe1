import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { Scope } from "../../../src/domain/kernel/Access.ts"
import { AgentId } from "../../../src/domain/kernel/Id.ts"
import type { Project } from "../../../src/domain/kernel/Project.ts"
import type { AgentEvent } from "../../../src/domain/kernel/TaskEvent.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import type { HomeSummary } from "../../../src/domain/operations/Home.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { levels } from "../../../src/services/tasks/Rollups/Series.ts"
import { freshAgent } from "../../agent.ts"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { mergeAll, taskEvents } from "../../rollups.ts"
import { offerEvents } from "../../services/tasks/Ingest/world.ts"
import { insertTasks, storedTask } from "../../tasks.ts"
import { alertIn, approvalIn } from "../access/world.ts"

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

    it.effect("names queues that grow: whose least depth rises from each 5 minutes to the next", () =>
      Effect.gen(function*() {
        const now = yield* Timestamp.now
        const project = yield* freshProject()
        const inWindow = Timestamp.toEpochSeconds(now) % 300
        /** A time of the present 5 minutes, or of those before. */
        const timeIn = (windowsAgo: number, part: number) =>
          Timestamp.addSeconds(now, windowsAgo === 0 ? -inWindow * part : -inWindow - 300 * (windowsAgo - part))
        const report = (queue: string, occurredAt: Timestamp.Timestamp, depth: number): AgentEvent => ({
          id: randomUUID(),
          kind: "queue.depth_report",
          engine: "celery",
          taskId: "",
          occurredAt,
          data: new Map([["queue", JSON.stringify(queue)], ["depth", String(depth)]])
        })
        // the reports of the 5 minutes before those before the present ones, of those before, and of the present ones
        const depths: Readonly<Record<string, ReadonlyArray<ReadonlyArray<number>>>> = {
          grows: [[5, 9], [12, 20], [25, 60]],
          "grows with falls between": [[300, 280, 310], [350, 330, 360], [420, 390, 380]],
          "is drained after many came at once": [[5, 900], [800, 700], [600, 500]],
          fell: [[5, 60], [30, 80], [28, 90]],
          "grows little": [[500, 510], [520, 530], [540, 549]],
          "has grown lately only": [[], [5], [60]],
          "is no longer reported": [[5], [60], []]
        }
        const events = Object.entries(depths).flatMap(([queue, windows]) =>
          windows.flatMap((reports, index) =>
            reports.map((depth, at) => report(queue, timeIn(2 - index, (at + 1) / (reports.length + 1)), depth))
          )
        ).toSorted((left, right) => (left.occurredAt < right.occurredAt ? -1 : 1))
        for (const event of events) yield* offerEvents({ projectId: project.id, agentId }, [event])
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE queues SET last_seen_at = ${Timestamp.addSeconds(now, -301)}
          WHERE project_id = ${project.id} AND name = 'is no longer reported'`
        const { summary } = yield* homeOf([project])
        const { json } = yield* summary
        assert.deepStrictEqual(
          json.attention.map(({ count, kind, message, targets }: Record<string, unknown>) => [
            kind,
            count,
            message,
            (targets as ReadonlyArray<{ name: string }>).map(({ name }) => name) // of the response's schema
          ]),
          [["queue_growth", 2, "2 queues have grown for 15 minutes.", ["grows with falls between", "grows"]]]
        )
      }))

    it.effect("names queues with waiting tasks that no online worker takes from", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const now = yield* Timestamp.now
        const project = yield* freshProject()
        const insertQueue = (engine: string, name: string, depth: number | null) =>
          sql`INSERT INTO queues ${
            sql.insert({
              id: randomUUID(),
              project_id: project.id,
              engine,
              name,
              depth,
              last_seen_at: now,
              created_at: now
            })
          }`
        const insertWorker = (engine: string, name: string, queues: ReadonlyArray<string>, state = "online") =>
          sql`INSERT INTO workers ${
            sql.insert({
              id: randomUUID(),
              project_id: project.id,
              engine,
              name,
              queues: JSON.stringify(queues),
              state,
              last_heartbeat: now,
              active_tasks: 0,
              processed: 0,
              failed: 0,
              succeeded: 0,
              retried: 0,
              metadata: "{}",
              created_at: now,
              updated_at: now
            })
          }`
        const kindsOf = Effect.map(Effect.flatMap(homeOf([project]), ({ summary }) => summary), ({ json }) =>
          json.attention.map(({ kind, targets }: { kind: string; targets: ReadonlyArray<{ name: string }> }) => [
            kind,
            ...targets.map(({ name }) =>
              name
            )
          ]))
        // an engine whose workers all say what they take from, one with a worker that does not, one with none
        yield* insertWorker("one", "w1", ["mail"])
        yield* insertWorker("one", "w2", ["reports"], "offline")
        yield* insertWorker("two", "w1", ["mail"])
        yield* insertWorker("two", "w2", [])
        for (const engine of ["one", "two", "three"]) {
          yield* insertQueue(engine, "mail", 3)
          yield* insertQueue(engine, `reports`, 7)
          yield* insertQueue(engine, "empty", 0)
        }
        assert.deepStrictEqual(yield* kindsOf, [["queue_unconsumed", "reports"]])
        yield* sql`UPDATE workers SET state = 'gone' WHERE engine = 'one' AND project_id = ${project.id}`
        assert.deepStrictEqual(yield* kindsOf, [["queue_unconsumed", "reports", "mail"]])
        yield* sql`UPDATE workers SET state = 'online' WHERE engine = 'one' AND project_id = ${project.id}`
        assert.deepStrictEqual(yield* kindsOf, [])

        // without a depth the newest task of the queue says whether tasks wait
        yield* insertQueue("one", "late", null)
        yield* insertQueue("one", "busy", null)
        yield* insertQueue("one", "fresh", null)
        const at = (seconds: number) => Timestamp.toEpochMillis(now) - seconds * 1000
        yield* insertTasks([
          storedTask(project.id, at(900), { engine: "one", queue: "late", state: "success" }),
          storedTask(project.id, at(600), { engine: "one", queue: "late", state: "pending" }),
          storedTask(project.id, at(600), { engine: "one", queue: "busy", state: "pending" }),
          storedTask(project.id, at(400), { engine: "one", queue: "busy", state: "success" }),
          storedTask(project.id, at(100), { engine: "one", queue: "fresh", state: "pending" })
        ])
        assert.deepStrictEqual(yield* kindsOf, [["queue_unconsumed", "late"]])
      }))

    it.effect("names failure groups that are new, that escalate and that regressed, but none that is muted or resolved", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const now = yield* Timestamp.now
        const project = yield* freshProject()
        const before = (seconds: number) => Timestamp.addSeconds(now, -seconds)
        const hour = 3600
        const insertGroup = (
          name: string,
          { failures, firstSeen, openCount = 1, triage = "open" }: {
            readonly firstSeen: number
            readonly openCount?: number
            readonly triage?: string
            /** By hours ago. */
            readonly failures: Readonly<Record<number, number>>
          }
        ) =>
          Effect.gen(function*() {
            const fingerprint = randomUUID().replaceAll("-", "").slice(0, 16)
            yield* sql`INSERT INTO failure_groups ${
              sql.insert({
                project_id: project.id,
                fingerprint,
                engine: "celery",
                task_name: name,
                sample_task_id: "1",
                sample_exception: "ValueError: no such order\nat the end",
                first_seen_at: before(firstSeen),
                last_seen_at: now,
                occurrences: 1,
                open_count: openCount,
                recovered_count: 0,
                triage
              })
            }`
            for (const [hoursAgo, occurrences] of Object.entries(failures)) {
              yield* sql`INSERT INTO failure_group_counts ${
                sql.insert({
                  project_id: project.id,
                  fingerprint,
                  level: levels.hour,
                  bucket: Math.floor(Date.parse(before(Number(hoursAgo) * hour)) / 3_600_000) * 60,
                  occurrences
                })
              }`
            }
          })
        const old = 9 * 24 * hour
        yield* insertGroup("new", { firstSeen: hour, openCount: 2, failures: { 1: 500 } })
        yield* insertGroup("new and recovered", { firstSeen: hour, openCount: 0, failures: { 1: 500 } })
        yield* insertGroup("as always", { firstSeen: old, failures: { 0: 39, 5: 20 } })
        yield* insertGroup("escalates", { firstSeen: old, failures: { 0: 40, 5: 20, 30: 400 } })
        yield* insertGroup("escalated in the last hour", { firstSeen: old, failures: { 1: 50, 2: 10 } })
        yield* insertGroup("few", { firstSeen: old, failures: { 0: 19 } })
        yield* insertGroup("new and muted", { firstSeen: hour, triage: "muted", failures: { 1: 500 } })
        yield* insertGroup("escalates, resolved", { firstSeen: old, triage: "resolved", failures: { 0: 400 } })
        yield* insertGroup("back", { firstSeen: hour, triage: "regressed", failures: { 2: 1 } })
        const listed = Effect.map(
          Effect.flatMap(homeOf([project]), ({ summary }) => summary),
          ({ json }) =>
            json.attention.map(({ kind, targets }: { kind: string; targets: ReadonlyArray<{ name: string }> }) => [
              kind,
              ...targets.map(({ name }) => name)
            ])
        )
        const escalating = [
          "failure_groups_escalating",
          "escalated in the last hour: ValueError: no such order",
          "escalates: ValueError: no such order"
        ]
        const regressed = ["failure_groups_regressed", "back: ValueError: no such order"]
        assert.deepStrictEqual(yield* listed, [regressed, escalating], "all groups of a project's first day are new")
        yield* sql`UPDATE projects SET created_at = ${before(25 * hour)} WHERE id = ${project.id}`
        const fresh = ["failure_groups_new", "new: ValueError: no such order"]
        assert.deepStrictEqual(yield* listed, [regressed, escalating, fresh])
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

    it.effect("names the open alerts and waiting approvals that the caller may decide, which leave the project healthy", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const now = yield* Timestamp.now
        const project = yield* freshProject()
        const hidden = yield* freshProject()
        const keyAs = (role: "viewer" | "operator" | "admin", scopes?: ReadonlyArray<Scope>) =>
          freshKey({ roles: { [project.id]: role }, ...(scopes !== undefined && { scopes }) })
        const [viewer, operator, admin] = [yield* keyAs("viewer"), yield* keyAs("operator"), yield* keyAs("admin")]
        const narrow = yield* keyAs("admin", ["home:read"])
        const ofProject = yield* alertIn(project, null)
        const ofViewer = yield* alertIn(project, viewer.user_id)
        for (const [column, value] of [["acknowledged_at", now], ["snoozed_until", Timestamp.addSeconds(now, 60)]]) {
          yield* sql`UPDATE alerts SET ${sql(column!)} = ${value!} WHERE id = ${yield* alertIn(project, null)}`
        }
        for (const trigger of ["task.succeeded", "approval.requested"]) {
          yield* sql`UPDATE alerts SET trigger_key = ${trigger} WHERE id = ${yield* alertIn(project, null)}`
        }
        yield* alertIn(hidden, null)
        const waiting = yield* approvalIn(project, "pending")
        yield* approvalIn(project, "rejected")
        yield* approvalIn(hidden, "pending")
        const own = yield* approvalIn(project, "pending")
        yield* sql`UPDATE approvals SET requested_by = ${admin.user_id} WHERE id = ${own}`
        const ofUsers = yield* approvalIn(project, "pending")
        yield* sql`UPDATE approvals SET kind = 'user_update' WHERE id = ${ofUsers}`
        const over = yield* approvalIn(project, "pending")
        yield* sql`UPDATE approvals SET expires_at = ${now} WHERE id = ${over}`

        const seenBy = (key: typeof viewer) =>
          Effect.map(request("GET", "/home/summary", key), ({ json }) => {
            assert.strictEqual(json.projects[0].health, "idle")
            return json.attention.map(({ kind, targets }: HomeSummary["attention"][number]) => [
              kind,
              ...targets.map(({ id }) => id)
            ])
          })
        assert.deepStrictEqual(yield* seenBy(viewer), [["alerts_open", ofViewer]])
        assert.deepStrictEqual(yield* seenBy(operator), [["alerts_open", ofProject]])
        assert.deepStrictEqual(yield* seenBy(admin), [["alerts_open", ofProject], ["approvals_waiting", waiting]])
        assert.deepStrictEqual(yield* seenBy(narrow), [])
        const ofRoot = (yield* request("GET", "/home/summary", yield* freshKey({ isAdmin: true }))).text
        const ofBound =
          (yield* request("GET", "/home/summary", yield* freshKey({ isAdmin: true, boundTo: project.id })))
            .text
        assert.deepStrictEqual([ofRoot, ofBound].map((text) => text.includes(ofUsers)), [true, false])
        const { json } = yield* request("GET", "/home/summary", admin)
        assert.deepStrictEqual(json.attention.map(({ message }: HomeSummary["attention"][number]) => message), [
          "1 open alert is not acknowledged.",
          "1 action waits for a second person."
        ])
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
            finished_at: Timestamp.fromEpochMicros((begin + 1000 - index) * 1000), // the first of them fails last
            exception: "x".repeat(2000)
          }))
        yield* insertTasks([...tasks, storedTask(hidden.id, begin, { state: "failure" })])
        const failed = tasks.filter(({ state }) => state === "failure").map(({ id }) => id).toReversed()
        const { failures } = yield* homeOf(projects)
        const found: Array<string> = []
        const times: Array<string> = []
        let cursor: string | null = ""
        while (cursor !== null) {
          const { json }: {
            json: {
              items: ReadonlyArray<{ id: string; created_at: string; exception: string }>
              next_cursor: string | null
            }
          } = yield* failures(`?limit=7${cursor === "" ? "" : `&cursor=${cursor}`}`)
          assert.isTrue(json.items.every(({ exception }) => exception.length === 500))
          found.push(...json.items.map(({ id }) => id))
          times.push(...json.items.map(({ created_at }) => created_at))
          cursor = json.next_cursor
        }
        assert.deepStrictEqual(found, failed)
        assert.deepStrictEqual(times, times.toSorted().toReversed(), "a shown time that the list is ordered by")
        assert.strictEqual((yield* failures("?cursor=nonsense")).status, 422)
        assert.strictEqual((yield* failures("?limit=201")).status, 422)
      }))
  })
})
