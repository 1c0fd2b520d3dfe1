import { SqlClient } from "@effect/sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer, Runtime, Schema, Stream } from "effect"
import * as fc from "fast-check"
import { randomUUID } from "node:crypto"
import { type ActivityItem, encodeActivityCursor, ListActivity } from "../../../src/domain/audit/Activity.ts"
import { ProjectId } from "../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import type { Audit } from "../../../src/services/audit/Audit.ts"
import { AuditExport } from "../../../src/services/audit/Export.ts"
import type { AuditLogRow } from "../../../src/services/audit/Rows.ts"
import { yieldToEventLoop } from "../../../src/services/kernel/concurrency/EventLoop.ts"
import { CurrentActor } from "../../../src/services/kernel/CurrentActor.ts"
import { Xlsx } from "../../../src/services/kernel/Export/Xlsx.ts"
import { Activity } from "../../../src/services/operations/Activity.ts"
import { appendAudit, person } from "../../audit.ts"
import { brainOn } from "../../brain.ts"
import { engines, settingsOn } from "../../databases.ts"
import { plansOf, postgresPlansOf } from "../../plans.ts"

const queryOf = Schema.decodeUnknownSync(ListActivity)

const idsOf = (items: ReadonlyArray<ActivityItem>) => items.map(({ id }) => id)

/** The ids of two projects, a member of both, and rows that say which they are; the feed as the member sees it. */
const site = Effect.gen(function*() {
  const activity = yield* Activity
  const projects = [ProjectId.make(randomUUID()), ProjectId.make(randomUUID())]
  const member = person(randomUUID(), { roles: new Map(projects.map((id) => [id, "viewer" as const])) })
  const actions = ["part.one", "part.two", "whole.three"]
  let written = 0
  const rows = (count: number) =>
    Array.from({ length: count }, () => {
      const number = written++
      return {
        action: actions[number % 3]!,
        target_type: "test",
        target_id: String(number),
        project_id: projects[number % 2]!
      }
    })
  return {
    append: (count: number) => Effect.suspend(() => appendAudit(rows(count))),
    written: () => written,
    feed: (query: Readonly<Record<string, string>>) =>
      Effect.provideService(activity.feed(queryOf(query)), CurrentActor, member)
  }
})

type Site = Effect.Effect.Success<typeof site>

/** Every page to the oldest row, while rows are appended in between. */
const backwards = Effect.fnUntraced(function*({ append, feed }: Site, more: Readonly<Record<string, string>>) {
  const items: Array<ActivityItem> = []
  let page = yield* feed(more)
  while (true) {
    items.push(...page.items)
    if (page.next_before_cursor === null) return items
    yield* append(1)
    page = yield* feed({ ...more, before_cursor: page.next_before_cursor })
  }
})

/** Every page from a cursor to the newest row; for the first few pages rows are appended in between. */
const forwards = Effect.fnUntraced(
  function*({ append, feed }: Site, since: string, more: Readonly<Record<string, string>>) {
    const items: Array<ActivityItem> = []
    let cursor = since
    for (let pages = 0;; pages++) {
      const page = yield* feed({ ...more, since_cursor: cursor })
      if (page.items.length === 0) {
        assert.strictEqual(page.newest_cursor, cursor)
        return items
      }
      assert.isNull(page.next_before_cursor)
      items.push(...page.items.toReversed())
      cursor = page.newest_cursor ?? ""
      if (pages < 3) yield* append(2)
    }
  }
)

/** An hour behind, as another replica's clock may be. */
const behind: Clock.Clock = (() => {
  const clock = Clock.make()
  const hour = 3_600_000
  return {
    ...clock,
    unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() - hour,
    unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos() - BigInt(hour) * 1_000_000n,
    currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now - hour),
    currentTimeNanos: Effect.map(clock.currentTimeNanos, (now) => now - BigInt(hour) * 1_000_000n)
  }
})()

describe.each(engines)("the activity feed on %s", (engine) => {
  layer(brainOn(engine), { excludeTestServices: true })((it) => {
    it.effect("pages in both directions have each row once, also many of one moment, also while rows come", () =>
      Effect.gen(function*() {
        const run = Runtime.runPromise(yield* Effect.runtime<Activity | Audit | SqlClient.SqlClient>())
        const batches = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 })
        const prefixes = fc.constantFrom("", "part.", "part.t", "w", "none.")
        const check = async (sizes: ReadonlyArray<number>, limit: number, action_prefix: string) =>
          run(Effect.gen(function*() {
            const here = yield* site
            yield* here.append(1)
            const { newest_cursor: first } = yield* here.feed({})
            for (const size of sizes) yield* here.append(size)
            const before = here.written()
            const query = { limit: String(limit), action_prefix }
            const numbered = (from: number, to: number) =>
              Array.from({ length: to - from }, (_, index) => from + index)
                .filter((number) => ["part.one", "part.two", "whole.three"][number % 3]!.startsWith(action_prefix))
                .map(String)
            const back = yield* backwards(here, query)
            assert.deepStrictEqual(back.map((item) => item.target_id).toReversed(), numbered(0, before))
            const on = yield* forwards(here, first ?? "", query)
            assert.deepStrictEqual(on.map((item) => item.target_id), numbered(1, here.written()))
            assert.strictEqual(new Set(idsOf([...back, ...on])).size, numbered(0, here.written()).length)
          }))
        yield* Effect.promise(() =>
          fc.assert(fc.asyncProperty(batches, fc.integer({ min: 1, max: 7 }), prefixes, check), {
            numRuns: 12,
            endOnFailure: true
          })
        )
      }))

    it.effect("times and ids rise along the log, whatever the clocks say", () =>
      Effect.gen(function*() {
        const { append, feed } = yield* site
        yield* append(3)
        yield* Effect.withClock(append(3), behind)
        yield* append(3)
        const { items } = yield* feed({ limit: "200" })
        const keys = items.map(({ id, occurred_at }) => `${occurred_at}|${id}`)
        assert.deepStrictEqual(items.map(({ target_id }) => Number(target_id)), [8, 7, 6, 5, 4, 3, 2, 1, 0])
        assert.deepStrictEqual(keys, keys.toSorted().toReversed())
        assert.strictEqual(new Set(items.map(({ occurred_at }) => occurred_at)).size, 3)
      }))

    it.effect(
      "a reader who continues from the newest cursor misses nothing of writers at the same time",
      () =>
        Effect.gen(function*() {
          const here = yield* site
          yield* here.append(1)
          const { newest_cursor: first } = yield* here.feed({})
          const writer = (index: number) => {
            const work = Effect.repeatN(here.append(1 + (index % 3)), 14)
            return index % 2 === 0 ? work : Effect.withClock(work, behind)
          }
          const all = 1 + [0, 1, 2, 3, 4, 5].reduce((sum, index) => sum + 15 * (1 + (index % 3)), 0)
          const seen: Array<ActivityItem> = []
          const reader = Effect.gen(function*() {
            let cursor = first ?? ""
            while (seen.length < all - 1) {
              yield* yieldToEventLoop
              const page = yield* here.feed({ since_cursor: cursor, limit: "5" })
              seen.push(...page.items.toReversed())
              cursor = page.newest_cursor ?? cursor
            }
          })
          const writers = Effect.forEach([0, 1, 2, 3, 4, 5], writer, { concurrency: "unbounded" })
          yield* Effect.all([writers, reader], { concurrency: "unbounded" })
          assert.strictEqual(new Set(idsOf(seen)).size, all - 1)
          assert.strictEqual(seen.length, all - 1)
        })
    )

    it.effect("a cursor of a row that is gone, or never was, is a place in time", () =>
      Effect.gen(function*() {
        const { append, feed } = yield* site
        yield* append(2)
        yield* append(2)
        const { items } = yield* feed({})
        const between = `${items[1]!.occurred_at}|00000000-0000-7000-8000-000000000000`
        assert.deepStrictEqual(idsOf((yield* feed({ since_cursor: between })).items), idsOf(items.slice(0, 2)))
        assert.deepStrictEqual(idsOf((yield* feed({ before_cursor: between })).items), idsOf(items.slice(2)))
        const long = "1999-12-31T23:00:00Z|00000000-0000-7000-8000-000000000000"
        assert.deepStrictEqual(yield* feed({ before_cursor: long }), {
          items: [],
          next_before_cursor: null,
          newest_cursor: null
        })
        assert.strictEqual((yield* feed({ since_cursor: long })).items.length, 4)
        const both = yield* feed({ since_cursor: between, before_cursor: `${items[0]!.occurred_at}|${items[0]!.id}` })
        assert.deepStrictEqual(idsOf(both.items), [items[1]!.id])
      }))

    it.effect("a global admin gets all rows but those of a project that refuses the address", () =>
      Effect.gen(function*() {
        const activity = yield* Activity
        const [refusedProject, other] = [ProjectId.make(randomUUID()), ProjectId.make(randomUUID())]
        const admin = person(randomUUID(), { is_admin: true, refused_projects: new Set([refusedProject]) })
        const feed = (query: Readonly<Record<string, string>>) =>
          Effect.provideService(activity.feed(queryOf(query)), CurrentActor, admin)
        const mark = `m${randomUUID().slice(0, 8)}.`
        const projects = [other, refusedProject, null, refusedProject, refusedProject]
        yield* appendAudit(Array.from({ length: 50 }, (_, index) => ({
          action: `${mark}${index % 2 === 0 ? "even" : "odd"}`,
          target_type: "test",
          target_id: String(index),
          project_id: projects[index % 5] ?? null
        })))
        const expected = Array.from({ length: 50 }, (_, index) => index).filter((index) =>
          index % 5 === 0 || index % 5 === 2
        )
          .toReversed()
        const targets = (items: ReadonlyArray<ActivityItem>) => items.map(({ target_id }) => Number(target_id))
        const query = { action_prefix: mark, limit: "12" }
        const first = yield* feed(query)
        const rest = yield* feed({ ...query, before_cursor: first.next_before_cursor ?? "" })
        assert.deepStrictEqual(targets([...first.items, ...rest.items]), expected)
        assert.isNull(rest.next_before_cursor)
        const oldest = encodeActivityCursor(rest.items.at(-1)!)
        assert.deepStrictEqual(targets((yield* feed({ ...query, since_cursor: oldest })).items), expected.slice(7, -1))
        const whole = feed({ limit: "20" })
        assert.deepStrictEqual(targets((yield* whole).items), expected)
        if (engine === "PostgreSQL") return // its plans of small tables are scans
        const plans = (yield* plansOf(whole)).flat()
        assert.isNotEmpty(plans)
        for (const plan of plans) assert.notMatch(plan, /SCAN (audit_log|a)\b/)
      }))

    it.effect("a member of many projects gets one list of them all", () =>
      Effect.gen(function*() {
        const activity = yield* Activity
        const sql = yield* SqlClient.SqlClient
        const ids = Array.from({ length: 120 }, () => ProjectId.make(randomUUID()))
        const member = person(randomUUID(), { roles: new Map(ids.map((id) => [id, "viewer" as const])) })
        const entry = (project_id: ProjectId, index: number) => ({
          action: index % 2 === 0 ? "many.even" : "many.odd",
          target_type: "test",
          target_id: String(index),
          project_id
        })
        yield* appendAudit(ids.map(entry))
        const page = (query: Readonly<Record<string, string>>) =>
          Effect.provideService(activity.feed(queryOf(query)), CurrentActor, member)
        const targets = (items: ReadonlyArray<ActivityItem>) => items.map(({ target_id }) => Number(target_id))
        const first = yield* page({ limit: "70", action_prefix: "many." })
        assert.deepStrictEqual(targets(first.items), Array.from({ length: 70 }, (_, index) => 119 - index))
        const rest = yield* page({ limit: "70", action_prefix: "many.", before_cursor: first.next_before_cursor ?? "" })
        assert.deepStrictEqual(targets(rest.items), Array.from({ length: 50 }, (_, index) => 49 - index))
        const on = yield* page({
          limit: "70",
          action_prefix: "many.",
          since_cursor: encodeActivityCursor(rest.items[0]!)
        })
        assert.deepStrictEqual(targets(on.items), Array.from({ length: 70 }, (_, index) => 119 - index))
        // what users did in all projects is two indexes, however many projects there are
        const root = person(randomUUID(), { is_admin: true })
        for (const query of [{ by: "people" }, { by: "people", action_prefix: "many." }]) {
          const ofPeople = Effect.provideService(activity.feed(queryOf(query)), CurrentActor, root)
          const plans = engine === "SQLite"
            ? (yield* plansOf(ofPeople)).flat()
            : yield* sql.withTransaction(
              Effect.zipRight(sql`SET LOCAL enable_seqscan = off`, postgresPlansOf(ofPeople))
            )
          assert.match(plans.join("\n"), /audit_log_people/)
          assert.notMatch(plans.join("\n"), /SCAN (audit_log|a)\b|Seq Scan on audit_log/)
          assert.notInclude(plans.join("\n"), "audit_log_project")
        }
      }))
  })
})

describe("a spreadsheet of the audit log", () => {
  const item: ActivityItem = {
    id: randomUUID(),
    project_id: null,
    project_slug: null,
    user_id: null,
    action: "test.done",
    target_type: "test",
    target_id: null,
    result: "success",
    outcome: "allow",
    metadata: {},
    source_ip: null,
    occurred_at: Timestamp.fromEpochMicros(0)
  }
  const row: AuditLogRow = { ...item, seq: 1, outcome: "allow", metadata: "{}" }
  const files = AuditExport.layer.pipe(Layer.provide(Xlsx.layer), Layer.provide(settingsOn("SQLite")))

  it.scopedLive("reads rows when it is its turn, and not before", () =>
    Effect.gen(function*() {
      const { makeFile } = yield* AuditExport
      const [reading, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const reads = { first: 0, second: 0 }
      // the first reading counts the rows and keeps none; the second brings them
      const waitForRelease = Effect.suspend(() =>
        ++reads.first === 1 ? Effect.void : Effect.zipRight(Deferred.succeed(reading, undefined), Deferred.await(gate))
      )
      const first = Stream.fromEffect(Effect.as(waitForRelease, row))
      const second = Stream.fromEffect(Effect.sync(() => (reads.second++, row)))
      const one = yield* Effect.fork(makeFile(first, () => item, "xlsx", null))
      yield* Deferred.await(reading)
      const other = yield* Effect.fork(makeFile(second, () => item, "xlsx", null))
      yield* Effect.repeatN(Effect.yieldNow(), 100)
      assert.strictEqual(reads.second, 1)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(one)
      assert.strictEqual((yield* Fiber.join(other)).format, "xlsx")
      assert.strictEqual(reads.second, 2)
    }).pipe(Effect.provide(files)))

  it.scopedLive("is refused when there are too many rows", () =>
    Effect.gen(function*() {
      const { makeFile } = yield* AuditExport
      const many = Stream.as(Stream.range(1, 25_001), row)
      assert.include((yield* Effect.flip(makeFile(many, () => item, "xlsx", null))).detail, "at most 25000 rows")
    }).pipe(Effect.provide(files)))
})
