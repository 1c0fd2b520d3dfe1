import { assert, describe, it } from "@effect/vitest"
import { parse, stringify } from "lossless-json"
import {
  bodyOf,
  changesOf,
  emptyDraft,
  makeRequestId,
  problemOf,
  writableFields
} from "../../web/src/schedules/definition.ts"
import { readSnapshot } from "../../web/src/schedules/snapshot.ts"
import { findSchedules, type Schedule } from "../../web/src/schedules/states.ts"
import {
  cadenceOf,
  editedCadenceOf,
  readInterval,
  showExpression,
  writeInterval
} from "../../web/src/schedules/ticks.ts"

const draft = { ...emptyDraft("Europe/Berlin"), name: "nightly", expression: "0 3 * * *" }

describe("the definition of a schedule in a form", () => {
  it("keeps all digits of arguments", () => {
    const body = bodyOf({ ...draft, args: "[9007199254740993, 1.0]" }, ["args"])
    assert.strictEqual(stringify(body), "{\"args\":[9007199254740993,1.0]}")
  })

  it("differs by values, not by the layout of JSON, and not by spaces", () => {
    assert.deepStrictEqual(changesOf(draft, { ...draft, kwargs: "{ }", name: "nightly " }), [])
    assert.deepStrictEqual(changesOf(draft, { ...draft, args: "[1" }).map(({ field }) => field), ["args"])
    assert.deepStrictEqual(changesOf(draft, { ...draft, kwargs: "{\"a\":1}" }), [
      { field: "kwargs", before: "{}", after: "{\"a\":1}" }
    ])
  })

  it("says null for what is left empty, and numbers and truth as such", () => {
    assert.deepStrictEqual(
      bodyOf({ ...draft, jitter_seconds: "30" }, ["queue", "grace_seconds", "jitter_seconds", "is_enabled"]),
      { queue: null, grace_seconds: null, jitter_seconds: 30, is_enabled: true }
    )
  })

  it("has lists for args and objects for kwargs", () => {
    for (const text of ["[]", "[1]"]) assert.isNull(problemOf("args", text), text)
    for (const text of ["", "{}", "1", "[1", "null"]) assert.strictEqual(problemOf("args", text), "args", text)
    assert.isNull(problemOf("kwargs", " {\"a\": 1}"))
    for (const text of ["", "[]", "1", "\"{\"", "null"]) assert.strictEqual(problemOf("kwargs", text), "kwargs", text)
  })

  it("writes of another scheduler's schedule what a scheduler can have", () => {
    assert.deepStrictEqual(writableFields("celery-beat", true), [
      "name",
      "kind",
      "expression",
      "timezone",
      "task_name",
      "queue",
      "args",
      "kwargs",
      "is_enabled"
    ])
    assert.notInclude(writableFields("svc-scheduler", false), "name")
  })

  it("has request ids that are UUIDs", () => {
    assert.match(makeRequestId(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})

describe("a snapshot of schedules", () => {
  it("is a list, or an object with one", () => {
    assert.deepStrictEqual(readSnapshot("[]"), { schedules: [], mode: null, source_filter: null })
    assert.deepStrictEqual(readSnapshot("{\"schedules\": [], \"mode\": \"replace\", \"source_filter\": \"git\"}"), {
      schedules: [],
      mode: "replace",
      source_filter: "git"
    })
    for (const text of ["", "1", "null", "{}", "{\"schedules\": 1}", "schedules:"]) {
      assert.isNull(readSnapshot(text), text)
    }
    assert.strictEqual(
      stringify(readSnapshot("[{\"args\": [1.0]}]")?.schedules),
      stringify(parse("[{\"args\": [1.0]}]"))
    )
  })
})

const schedule = {
  kind: "interval",
  expression: "10m",
  timezone: "UTC",
  jitter_seconds: 0,
  next_run_at: "2026-11-24T12:00:00.000000Z",
  created_at: "2026-11-24T09:07:30.000000Z",
  name: "Price Feed",
  task_name: "prices.import",
  engine: "celery",
  scheduler: "svc-scheduler",
  source: "dashboard",
  queue: null,
  is_enabled: true,
  paused_at: null,
  quarantined_at: null,
  consecutive_failures: 2,
  is_drifted: false
} as Partial<Schedule> as Schedule // the fields that these functions read

describe("the next ticks of a schedule", () => {
  const from = (changes: Partial<Schedule>, now: string) => cadenceOf({ ...schedule, ...changes }, Date.parse(now)).from

  it("of an interval are counted from its own next tick, also when that has passed", () => {
    assert.strictEqual(from({}, "2026-11-24T11:55:00Z"), "2026-11-24T11:50:00.000Z")
    assert.strictEqual(from({}, "2026-11-24T12:00:00Z"), "2026-11-24T12:00:00.000Z")
    assert.strictEqual(from({}, "2026-11-24T13:05:00Z"), "2026-11-24T13:00:00.000Z")
    assert.isNull(from({ next_run_at: null }, "2026-11-24T13:05:00Z"))
    assert.isNull(from({ kind: "cron", expression: "0 3 * * *" }, "2026-11-24T13:05:00Z"))
  })

  it("of an edit go on as they do, or are counted from the schedule's creation", () => {
    const now = Date.parse("2026-11-24T11:55:00Z")
    const own = { kind: "interval", expression: "10m", timezone: "UTC", jitter_seconds: 0 }
    const begin = (change: Partial<typeof own>) => editedCadenceOf(schedule, { ...own, ...change }, now).from
    assert.strictEqual(begin({}), "2026-11-24T11:50:00.000Z")
    // created at 09:07:30
    assert.strictEqual(begin({ expression: "1h" }), "2026-11-24T11:07:30.000Z")
    assert.strictEqual(begin({ jitter_seconds: 5 }), "2026-11-24T11:47:30.000Z")
    assert.strictEqual(begin({ expression: "30d" }), "2026-11-24T09:07:30.000Z")
    assert.isNull(begin({ kind: "cron", expression: "0 3 * * *" }))
    assert.isNull(begin({ expression: "1 fortnight" }))
  })
})

describe("the filter of schedules", () => {
  it("finds all words, in any of the names, and a state", () => {
    const all = [schedule]
    assert.lengthOf(findSchedules(all, "feed PRICES", undefined), 1)
    assert.lengthOf(findSchedules(all, "feed other", undefined), 0)
    assert.lengthOf(findSchedules(all, "", "failing"), 1)
    assert.lengthOf(findSchedules(all, "", "paused"), 0)
    assert.lengthOf(findSchedules([{ ...schedule, paused_at: "2026-11-24T12:00:00Z" }], "", "paused"), 1)
  })
})

describe("the interval of a schedule", () => {
  it("is written so that it is read again, and shown as people type it", () => {
    for (const seconds of [1, 30, 90, 300, 5_400, 86_400, 788_645]) {
      assert.strictEqual(readInterval(writeInterval(String(seconds), true)), seconds)
    }
    assert.strictEqual(writeInterval("5400", true), "1h30m")
    assert.strictEqual(writeInterval("5400", false), "5400")
    const shown = ["300", "1h30m", "PT90S", "0 3 * * *", "2027-12-24T18:00"].map(showExpression)
    assert.deepStrictEqual(shown, ["5 min", "1 h 30 min", "1 min 30 s", "0 3 * * *", "2027-12-24T18:00"])
  })
})
