import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Array as Arr, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { AgentId } from "../../../src/domain/kernel/Id.ts"
import type { AgentEvent } from "../../../src/domain/kernel/TaskEvent.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { seriesKinds } from "../../../src/services/tasks/Rollups/Series.ts"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { mergeAll, taskEvents } from "../../rollups.ts"
import { offerEvents } from "../../services/tasks/Ingest/world.ts"

interface Bucket {
  readonly t: string
  readonly total: number
  readonly received: number
}

const world = Effect.gen(function*() {
  const project = yield* freshProject()
  const key = yield* freshKey({ roles: { [project.id]: "viewer" } })
  const source = { projectId: project.id, agentId: AgentId.make(randomUUID()) }
  return {
    project,
    now: yield* Timestamp.now,
    report: (...events: ReadonlyArray<AgentEvent>) => Effect.zipRight(offerEvents(source, events), mergeAll),
    get: (path: string) => request("GET", `/projects/${project.slug}${path}`, key)
  }
})

const before = (now: Timestamp.Timestamp, seconds: number) => Timestamp.addSeconds(now, -seconds)

describe.each(laneEngines)("trends on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.effect("have every bucket of the window, with the tasks that ended in it", () =>
      Effect.gen(function*() {
        const { get, now, report } = yield* world
        const twoHoursAgo = before(now, 7200)
        yield* report(
          ...taskEvents({ name: "shop.pay", received: twoHoursAgo, runtimeMillis: 100 }),
          ...taskEvents({ name: "shop.pay", received: twoHoursAgo, runtimeMillis: 300, outcome: "failed" }),
          ...taskEvents({ name: "shop.mail", received: before(now, 5 * 86_400), queue: "mail" })
        )
        const { json, status } = yield* get("/trends")
        assert.strictEqual(status, 200)
        assert.deepStrictEqual([json.window, json.bucket, json.series.length], ["24h", "1h", 24])
        const starts = json.series.map(({ t }: Bucket) => Date.parse(t))
        assert.deepStrictEqual(starts.filter((start: number) => start % 3_600_000 !== 0), [])
        assert.deepStrictEqual(
          new Set(starts.slice(1).map((start: number, index: number) => start - starts[index])).size,
          1
        )
        const filled = json.series.filter(({ total }: Bucket) => total > 0)
        const { t, ...counts } = filled[0]
        assert.strictEqual(t.slice(0, 13), Timestamp.addSeconds(twoHoursAgo, 0.31).slice(0, 13))
        assert.strictEqual(filled.length, 1)
        assert.containSubset(counts, { success: 1, failure: 1, retry: 0, revoked: 0, rejected: 0, total: 2 })
        assert.strictEqual(counts.avg_runtime_ms, 200)
        assert.closeTo(counts.runtime_ms.p50, 100, 3)
        assert.closeTo(counts.runtime_ms.p99, 300, 8)
        assert.isNull(json.series[0].runtime_ms)

        const week = yield* get("/trends?window=7d&bucket=1d")
        assert.lengthOf(week.json.series, 7)
        const sum = (series: ReadonlyArray<Bucket>) => series.reduce((all, { total }) => all + total, 0)
        assert.strictEqual(sum(week.json.series), 3)
        assert.strictEqual(sum((yield* get("/trends?window=7d&queue=mail")).json.series), 1)
        assert.strictEqual(sum((yield* get("/trends?window=7d&name=shop.pay&engine=celery")).json.series), 2)
        assert.strictEqual(sum((yield* get("/trends?window=7d&engine=rq")).json.series), 0)
        assert.strictEqual(sum((yield* get("/trends?window=6h&bucket=1m")).json.series), 2)
        assert.isNotNull(filled[0].runtime_ms)
        for (const bucket of ["5m", "15m"]) {
          const { json } = yield* get(`/trends?window=6h&bucket=${bucket}`)
          assert.strictEqual(sum(json.series), 2, bucket)
        }
      }))

    it.effect("refuse a bucket that is too short for its window, and unknown words", () =>
      Effect.gen(function*() {
        const { get } = yield* world
        for (
          const [query, status] of [
            ["window=24h&bucket=1m", 200],
            ["window=72h&bucket=5m", 200],
            ["window=72h&bucket=1m", 422],
            ["window=7d&bucket=15m", 422],
            ["window=1h&bucket=1d", 200],
            ["window=2h", 422],
            ["bucket=2m", 422]
          ] as const
        ) assert.strictEqual((yield* get(`/trends?${query}`)).status, status, query)
      }))

    it.effect("count a task in the minute of its end, at both edges", () =>
      Effect.gen(function*() {
        const { get, now, report } = yield* world
        // the cast: a full minute is a timestamp
        const minute = `${before(now, 600).slice(0, 16)}:00.000000Z` as Timestamp.Timestamp
        const endingAt = (end: Timestamp.Timestamp) =>
          taskEvents({ name: "edge", received: Timestamp.addSeconds(end, -1), waitMillis: 0, runtimeMillis: 1000 })
        yield* report(...endingAt(minute), ...endingAt(Timestamp.addSeconds(minute, -0.000001)))
        const { json } = yield* get("/trends?window=1h&bucket=1m")
        const filled = json.series.filter(({ total }: Bucket) => total > 0)
        assert.deepStrictEqual(
          filled.map(({ t, total }: Bucket) => [t, total]),
          [[Timestamp.addSeconds(minute, -60), 1], [minute, 1]]
        )
        const hours = yield* get("/task-names?window=1h")
        assert.strictEqual(hours.json.items[0].total, 2)
      }))

    it.effect("by queue or name show the five largest, and the others together", () =>
      Effect.gen(function*() {
        const { get, now, project, report } = yield* world
        const received = before(now, 600)
        const some = (name: string, count: number, queue: string) =>
          Array.from({ length: count }, () => taskEvents({ name, received, queue, runtimeMillis: 5 })).flat()
        yield* report(
          ...["a", "__proto__", "c", "d", "e", "f", "g"].flatMap((name, index) => some(name, 7 - index, "mail")),
          ...some("a", 2, "slow"),
          ...taskEvents({ name: "a", received: before(now, 5 * 3600), queue: "slow", outcome: "failed" })
        )
        const groups = (query: string) =>
          Effect.map(get(`/trends?window=6h&bucket=5m&${query}`), ({ json }) =>
            json.groups.map(({ ended, key }: { readonly key: string; readonly ended: ReadonlyArray<number> }) => [
              key,
              ended.length,
              ended.reduce((sum, count) =>
                sum + count, 0),
              ended.filter((count) => count > 0).length
            ]))
        assert.deepStrictEqual(yield* groups("by=name"), [
          ["a", 72, 10, 2],
          ["__proto__", 72, 6, 1],
          ["c", 72, 5, 1],
          ["d", 72, 4, 1],
          ["e", 72, 3, 1],
          [null, 72, 3, 1]
        ])
        assert.deepStrictEqual(yield* groups("by=queue"), [["mail", 72, 28, 1], ["slow", 72, 3, 2]])
        assert.deepStrictEqual(yield* groups("by=queue&name=a"), [["mail", 72, 7, 1], ["slow", 72, 3, 2]])
        assert.notProperty((yield* get("/trends?window=6h&bucket=5m")).json, "groups")
        assert.strictEqual((yield* get("/trends?by=host")).status, 422)

        const onWorker = (worker: string, count: number, more: { readonly engine?: string } = {}) =>
          Array.from({ length: count }, () =>
            taskEvents({ name: "a", received, worker, runtimeMillis: 5, ...more })).flat()
        yield* report(
          ...["w1", "w2", "w3", "w4", "other"].flatMap((worker, index) =>
            onWorker(worker, 9 - index)
          ),
          ...onWorker("w4", 20, { engine: "rq" })
        )
        assert.deepStrictEqual(yield* groups("by=worker"), [
          ["celery@box", 72, 31, 2],
          ["w4", 72, 26, 1],
          ["w1", 72, 9, 1],
          ["w2", 72, 8, 1],
          ["w3", 72, 7, 1],
          [null, 72, 5, 1]
        ])
        assert.deepStrictEqual(yield* groups("by=worker&engine=rq"), [["w4", 72, 20, 1]])
        const cap = Effect.map(get("/trends?window=6h&bucket=5m&by=worker"), ({ json }) => json.workers_cap)
        assert.isNull(yield* cap)
        const sql = yield* SqlClient.SqlClient
        const others = Array.from({ length: 1000 }, (_, index) => ({
          project_id: project.id,
          kind: seriesKinds.worker,
          engine: "celery",
          queue: "",
          name: `pod ${index}`
        }))
        for (const part of Arr.chunksOf(others, 200)) yield* sql`INSERT INTO rollup_series ${sql.insert(part)}`
        yield* report(...onWorker("one more", 1))
        assert.strictEqual(yield* cap, 1000, "the chart says that all others contain workers beyond the first names")
        assert.deepInclude(yield* groups("by=worker"), [null, 72, 6, 1])
        const week = (yield* get("/trends?window=7d&bucket=1d&by=worker&engine=rq")).json.groups
        assert.strictEqual(week[0].ended.reduce((sum: number, count: number) => sum + count, 0), 20)
        for (const query of ["window=30d&bucket=1d", "window=7d&days_ago=1", "queue=mail", "name=a"]) {
          assert.strictEqual((yield* get(`/trends?by=worker&${query}`)).status, 422, query)
        }
      }))

    it.effect("of names have counts, failure rates and durations, in each order", () =>
      Effect.gen(function*() {
        const { get, now, report } = yield* world
        const received = before(now, 1800)
        const many = (
          name: string,
          count: number,
          more: { outcome?: "failed"; runtimeMillis: number; queue?: string }
        ) => Array.from({ length: count }, () => taskEvents({ name, received, ...more })).flat()
        yield* report(
          ...many("shop.pay", 8, { runtimeMillis: 50 }),
          ...many("shop.pay", 2, { runtimeMillis: 50, outcome: "failed", queue: "slow" }),
          ...many("report.build", 3, { runtimeMillis: 9000 }),
          ...taskEvents({ name: "mail.send", received: before(now, 20 * 86_400), runtimeMillis: 5 })
        )
        const names = (query: string) =>
          Effect.map(get(`/task-names?${query}`), ({ json }) => json.items.map(({ name }: { name: string }) => name))
        const { json } = yield* get("/task-names?window=6h")
        assert.strictEqual(json.total_count, 2)
        const [first] = json.items
        assert.containSubset(first, {
          name: "shop.pay",
          engine: "celery",
          queues: ["celery", "slow"],
          success: 8,
          failure: 2,
          total: 10,
          failure_rate: 0.2,
          avg_runtime_ms: 50
        })
        assert.closeTo(first.runtime_ms.p95, 50, 1.5)
        assert.closeTo(first.wait_ms.p50, 10, 0.5)
        assert.deepStrictEqual(yield* names("sort=p95"), ["report.build", "shop.pay"])
        assert.deepStrictEqual(yield* names("sort=failure_rate"), ["shop.pay", "report.build"])
        assert.deepStrictEqual(yield* names("sort=name&limit=1"), ["report.build"])
        assert.deepStrictEqual(yield* names("search=PAY"), ["shop.pay"])
        assert.deepStrictEqual(yield* names("queue=slow"), ["shop.pay"])
        assert.deepStrictEqual(yield* names("window=30d&sort=name"), ["mail.send", "report.build", "shop.pay"])
        assert.deepStrictEqual(yield* names("engine=rq"), [])
      }))

    it.effect("of one name have its queues and how its durations are distributed", () =>
      Effect.gen(function*() {
        const { get, now, report } = yield* world
        const received = before(now, 600)
        yield* report(
          ...taskEvents({ name: "shop/pay", received, runtimeMillis: 50 }),
          ...taskEvents({ name: "shop/pay", received, runtimeMillis: 50 }),
          ...taskEvents({ name: "shop/pay", received, runtimeMillis: 5000, outcome: "failed", queue: "slow" }),
          ...taskEvents({ name: "other", received, runtimeMillis: 50 })
        )
        const { json } = yield* get("/task-names/shop%2Fpay?window=6h")
        assert.deepStrictEqual(
          json.queues.map((one: Record<string, unknown>) => [one.engine, one.queue, one.success, one.failure]),
          [["celery", "celery", 2, 0], ["celery", "slow", 0, 1]]
        )
        const counts = json.run_times.map(({ count }: { count: number }) => count)
        assert.strictEqual(counts.reduce((sum: number, count: number) => sum + count, 0), 3)
        assert.deepStrictEqual([counts[0], counts.at(-1)], [2, 1])
        const [first] = json.run_times
        assert.isTrue(first.from_ms < 50 && first.to_ms >= 50)
        assert.lengthOf(json.queue_times, 1)
        const nothing = yield* get("/task-names/none")
        assert.deepStrictEqual([nothing.status, nothing.json.queues, nothing.json.run_times], [200, [], []])
      }))

    it.effect("are those of an earlier window too, with their totals", () =>
      Effect.gen(function*() {
        const { get, now, report } = yield* world
        yield* report(
          ...taskEvents({ name: "shop.pay", received: before(now, 600), runtimeMillis: 50 }),
          ...taskEvents({ name: "shop.pay", received: before(now, 7 * 86_400 + 7200), runtimeMillis: 400 })
        )
        const { json: present } = yield* get("/trends")
        const { json: past } = yield* get("/trends?days_ago=7")
        assert.deepStrictEqual([present.totals.total, past.totals.total], [1, 1])
        assert.closeTo(past.totals.runtime_ms.p95, 400, 8)
        assert.strictEqual(Date.parse(present.series[0].t) - Date.parse(past.series[0].t), 7 * 86_400_000)
        assert.strictEqual((yield* get("/trends?bucket=15m&days_ago=7")).status, 422)
        assert.strictEqual((yield* get("/trends?bucket=15m&days_ago=1")).status, 200)
      }))

    it.effect("are a project's own", () =>
      Effect.gen(function*() {
        const one = yield* world
        const other = yield* world
        yield* one.report(...taskEvents({ name: "secret.name", received: before(one.now, 60) }))
        assert.deepStrictEqual((yield* other.get("/task-names")).json.items, [])
        assert.strictEqual((yield* other.get("/stats")).json.tasks_succeeded_24h, 0)
      }))
  })
})

describe.each(laneEngines)("burn rates on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.effect("compare the failures of each window with what the objective allows", () =>
      Effect.gen(function*() {
        const { get, now, report } = yield* world
        const eventsOf = (count: number, secondsAgo: number, more: { outcome?: "failed"; runtimeMillis: number }) =>
          Array.from({ length: count }, () =>
            taskEvents({ name: "shop.pay", received: before(now, secondsAgo), waitMillis: 0, ...more })).flat()
        yield* report(
          ...eventsOf(8, 60, { runtimeMillis: 50 }),
          ...eventsOf(2, 60, { runtimeMillis: 5000, outcome: "failed" }),
          ...eventsOf(90, 4 * 86_400, { runtimeMillis: 50 })
        )
        const burn = (query: string) =>
          Effect.map(get(`/slo?${query}`), ({ json }) => json)
        const failures = yield* burn("objective=99")
        assert.deepStrictEqual(failures.windows.map(({ window }: { window: string }) => window), [
          "5m",
          "30m",
          "1h",
          "6h",
          "72h",
          "30d"
        ])
        assert.deepStrictEqual(failures.windows[2], { window: "1h", total: 10, bad: 2, burn_rate: 20 })
        assert.deepStrictEqual(failures.windows[5], { window: "30d", total: 100, bad: 2, burn_rate: 2 })
        assert.deepInclude(failures, { objective: 99, alert: "page", budget_left: -1 })
        assert.deepInclude(yield* burn("objective=97&name=shop.pay"), { alert: "page", budget_left: 0.3333 })
        assert.deepInclude(yield* burn("objective=85"), { alert: "ticket" })
        assert.deepInclude(yield* burn("objective=75"), { alert: null })
        const slow = yield* burn("objective=90&max_runtime_ms=1000")
        assert.deepInclude(slow.windows[0], { total: 10, bad: 2, burn_rate: 2 })
        assert.deepInclude(slow.windows[5], { total: 100, bad: 2 })
        const none = yield* burn("name=unknown")
        assert.deepInclude(none, { alert: null, budget_left: null })
        assert.deepInclude(none.windows[0], { total: 0, bad: 0, burn_rate: null })
        for (const query of ["objective=100", "objective=9", "objective=x", "max_runtime_ms=0"]) {
          assert.strictEqual((yield* get(`/slo?${query}`)).status, 422, query)
        }
      }))
  })
})

describe.each(laneEngines)("a project's stats on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.effect("count tasks, agents, workers, queues and commands", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { get, now, project, report } = yield* world
        yield* report(
          ...taskEvents({ name: "a", received: before(now, 3000), runtimeMillis: 100 }),
          ...taskEvents({ name: "a", received: before(now, 3000), outcome: "failed", runtimeMillis: 100 }),
          ...taskEvents({ name: "a", received: before(now, 3 * 86_400) }),
          ...taskEvents({ name: "a", received: before(now, 60) }).slice(0, 1)
        )
        yield* sql`UPDATE queues SET depth = 1500, last_seen_at = ${now} WHERE project_id = ${project.id}`
        const { json } = yield* get("/stats")
        assert.containSubset(json, {
          window_hours: 24,
          tasks_total: 4,
          tasks_succeeded_24h: 1,
          tasks_failed_24h: 1,
          failure_rate_24h: 0.5,
          agents_online: 0,
          agents_offline: 0,
          commands_pending: 0
        })
        assert.strictEqual(json.workers_online + json.workers_offline, 1)
        assert.containSubset(json.tasks_by_state, { success: 2, failure: 1, received: 1, pending: 0, unknown: 0 })
        assert.deepStrictEqual(
          json.queue_depths.map((queue: { name: string; pending_count: number }) => [
            queue.name,
            queue.pending_count
          ]),
          [["celery", 1500]]
        )
        assert.deepStrictEqual(json.system_health, {
          status: "degraded",
          agents_all_online: true,
          queue_depth_ok: false,
          failure_rate_ok: true,
          brain_db_ok: true
        })
        assert.closeTo(json.runtime_ms.p50, 100, 3)
        assert.strictEqual((yield* get("/stats?hours=100")).json.tasks_succeeded_24h, 2)
        assert.strictEqual((yield* get("/stats?hours=0")).status, 422)
      }))
  })
})
