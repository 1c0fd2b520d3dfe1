import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { type Clock, Effect, Layer } from "effect"
import fc from "fast-check"
import { canonicalize } from "../../../src/domain/kernel/CanonicalJson.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import type { TaskExpression, TextPattern } from "../../../src/domain/tasks/Task/Expression.ts"
import { addQuery, everyTask, readQuery, type TaskFilter } from "../../../src/domain/tasks/Task/Filter.ts"
import { Scans } from "../../../src/services/tasks/Scans.ts"
import { type SearchedPage, TaskSearch } from "../../../src/services/tasks/Search.ts"
import { maxCounted } from "../../../src/services/tasks/Search/Counts.ts"
import { brainOn, freshProject } from "../../brain.ts"
import { engines } from "../../databases.ts"
import { runs } from "../../properties.ts"
import { insertPath, readValues, whileFilling } from "../../searchablePaths.ts"
import { insertTasks, type StoredTask, storedTask } from "../../tasks.ts"
import { until } from "../../until.ts"

const rows = 4000
const start = Date.UTC(2026, 2, 10)
/** A task a minute: the rows span almost three days. */
const spacing = 60_000

const pick = <A>(values: ReadonlyArray<A>, index: number): A => values[index % values.length]!
const at = (millis: number) => Timestamp.fromEpochMicros(millis * 1000)

const states = ["success", "success", "success", "failure", "started", "retry"] as const
const priorities = ["normal", "normal", "high", "low", "critical"] as const
const names = ["shop.Ship", "shop.ship_all", "mail.send%", "mail.send_", "a\\b", "Ünïcode.task", "<unknown:1f>", "rare"]
const queues = ["celery", "Mail", null, "shop_queue", "q%", "[ÄRGER]*?^-.ΟΔΟΣ", "straße-İı"]
const workers = ["celery@Box-1", "celery@box-2", null, "w_3"]

const fingerprints = [null, "9f2c41d07be5a836", "00000000deadbeef"]
const orders = [7835610, "7835610", "a \"quoted\" ä", true, null, { id: 7835610 }, [7835610]]
const kwargsOf = (index: number) =>
  index % 7 === 5 ? "[]" : canonicalize({ order: pick(orders, index), 0: "zero", pages: index % 50 })
const argsOf = (index: number) =>
  canonicalize(index % 3 === 0 ? [{ customer: { "the-id": index % 20 } }, "eu"] : ["eu", index % 4])
const tagLists = [[], ["eu"], ["eu", "night,ly"], ["us", "\"eu\""], ["eur", ","]]
const exceptions = [null, null, null, "ValueError: Ärger with ORDER 7", "mail.Refused\n550 no such user"]

/** Most tasks are received as they are first seen; some long before (a buffer that was offline), some long after. */
const receivedAt = (index: number, millis: number): string | null => {
  if (index % 50 === 7) return at(millis - 7 * 3_600_000)
  if (index % 70 === 9) return at(millis + 5 * 3_600_000)
  return index % 11 === 3 ? null : at(millis - 20)
}

const seeds = (projectId: string): ReadonlyArray<StoredTask> =>
  Array.from({ length: rows }, (_, index) => {
    const millis = start + index * spacing
    return storedTask(projectId, millis, {
      name: index % 997 === 5 ? "rare" : pick(names.slice(0, 7), index * 7 + (index >> 3)),
      engine: index % 5 === 1 ? "rq" : "celery",
      queue: pick(queues, index * 3 + (index >> 4)),
      worker_name: pick(workers, index * 5 + (index >> 2)),
      state: index % 800 === 3 ? "rejected" : pick(states, index + (index >> 5)),
      priority: pick(priorities, index + (index >> 6)),
      exception: pick(exceptions, index + (index >> 3)),
      args: index % 30 === 4 ? null : argsOf(index),
      kwargs: kwargsOf(index),
      result: index % 6 === 2 ? "\"paid\"" : null,
      tags: JSON.stringify(pick(tagLists, index + (index >> 3))),
      fingerprint: pick(fingerprints, index + (index >> 4)),
      runtime_ms: index % 4 === 1 ? null : (index * 37) % 9000,
      retry_count: index % 13 === 0 ? 3 : 0,
      received_at: receivedAt(index, millis),
      finished_at: index % 3 === 1 ? null : at(millis + 5000),
      first_event_at: at(millis - 30)
    })
  })

/** One form for all that are the same; of the two letters with forms in ASCII alone, or of two letters, none is here. */
const lower = (text: string) => text.replace(/[^İı]/gu, (letter) => letter.toLowerCase()).replaceAll("ς", "σ")
const resembles = (text: string | null, term: string) => text !== null && lower(text).includes(lower(term))

const hasPattern = (value: string | null, { match, text }: TextPattern): boolean => {
  if (value === null) return false
  if (match === "whole") return value === text
  if (match === "part") return value.includes(text)
  const literal = text.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
  return new RegExp(`^${literal.join(".*")}$`, "su").test(value)
}

/** The text of what is at the place; undefined where nothing is, or more than one value. */
const scalarAt = (json: string | null, path: ReadonlyArray<string | number>): string | undefined => {
  let value: unknown = json === null ? undefined : JSON.parse(json)
  for (const name of path) {
    const isThere = typeof name === "number" ? Array.isArray(value) : isPlainObject(value) && Object.hasOwn(value, name)
    value = isThere ? (value as Readonly<Record<string, unknown>>)[name] : undefined // the cast: it has the member
  }
  return value === undefined || (typeof value === "object" && value !== null) ? undefined : String(value)
}
const isPlainObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const compare = { ">": 1, ">=": 1, "=": 0, "<=": -1, "<": -1 } as const

/** What the query language says of a task. */
const satisfies = (task: StoredTask, expression: TaskExpression): boolean => {
  const moment = task.received_at ?? task.first_event_at
  switch (expression.kind) {
    case "and":
      return expression.members.every((member) => satisfies(task, member))
    case "or":
      return expression.members.some((member) => satisfies(task, member))
    case "not":
      return !satisfies(task, expression.term)
    case "state":
      return expression.values.some((value) => value === task.state)
    case "priority":
      return expression.values.some((value) => value === task.priority)
    case "pattern":
      return expression.patterns.some((pattern) => hasPattern(task[expression.column], pattern))
    case "number": {
      const value = task[expression.column]
      if (value === null) return false
      const isEqual = value === expression.value && ["=", ">=", "<="].includes(expression.comparison)
      return isEqual || Math.sign(value - expression.value) === (compare[expression.comparison] || NaN)
    }
    case "payload": {
      const value = scalarAt(task[expression.column], expression.path)
      return value !== undefined && expression.patterns.some((pattern) => hasPattern(value, pattern))
    }
    case "tag":
      return expression.values.some((tag) => (JSON.parse(task.tags) as ReadonlyArray<string>).includes(tag)) // the seeds' own
    case "since":
      return moment >= expression.moment
    case "until":
      return moment <= expression.moment
    case "finished":
      return task.finished_at !== null && task.finished_at >= expression.moment
    case "error":
      return resembles(task.exception, expression.text)
    case "word":
      return [task.name, task.queue, task.worker_name, task.task_id, task.exception].some((text) =>
        resembles(text, expression.text)
      )
  }
}

/** What the interface says of each term, one row at a time. */
const matches = (task: StoredTask, filter: TaskFilter): boolean => {
  const moment = task.received_at ?? task.first_event_at
  return (filter.state === null || task.state === filter.state) &&
    (filter.priority === null || filter.priority.includes(task.priority)) &&
    (filter.name === null || task.name.includes(filter.name)) &&
    (filter.engine === null || task.engine === filter.engine) &&
    (filter.fingerprint === null || task.fingerprint === filter.fingerprint) &&
    (filter.ids === null || filter.ids.includes(task.id)) &&
    (filter.queue === null || task.queue === filter.queue) &&
    (filter.worker === null || task.worker_name === filter.worker) &&
    (filter.since === null || moment >= filter.since) &&
    (filter.until === null || moment <= filter.until) &&
    (filter.query === null || satisfies(task, filter.query)) &&
    (filter.search === null ||
      [task.name, task.queue, task.worker_name, task.task_id, filter.search_exceptions ? task.exception : null]
        .some((
          text
        ) => resembles(text, filter.search ?? "")))
}

/** Not null in `tenths` of ten cases. */
const orNull = <A>(arbitrary: fc.Arbitrary<A>, tenths: number) =>
  fc.oneof({ weight: 10 - tenths, arbitrary: fc.constant(null) }, { weight: tenths, arbitrary })
const moments = fc.integer({ min: -600, max: rows + 600 }).map((minutes) => at(start + minutes * spacing))

const filters = (tasks: ReadonlyArray<StoredTask>): fc.Arbitrary<TaskFilter> =>
  fc.record({
    state: orNull(fc.constantFrom("success", "failure", "rejected", "pending", "retry"), 3),
    priority: orNull(fc.uniqueArray(fc.constantFrom("critical", "high", "normal", "low"), { minLength: 1 }), 2),
    name: orNull(fc.constantFrom("ship", "Ship", "rare", "%", "_", "\\", "nothing", "mail.send", "Ü", "."), 3),
    search: orNull(
      fc.oneof(
        fc.constantFrom("SHIP", "box-", "q%", "_", "\\", "nothing at all", "rare", "mail", "CELERY", "ünï", "'", "0"),
        fc.constantFrom(
          "ärger",
          "ÄRGER]*?^-.ο",
          "rgeR]*",
          "οδοσ",
          "Σ",
          "STRAẞE",
          "strasse",
          "ärger with",
          "order 7",
          "550 NO",
          "Refused\n550",
          "ß-i",
          "ı",
          "İ",
          "i",
          "ä*",
          "[ä",
          "ä?r",
          "ö"
        ),
        fc.constantFrom(...tasks.slice(0, 50)).map(({ task_id }) => task_id.slice(3, 11).toUpperCase())
      ),
      4
    ),
    search_exceptions: fc.boolean(),
    engine: orNull(fc.constantFrom("celery", "rq", "none"), 2),
    fingerprint: orNull(fc.constantFrom("9f2c41d07be5a836", "0000000000000000"), 1),
    ids: orNull(fc.subarray(tasks.filter((_, index) => index % 40 === 3).map(({ id }) => id), { minLength: 1 }), 1),
    queue: orNull(fc.constantFrom("celery", "Mail", "mail", "q%", "straße-İı"), 2),
    worker: orNull(fc.constantFrom("celery@Box-1", "w_3", "w"), 2),
    since: orNull(moments, 2),
    until: orNull(moments, 2),
    query: fc.constant(null)
  })

const queryTerm = fc.constantFrom(
  "state:failure",
  "state:failure,retry",
  "state:rejected,pending",
  "priority:high,low",
  "name:ship",
  "name:shop.*",
  "name:*S*",
  "name:mail.send%,rare",
  "name:=shop.Ship",
  "name:\"a\\\\b\"",
  "name:no.such.*",
  "queue:celery,Mail",
  "queue:*q*",
  "queue:q%",
  "queue:\"[ÄRGER]*?^-.ΟΔΟΣ\"",
  "worker:celery@*",
  "worker:w_3,w",
  "engine:rq",
  "engine:c*,none",
  "fingerprint:9f2c41d07be5a836",
  "error:\"ärger with\"",
  "error:refused",
  "runtime:>5s",
  "runtime:<=37ms",
  "retries:>0",
  "retries:3",
  "kwargs.order:7835610",
  "kwargs.order:78356*0,true",
  "kwargs.order:\"a \\\"quoted\\\" ä\"",
  "kwargs.order:*quoted*",
  "kwargs.order:null",
  "kwargs.order.id:7835610",
  "kwargs.0:zero",
  "kwargs.order.0:7835610",
  "kwargs.pages:7,8",
  "args.customer.the-id:5",
  "args.1:eu,2",
  "args.0:e*",
  "result.status:paid",
  "tag:eu",
  "tag:\"night,ly\",us",
  "tag:\",\"",
  "since:1d",
  "until:2026-03-11T10:00Z",
  "finished:2026-03-11T10:00Z",
  "ship",
  "\"550 NO\"",
  "CELERY",
  "rare"
)

/** Queries of the whole language. */
const { query: queries } = fc.letrec<{ query: string; one: string }>((tie) => ({
  query: fc.oneof(
    { depthSize: "small" },
    { weight: 3, arbitrary: fc.array(tie("one"), { minLength: 1, maxLength: 3 }).map((all) => all.join(" ")) },
    fc.tuple(tie("query"), tie("query")).map(([a, b]) => `${a} OR ${b}`),
    fc.tuple(tie("query"), tie("one")).map(([a, b]) => `(${a}) AND ${b}`)
  ),
  one: fc.oneof(
    { weight: 4, arbitrary: queryTerm },
    { weight: 2, arbitrary: queryTerm.map((term) => `-${term}`) },
    tie("query").map((inner) => `NOT (${inner})`)
  )
}))

/** A clock on which a second passes between two readings. */
const impatient = Effect.map(Effect.clock, (clock): Clock.Clock => {
  let now = start
  return Object.create(clock, { currentTimeMillis: { value: Effect.sync(() => now += 1000) } })
})

describe.each(engines)("task search on %s", (engine) => {
  // the tasks are months old: retention would delete them during a slow run
  const brain = brainOn(engine, { tasksRetentionDays: 3650 })
  const services = TaskSearch.layer.pipe(Layer.provide(Scans.layer), Layer.provideMerge(brain))

  layer(services, { excludeTestServices: true })((it) => {
    it.effect(
      "finds what a scan of each row finds, whatever the filter, the direction and the place",
      () =>
        Effect.gen(function*() {
          const search = yield* TaskSearch
          const project = yield* freshProject()
          const other = yield* freshProject()
          const tasks = seeds(project.id)
          yield* insertTasks(tasks)
          yield* insertTasks(seeds(other.id).slice(0, 200))

          const cases = fc.sample(
            fc.record({
              filter: filters(tasks),
              direction: fc.constantFrom<"newest" | "oldest">("newest", "oldest"),
              after: orNull(fc.constantFrom(...tasks).map(({ id }) => id), 4),
              limit: fc.constantFrom(1, 3, 51, 1500, 5000)
            }),
            { numRuns: runs(100), seed: 20260310 }
          )
          let hits = 0
          for (const { after, direction, filter, limit } of cases) {
            const expected = tasks.filter((task) => matches(task, filter)).map(({ id }) => id).sort()
            const ordered = direction === "newest" ? expected.reverse() : expected
            const beyond = ordered.filter((id) => after === null || (direction === "newest" ? id < after : id > after))
            const found = yield* search.listIds(project.id, filter, { direction, after, limit })
            if (found.length > 0) hits++
            assert.deepStrictEqual(found, beyond.slice(0, limit), JSON.stringify({ filter, direction, after, limit }))
            assert.strictEqual(yield* search.count(project.id, filter), expected.length, JSON.stringify(filter))
            if (direction === "newest") {
              const page = yield* search.listPage(project.id, filter, after, limit)
              assert.deepStrictEqual(
                page,
                { ids: beyond.slice(0, limit), searchedTo: null, index: null },
                JSON.stringify(filter)
              )
            }
          }
          assert.isAbove(hits, cases.length / 3)
        })
    )

    it.effect(
      "finds what a query means on each row, beside any filter",
      () =>
        Effect.gen(function*() {
          const search = yield* TaskSearch
          const project = yield* freshProject()
          const tasks = seeds(project.id)
          yield* insertTasks(tasks)
          const now = at(start + rows * spacing)
          const cases = fc.sample(
            fc.record({
              text: queries,
              filter: fc.oneof({ weight: 2, arbitrary: fc.constant(everyTask) }, filters(tasks)),
              direction: fc.constantFrom<"newest" | "oldest">("newest", "oldest"),
              limit: fc.constantFrom(3, 51, 5000)
            }),
            { numRuns: runs(80), seed: 20260311 }
          )
          let hits = 0
          for (const { direction, filter, limit, text } of cases) {
            const expression = readQuery(text, now)
            const whole = addQuery(filter, expression)
            const expected = tasks
              .filter((task) => matches(task, filter) && (expression === null || satisfies(task, expression)))
              .map(({ id }) => id).sort()
            const ordered = direction === "newest" ? [...expected].reverse() : expected
            const about = JSON.stringify({ text, filter, direction, limit })
            const found = yield* search.listIds(project.id, whole, { direction, after: null, limit })
            if (found.length > 0) hits++
            assert.deepStrictEqual(found, ordered.slice(0, limit), about)
            assert.strictEqual(yield* search.count(project.id, whole), expected.length, about)
            if (direction === "newest") {
              const page = yield* search.listPage(project.id, whole, null, limit)
              assert.deepStrictEqual(page, { ids: ordered.slice(0, limit), searchedTo: null, index: null }, about)
            }
            const facets = yield* search.countFacets(project.id, whole)
            assert.strictEqual(facets.counted, expected.length, about)
            assert.isTrue(facets.is_complete)
            const sampleIds = tasks.slice(-200).map(({ id }) => id)
            assert.deepStrictEqual(
              [...yield* search.listMatches(project.id, whole, sampleIds)].sort(),
              expected.filter((id) => sampleIds.includes(id)),
              about
            )
          }
          assert.isAbove(hits, cases.length / 3)
        })
    )

    it.effect(
      "finds the same where paths are searchable, before, while and after their index is filled",
      () =>
        Effect.gen(function*() {
          const search = yield* TaskSearch
          const sql = yield* SqlClient.SqlClient
          const project = yield* freshProject()
          const tasks = seeds(project.id)
          yield* insertTasks(tasks)
          const indexed = ["shop.Ship", "shop.ship_all", "mail.send%"]
          for (const name of indexed) {
            for (const path of ["kwargs.order", "kwargs.pages", "args.0.customer.the-id"]) {
              yield* insertPath(project.id, name, path)
            }
          }
          const now = at(start + rows * spacing)
          const cases = fc.sample(
            fc.record({
              name: fc.constantFrom("name:=shop.Ship", "name:ship", "name:=shop.Ship,=shop.ship_all", "name:=rare", ""),
              term: fc.oneof(
                {
                  weight: 4,
                  arbitrary: fc.constantFrom("kwargs.order:7835610", "kwargs.pages:7,8", "args.customer.the-id:5")
                },
                queryTerm
              ),
              rest: fc.oneof({ weight: 3, arbitrary: fc.constant("") }, queries.map((query) => ` (${query})`)),
              filter: fc.oneof({ weight: 3, arbitrary: fc.constant(everyTask) }, filters(tasks)),
              direction: fc.constantFrom<"newest" | "oldest">("newest", "oldest"),
              limit: fc.constantFrom(3, 51, 5000)
            }),
            { numRuns: runs(20), seed: 20260312 }
          )
          /** The number of pages that an index has found. */
          const check = Effect.gen(function*() {
            let byIndex = 0
            for (const { direction, filter, limit, name, rest, term } of cases) {
              const text = `${name} ${term}${rest}`
              const expression = readQuery(text, now)
              const whole = addQuery(filter, expression)
              const expected = tasks
                .filter((task) => matches(task, filter) && (expression === null || satisfies(task, expression)))
                .map(({ id }) => id).sort()
              const ordered = direction === "newest" ? [...expected].reverse() : expected
              const about = JSON.stringify({ text, filter, direction, limit })
              const found = yield* search.listIds(project.id, whole, { direction, after: null, limit })
              assert.deepStrictEqual(found, ordered.slice(0, limit), about)
              assert.strictEqual(yield* search.count(project.id, whole), expected.length, about)
              if (direction === "oldest") continue
              const page = yield* search.listPage(project.id, whole, null, limit)
              assert.deepStrictEqual([page.ids, page.searchedTo], [ordered.slice(0, limit), null], about)
              if (page.index !== null) byIndex++
            }
            return byIndex
          })
          yield* whileFilling((step) =>
            Effect.gen(function*() {
              assert.strictEqual(yield* check, 0)
              const isBegun = Effect.map(
                sql`SELECT 1 FROM searchable_paths WHERE project_id = ${project.id} AND filled_to IS NULL`,
                (waiting) => waiting.length === 0
              )
              yield* Effect.orDie(until(Effect.zipRight(step, isBegun), (begun) => begun))
              yield* step
              yield* check
              yield* step
              yield* check
              while (yield* step);
              assert.isAbove(yield* check, 5)
              const byName = tasks.filter(({ name }) => indexed.includes(name)).flatMap((task) =>
                ["kwargs.order", "kwargs.pages", "args.0.customer.the-id"].flatMap((path) => {
                  const [column = "", ...names] = path.split(".")
                  const value = scalarAt(
                    column === "args" ? task.args : task.kwargs,
                    names.map((name) => (name === "0" ? 0 : name))
                  )
                  return value === undefined ? [] : [`${task.name} ${path} ${value} ${task.task_id}`]
                })
              )
              assert.deepStrictEqual(yield* readValues(project.id), byName.sort())
            })
          )
        })
    )

    it.effect("reads the values of an alternative from an index, and counts values", () =>
      Effect.gen(function*() {
        const search = yield* TaskSearch
        const project = yield* freshProject()
        const tasks = Array.from({ length: 3000 }, (_, index) =>
          storedTask(project.id, start + index * 1000, {
            state: index % 1000 === 0 ? "failure" : index % 1000 === 1 ? "retry" : "success",
            queue: index % 2 === 0 ? "even" : null
          }))
        yield* insertTasks(tasks)
        const filter = addQuery(everyTask, readQuery("state:failure,retry", at(start)))
        const { ids, searchedTo } = yield* search.listPage(project.id, filter, null, 5)
        assert.isNull(searchedTo)
        assert.deepStrictEqual(ids, [2001, 2000, 1001, 1000, 1].map((index) => tasks[index]!.id))
        const counts = yield* search.countFacets(project.id, filter)
        assert.deepStrictEqual(counts.state, [{ value: "failure", count: 3 }, { value: "retry", count: 3 }])
        assert.deepStrictEqual(counts.queue, [{ value: "even", count: 3 }])
        assert.strictEqual(counts.counted, 6)
      }))

    it.effect(
      "stops the search of a page after half a second, and the next pages find the rest",
      () =>
        Effect.gen(function*() {
          const search = yield* TaskSearch
          const project = yield* freshProject()
          // thirty tasks an hour apart, and then one a second
          const tasks = Array.from({ length: 1130 }, (_, index) =>
            storedTask(project.id, start + Math.min(index, 30) * 3_600_000 + Math.max(0, index - 30) * 1000))
          yield* insertTasks(tasks)
          const clock = yield* impatient
          const filter = { ...everyTask, search: tasks[4]!.task_id }
          let after: string | null = null
          let stops = 0
          const found: Array<string> = []
          do {
            const page: SearchedPage = yield* Effect.withClock(search.listPage(project.id, filter, after, 10), clock)
            found.push(...page.ids)
            after = page.searchedTo
            if (after !== null) {
              stops++
            }
          } while (after !== null)
          assert.deepStrictEqual(found, [tasks[4]!.id])
          assert.isAbove(stops, 0)
        })
    )

    it.effect(
      "looks up many values by ranges, and gives up on values when they are too many",
      () =>
        Effect.gen(function*() {
          const search = yield* TaskSearch
          const project = yield* freshProject()
          const tasks = Array.from({ length: 7000 }, (_, index) =>
            storedTask(project.id, start + index * 1000, {
              name: `job-${index}`,
              queue: `queue ${index % 300}`,
              task_id: `id ${index}`
            }))
          yield* insertTasks(tasks)
          const newestFirst = [...tasks].reverse()
          const page = (filter: Partial<TaskFilter>) =>
            search.listIds(project.id, { ...everyTask, ...filter }, {
              direction: "newest",
              after: tasks[3000]!.id,
              limit: 40
            })
          const expected = (test: (task: StoredTask) => boolean) =>
            newestFirst.slice(4000).filter(test).slice(0, 40).map(({ id }) => id)

          assert.deepStrictEqual(yield* page({ name: "job-1" }), expected(({ name }) => name.includes("job-1")))
          assert.deepStrictEqual(yield* page({ name: "job-" }), expected(() => true))
          assert.deepStrictEqual(
            yield* page({ search: "QUEUE 7" }),
            expected(({ queue }) => queue!.startsWith("queue 7"))
          )
          assert.deepStrictEqual(yield* page({ search: "job" }), expected(() => true))
          assert.deepStrictEqual(
            yield* page({ search: "JOB-299", state: "success" }),
            expected(({ name }) => name.includes("job-299"))
          )
          assert.deepStrictEqual(
            yield* page({ search: "job", name: "7", state: "success" }),
            expected(({ name }) => name.includes("7"))
          )
        })
    )

    it.effect("counts up to a bound", () =>
      Effect.gen(function*() {
        const search = yield* TaskSearch
        const project = yield* freshProject()
        yield* insertTasks(
          Array.from({ length: maxCounted + 5 }, (_, index) =>
            storedTask(project.id, start + index, { queue: index < 3 ? "few" : "many" }))
        )
        assert.strictEqual(yield* search.count(project.id, { ...everyTask, queue: "few" }), 3)
        assert.strictEqual(yield* search.count(project.id, { ...everyTask, queue: "many" }), null)
        assert.strictEqual(yield* search.count(project.id, { ...everyTask, name: "nothing" }), 0)
      }))
  })
})
