import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { JsonInput } from "../../../src/domain/kernel/CanonicalJson.ts"
import { AgentId } from "../../../src/domain/kernel/Id.ts"
import { Retention } from "../../../src/services/operations/Retention.ts"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { eventOf, offerEvents } from "../../services/tasks/Ingest/world.ts"

/** Three hours ago: `2026-11-21T12`. */
const hour = new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 13)

interface EventOptions {
  readonly name?: string
  readonly engine?: string
  readonly second?: number
  /** In place of the second of the hour. */
  readonly at?: string
  readonly data?: { readonly [key: string]: JsonInput }
}

const taskEvent = (
  kind: string,
  task_id: string,
  { at, data = {}, engine = "rq", name = "shop.pay", second = 0 }: EventOptions = {}
) =>
  eventOf({
    id: randomUUID(),
    kind: `task.${kind}`,
    engine,
    task_id,
    occurred_at: at ?? `${hour}:00:${String(second).padStart(2, "0")}.000000+00:00`,
    data: { task_name: name, queue: "mail", worker: "w@h", ...data }
  })

const traceback = (line: number, error: string) =>
  `Traceback (most recent call last):\n  File "/srv/shop/orders.py", line ${line}, in pay\n    raise\n${error}\n`

const run = (task: string, end: string, second: number, more: EventOptions = {}) => [
  taskEvent("started", task, { ...more, second }),
  taskEvent(end, task, { ...more, second: second + 1 })
]

const failedRun = (task: string, second: number, error = `ValueError: no order ${second}`, more: EventOptions = {}) =>
  run(task, "failed", second, { ...more, data: { exception: traceback(second, error) } })

const world = Effect.gen(function*() {
  const project = yield* freshProject()
  const key = yield* freshKey({ roles: { [project.id]: "admin" } })
  const source = { projectId: project.id, agentId: AgentId.make(randomUUID()) }
  const basePath = `/projects/${project.slug}`
  return {
    project,
    report: (...events: ReadonlyArray<ReturnType<typeof taskEvent>>) => offerEvents(source, events),
    get: (path: string) => request("GET", `${basePath}${path}`, key),
    post: (path: string, body: object) => request("POST", `${basePath}${path}`, { ...key, body })
  }
})

const countsOf = (group: Record<string, unknown>) => [group.occurrences, group.open_count, group.recovered_count]

describe.each(laneEngines)("failure groups on %s", (engine) => {
  layer(serverOn(engine, { tasksRetentionDays: 3650, failureGroupsPerProject: 3 }), { excludeTestServices: true })(
    (it) => {
      it.effect("have the failures of one place, with the sample of the last", () =>
        Effect.gen(function*() {
          const { get, report } = yield* world
          yield* report(...failedRun("a", 1), ...failedRun("c", 5, "KeyError: 'x'"))
          yield* report(...failedRun("b", 10))
          const { json } = yield* get("/issues")
          assert.lengthOf(json.items, 2)
          assert.isNull(json.next_cursor)
          const [first] = json.items
          assert.deepStrictEqual({ ...first, fingerprint: "" }, {
            fingerprint: "",
            status: "ongoing",
            occurrences: 2,
            open_count: 2,
            recovered_count: 0,
            first_seen: `${hour}:00:02.000000Z`,
            last_seen: `${hour}:00:11.000000Z`,
            engine_count: 1,
            engines: ["rq"],
            sample_exception: "ValueError: no order 10",
            sample_task_name: "shop.pay",
            window: null,
            triage: "open",
            triaged_at: null,
            triaged_by: null,
            muted_until: null,
            assignee: null,
            note: null
          })
          const { json: detail } = yield* get(`/issues/${first.fingerprint}?hours=4`)
          assert.deepStrictEqual(detail.hours, [{ hour: `${hour}:00:00.000000Z`, occurrences: 2 }])
          assert.strictEqual(detail.sample_task.task_id, "b")
          assert.include(detail.sample_task.traceback, "line 10, in pay")
          assert.deepStrictEqual(detail.workers, [{ name: "w@h", tasks: 2 }])
          assert.deepStrictEqual(detail.queues, [{ name: "mail", tasks: 2 }])
          const { json: tasks } = yield* get(`/tasks?fingerprint=${first.fingerprint}&include_total=true&limit=1`)
          assert.strictEqual(tasks.items[0].task_id, "b")
          assert.strictEqual(tasks.total_count, 2)
          assert.deepStrictEqual((yield* get("/tasks/rq/a")).json.failure_group, {
            fingerprint: first.fingerprint,
            open_count: 2,
            occurrences: 2
          })
        }))

      it.effect("count what failed within the window of the request, by buckets", () =>
        Effect.gen(function*() {
          const { get, report } = yield* world
          const now = Date.now()
          const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
          const failed = { data: { exception: traceback(1, "ValueError: no order") } }
          yield* report(
            ...failedRun("early", 1),
            taskEvent("failed", "late", { ...failed, at: ago(20) }),
            taskEvent("failed", "later", { ...failed, at: ago(2) })
          )
          const sumOf = ({ counts }: { counts: ReadonlyArray<number> }) => counts.reduce((sum, count) => sum + count)
          const countIn = Effect.fnUntraced(function*(hours: number) {
            const { json: { items: [group] } } = yield* get(`/issues?hours=${hours}`)
            const { json: alone } = yield* get(`/issues/${group.fingerprint}?hours=${hours}`)
            assert.deepStrictEqual([group.occurrences, alone.occurrences], [3, 3], "of all time")
            assert.strictEqual(alone.window.since, group.window.since)
            const windows = [group.window, alone.window]
            return windows.flatMap((window) => [window.occurrences, sumOf(window), window.bucket_seconds])
          })
          assert.deepStrictEqual(yield* countIn(1), [2, 2, 300, 2, 2, 60])
          assert.deepStrictEqual(yield* countIn(5), [3, 3, 3600, 3, 3, 300])
          assert.deepStrictEqual(yield* countIn(24), [3, 3, 3600, 3, 3, 900])
          assert.deepStrictEqual(yield* countIn(168), [3, 3, 21_600, 3, 3, 3600])
          assert.deepStrictEqual(yield* countIn(720), [3, 3, 86_400, 3, 3, 21_600])
          assert.deepStrictEqual(yield* countIn(8760), [3, 3, 86_400, 3, 3, 86_400])
          const { json: { items: [{ fingerprint, window: { counts, since } }] } } = yield* get("/issues?hours=1")
          const bucketOf = (millis: number) => Math.floor(millis / 300_000)
          assert.isAtMost(Date.parse(since), now - 3_600_000 + 60_000)
          assert.strictEqual(counts[bucketOf(now - 20 * 60_000) - bucketOf(Date.parse(since))], 1)
          const recent = yield* get(`/tasks?query=${encodeURIComponent(`fingerprint:${fingerprint} finished:1h`)}`)
          assert.sameMembers(recent.json.items.map(({ task_id }: { task_id: string }) => task_id), ["late", "later"])
        }))

      it.effect("recover when their tasks succeed under the same id, and fail again", () =>
        Effect.gen(function*() {
          const { get, report } = yield* world
          yield* report(...failedRun("a", 1), ...failedRun("b", 1))
          const { fingerprint } = (yield* get("/issues")).json.items[0]
          yield* report(...run("a", "succeeded", 10))
          const group = Effect.map(get(`/issues/${fingerprint}`), ({ json }) => json)
          assert.deepStrictEqual(countsOf(yield* group), [2, 1, 1])
          yield* report(taskEvent("started", "b", { second: 10 }))
          assert.strictEqual((yield* group).status, "ongoing", "while it runs again")
          yield* report(taskEvent("succeeded", "b", { second: 11 }))
          assert.strictEqual((yield* group).status, "recovered")
          assert.deepStrictEqual((yield* get("/issues?status=ongoing")).json.items, [])
          assert.lengthOf((yield* get("/issues?status=recovered")).json.items, 1)
          assert.lengthOf((yield* get(`/tasks?fingerprint=${fingerprint}&state=success`)).json.items, 2)
          yield* report(...failedRun("b", 20))
          assert.deepStrictEqual(countsOf(yield* group), [3, 1, 1])
        }))

      it.effect("count a withdrawn or deleted task no more as open, and go after their retention", () =>
        Effect.gen(function*() {
          const { get, post, project, report } = yield* world
          const sql = yield* SqlClient.SqlClient
          const retention = yield* Retention
          yield* report(...failedRun("a", 1), ...failedRun("b", 1))
          const { fingerprint } = (yield* get("/issues")).json.items[0]
          yield* report(taskEvent("revoked", "a", { second: 3 }))
          assert.deepStrictEqual(countsOf((yield* get(`/issues/${fingerprint}`)).json), [1, 1, 0])
          yield* sql`UPDATE failure_groups SET last_seen_at = '2001-01-01T00:00:00.000000Z' WHERE project_id = ${project.id}`
          yield* retention.sweep()
          assert.strictEqual((yield* get(`/issues/${fingerprint}`)).status, 200, "one task is open")
          yield* post("/tasks/bulk-delete", { filter_state: "failure" })
          const { json: group } = yield* get(`/issues/${fingerprint}`)
          assert.deepStrictEqual([...countsOf(group), group.status], [1, 0, 0, "recovered"])
          yield* retention.sweep()
          assert.strictEqual((yield* get(`/issues/${fingerprint}`)).status, 404)
        }))

      it.effect("begin again after their retention, also with a task that had recovered", () =>
        Effect.gen(function*() {
          const { get, project, report } = yield* world
          const sql = yield* SqlClient.SqlClient
          const retention = yield* Retention
          yield* report(...failedRun("a", 1), ...run("a", "succeeded", 5))
          yield* sql`UPDATE failure_groups SET last_seen_at = '2001-01-01T00:00:00.000000Z' WHERE project_id = ${project.id}`
          yield* retention.sweep()
          yield* report(...failedRun("a", 10))
          const counts = Effect.map(get("/issues"), ({ json }) => countsOf(json.items[0]))
          assert.deepStrictEqual(yield* counts, [1, 1, 0])
          yield* report(...run("a", "succeeded", 20))
          assert.deepStrictEqual(yield* counts, [1, 0, 1])
        }))

      it.effect("end at the cap of the project; known ones still count", () =>
        Effect.gen(function*() {
          const { get, report } = yield* world
          const place = (index: number) => failedRun(`task${index}`, index, `Error${"ABCDEF"[index]}: x`)
          for (const index of [0, 1, 2, 3, 4]) yield* report(...place(index))
          yield* report(...failedRun("again", 30, "ErrorA: x"))
          const { json } = yield* get("/issues")
          assert.deepStrictEqual(json.items.map(({ occurrences }: { occurrences: number }) => occurrences), [2, 1, 1])
        }))

      it.effect("keep to the cap in a flood of names and types that never repeat; every task is stored", () =>
        Effect.gen(function*() {
          const { get, project, report } = yield* world
          const sql = yield* SqlClient.SqlClient
          const flood = 3000
          const frame = 500
          const word = (index: number) =>
            String.fromCharCode(97 + Math.floor(index / 676), 97 + Math.floor(index / 26) % 26, 97 + index % 26)
          for (let from = 0; from < flood; from += frame) {
            const failures = Array.from({ length: frame }, (_, offset) => {
              const name = word(from + offset)
              return failedRun(`flood ${name}`, 1, `Error_${name}: x`, { name: `shop.${name}` })
            })
            yield* report(...failures.flat())
          }
          yield* report(...failedRun("known", 30, "Error_aaa: x", { name: "shop.aaa" }))
          assert.lengthOf((yield* get("/issues")).json.items, 3)
          const count = (table: string) =>
            Effect.map(
              sql<{ n: number }>`SELECT CAST(count(*) AS INTEGER) AS n FROM ${
                sql(table)
              } WHERE project_id = ${project.id}`,
              ([row]) => row?.n
            )
          assert.strictEqual(yield* count("tasks"), flood + 1)
          assert.strictEqual(yield* count("failure_groups"), 3)
          assert.strictEqual(yield* count("failure_group_counts"), 3 * 3)
        }))

      it.effect("are listed in pages, by engine and by the hours since the last failure", () =>
        Effect.gen(function*() {
          const { get, report } = yield* world
          yield* report(
            ...failedRun("a", 1, "ErrorA: x"),
            ...failedRun("b", 5, "ErrorB: x"),
            ...run("c", "failed", 8, { engine: "huey", data: { exception: "ErrorC: x" } })
          )
          const names = ({ json }: { json: { items: ReadonlyArray<{ sample_exception: string }> } }) =>
            json.items.map(({ sample_exception }) => sample_exception)
          const first = yield* get("/issues?limit=2")
          assert.deepStrictEqual(names(first), ["ErrorC: x", "ErrorB: x"])
          const second = yield* get(`/issues?limit=2&cursor=${first.json.next_cursor}`)
          assert.deepStrictEqual(names(second), ["ErrorA: x"])
          assert.isNull(second.json.next_cursor)
          assert.deepStrictEqual(names(yield* get("/issues?engine=huey")), ["ErrorC: x"])
          assert.lengthOf(names(yield* get("/issues?hours=4")), 3)
          assert.lengthOf(names(yield* get("/issues?hours=1")), 0)
          for (const query of ["status=open", "hours=0", "hours=8761", "limit=201", "cursor=x"]) {
            assert.strictEqual((yield* get(`/issues?${query}`)).status, 422, query)
          }
          assert.strictEqual((yield* get("/issues/nothing")).status, 404)
        }))
    }
  )
})
