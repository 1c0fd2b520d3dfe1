import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import {
  addOccurrences,
  type AlertRules,
  type AlertState,
  type Circumstances,
  decide,
  type Decision,
  type MessageKind,
  openAlert
} from "../../../../src/domain/alerting/Notification/AlertDecision.ts"
import { addSeconds, parse, type Timestamp } from "../../../../src/domain/kernel/Timestamp.ts"

const start = parse("2026-01-05T10:00:00Z") ?? ("" as never)
const at = (seconds: number): Timestamp => addSeconds(start, seconds)

const rules: AlertRules = {
  grouping: { wait_seconds: 30, interval_seconds: 300, repeat_seconds: 14_400 },
  cooldown_seconds: 0,
  notify_recovery: true,
  send_hours: null,
  escalate_after_minutes: null,
  is_critical: false,
  is_problem: true,
  stale_after_seconds: 72 * 3600
}
const ungrouped: AlertRules = { ...rules, grouping: null }

const circumstances = (seconds: number, given: Partial<Circumstances> = {}): Circumstances => ({
  now: at(seconds),
  is_muted: false,
  maintenance_until: null,
  condition: "unknown",
  shared: "a",
  ...given
})

/** An alert that lives through what is done to it, deciding whenever it is due. */
class Life {
  state: AlertState | null = null
  readonly sent: Array<readonly [number, MessageKind]> = []
  constructor(readonly rules: AlertRules, readonly given: (seconds: number) => Partial<Circumstances> = () => ({})) {}
  private take({ messages, state }: Decision, seconds: number) {
    this.state = state
    for (const kind of messages) this.sent.push([seconds, kind])
  }
  /** Decides all that is due until then. */
  until(seconds: number) {
    for (let turns = 0; turns < 100_000; turns++) {
      const due = this.state?.due_at ?? null
      if (this.state === null || due === null || due > at(seconds)) return this
      const now = Math.ceil((Date.parse(due) - Date.parse(start)) / 1000)
      this.take(decide(this.state, this.rules, circumstances(now, this.given(now))), now)
    }
    throw new Error("it never comes to rest")
  }
  fails(seconds: number, count = 1) {
    this.until(seconds)
    const alert = this.state?.status === "open" ? this.state : openAlert(at(seconds), at(seconds), null)
    const arrival = { count, last_at: at(seconds) }
    this.take(addOccurrences(alert, this.rules, circumstances(seconds, this.given(seconds)), arrival), seconds)
    return this
  }
  change(changes: Partial<AlertState>) {
    if (this.state !== null) this.state = { ...this.state, ...changes }
    return this
  }
}

describe("an alert", () => {
  it("waits, sends one message, and is silent while nothing is new", () => {
    const life = new Life(rules).fails(0).fails(5, 100).fails(29)
    assert.deepStrictEqual(life.sent, [])
    assert.deepStrictEqual(life.until(30).sent, [[30, "alert"]])
    assert.deepStrictEqual(life.fails(100, 10).fails(1000, 10).until(14_000).sent, [[30, "alert"]])
    assert.deepStrictEqual(life.until(14_430).sent, [[30, "alert"], [14_430, "update"]])
    assert.deepStrictEqual(life.until(40_000).sent.length, 2, "nothing came since")
  })

  it("sends an update at the interval when what the occurrences share changed, or their number is tenfold", () => {
    const life = new Life(rules, (seconds) => ({ shared: seconds < 100 ? "a" : "b" })).fails(0).fails(100)
    assert.deepStrictEqual(life.until(1000).sent, [[30, "alert"], [330, "update"]])
    assert.deepStrictEqual(new Life(rules).fails(0).fails(100, 9).until(1000).sent, [[30, "alert"], [330, "update"]])
  })

  it("without grouping is a message for each occurrence, at once", () => {
    const life = new Life(ungrouped).fails(0).fails(1, 3)
    assert.deepStrictEqual(life.sent.map(([seconds]) => seconds), [0, 1, 1, 1])
    const cooling = new Life({ ...ungrouped, cooldown_seconds: 60 }).fails(0).fails(10).fails(20)
    assert.deepStrictEqual(cooling.sent, [[0, "alert"]])
    assert.deepStrictEqual(cooling.until(600).sent, [[0, "alert"], [60, "update"]])
  })

  it("has recovered only on evidence, and sends one message about it", () => {
    const life = new Life(rules, (seconds) => ({ condition: seconds > 600 ? "recovered" : "unknown" })).fails(0)
    life.until(3600)
    assert.deepStrictEqual(life.sent.map(([, kind]) => kind), ["alert", "recovered"])
    assert.strictEqual(life.state?.status, "recovered")
    const silent = new Life(rules).fails(0).until(100 * 3600)
    assert.deepStrictEqual(silent.sent.map(([, kind]) => kind), ["alert"])
    assert.strictEqual(silent.state?.status, "stale")
    const flap = new Life(rules, (seconds) => ({ condition: seconds >= 30 ? "recovered" : "unknown" })).fails(0).until(
      60
    )
    assert.deepStrictEqual(flap.sent, [], "no message was sent about it")
    const quiet = new Life({ ...rules, notify_recovery: false }, () => ({ condition: "unknown" })).fails(0).until(60)
    assert.deepStrictEqual(
      decide(quiet.state ?? assert.fail(), quiet.rules, circumstances(90, { condition: "recovered" })).messages,
      []
    )
  })

  it("stays open while its condition lasts: an agent that stays offline is repeated and never stale", () => {
    const life = new Life(rules, () => ({ condition: "ongoing" })).fails(0).until(100 * 3600)
    assert.strictEqual(life.state?.status, "open")
    assert.strictEqual(life.sent.length, 1 + Math.floor((100 * 3600 - 30) / 14_400))
  })

  it("is silent once acknowledged, but for its recovery", () => {
    const life = new Life({ ...rules, escalate_after_minutes: 5 }, (seconds) => ({
      condition: seconds > 50_000 ? "recovered" : "ongoing",
      shared: String(seconds)
    })).fails(0).until(60).change({ acknowledged_at: at(60), due_at: at(60) })
    life.fails(400).fails(20_000, 1000).until(60_000)
    assert.deepStrictEqual(life.sent.map(([, kind]) => kind), ["alert", "recovered"])
  })

  it("escalates once, when it is not acknowledged in time", () => {
    const life = new Life({ ...rules, escalate_after_minutes: 5 }).fails(0).until(3600)
    assert.deepStrictEqual(life.sent, [[30, "alert"], [330, "escalation"]])
  })

  it("is deferred by a snooze and by maintenance, and sent at their end if the problem lasts", () => {
    const snoozed = new Life(rules).fails(0).change({ snoozed_until: at(1000) }).until(2000)
    assert.deepStrictEqual(snoozed.sent, [[1000, "alert"]])
    const maintenance_until = at(5000)
    const given = (condition: Circumstances["condition"]) => (seconds: number) =>
      seconds < 5000 ? { maintenance_until, condition } : { condition }
    assert.deepStrictEqual(new Life(rules, given("unknown")).fails(0).fails(100).until(6000).sent, [[5000, "alert"]])
    assert.deepStrictEqual(new Life(rules, given("recovered")).fails(0).until(6000).sent, [])
  })

  it("says nothing while it is muted", () => {
    const life = new Life(rules, () => ({ is_muted: true, condition: "recovered" })).fails(0).until(100_000)
    assert.deepStrictEqual(life.sent, [])
    assert.strictEqual(life.state?.due_at, null)
  })

  it("of a trigger that reports no problem ends without a word", () => {
    const life = new Life({ ...rules, is_problem: false }).fails(0).fails(10).until(10_000)
    assert.deepStrictEqual(life.sent, [[30, "alert"]])
    assert.strictEqual(life.state?.status, "closed")
  })

  it("sends by the wall clock, also when clocks change; critical ones are exempt", () => {
    const night = { start: "22:00", end: "07:00", timezone: "Europe/Berlin", always_critical: true }
    const send_hours = { mode: "except", ...night } as const
    const decideAt = (date: string, critical = false): readonly [number, string | null] => {
      const begin = parse(date) ?? assert.fail()
      const now = { ...circumstances(0), now: begin }
      const hourRules = { ...ungrouped, send_hours, is_critical: critical }
      const { messages, state } = addOccurrences(openAlert(begin, begin, null), hourRules, now, {
        count: 1,
        last_at: begin
      })
      return [messages.length, state.due_at]
    }
    assert.deepStrictEqual(decideAt("2026-01-05T20:59:59Z"), [1, "2026-01-05T21:00:29.000000Z"])
    assert.strictEqual(decideAt("2026-01-05T21:00:00Z", true)[0], 1)
    const findSendTime = (date: string, hours: AlertRules["send_hours"] = send_hours) => {
      const begin = parse(date) ?? assert.fail()
      const now = { ...circumstances(0), now: begin }
      let { messages, state } = addOccurrences(
        openAlert(begin, begin, null),
        { ...ungrouped, send_hours: hours, notify_recovery: true },
        now,
        {
          count: 1,
          last_at: begin
        }
      )
      while (messages.length === 0 && state.due_at !== null) {
        const due = state.due_at
        ;({ messages, state } = decide(state, { ...ungrouped, send_hours: hours }, { ...now, now: due }))
        if (messages.length > 0) return due
      }
      return begin
    }
    assert.strictEqual(findSendTime("2026-01-05T21:00:00Z"), "2026-01-06T06:00:00.000000Z")
    assert.strictEqual(findSendTime("2026-03-28T23:00:00Z"), "2026-03-29T05:00:00.000000Z", "one hour less of sleep")
    assert.strictEqual(findSendTime("2026-10-24T23:00:00Z"), "2026-10-25T06:00:00.000000Z", "one hour more")
    const watch = (days?: ReadonlyArray<"mon" | "fri">) => ({ mode: "only", ...night, ...(days && { days }) } as const)
    assert.strictEqual(findSendTime("2026-01-05T21:00:00Z", watch()), "2026-01-05T21:00:00.000000Z", "the watch began")
    assert.strictEqual(findSendTime("2026-01-06T05:59:59Z", watch()), "2026-01-06T05:59:59.000000Z", "it lasts")
    assert.strictEqual(findSendTime("2026-01-06T06:00:00Z", watch()), "2026-01-06T21:00:00.000000Z", "the next night")
    assert.strictEqual(findSendTime("2026-03-29T05:00:00Z", watch()), "2026-03-29T20:00:00.000000Z", "in summer time")
    // 5 January 2026 is a Monday
    assert.strictEqual(
      findSendTime("2026-01-06T03:00:00Z", watch(["mon"])),
      "2026-01-06T03:00:00.000000Z",
      "Monday's night"
    )
    const friday = findSendTime("2026-01-06T22:00:00Z", watch(["mon", "fri"]))
    assert.strictEqual(friday, "2026-01-09T21:00:00.000000Z")
    // 72 hours without an occurrence: stale, and no message
    assert.strictEqual(findSendTime("2026-01-06T06:00:00Z", watch(["mon"])), "2026-01-06T06:00:00.000000Z", "a week")
  })

  it("sends one first message, and messages are at least the interval apart", () => {
    const event = fc.record({ gap: fc.integer({ min: 0, max: 20_000 }), count: fc.integer({ min: 1, max: 500 }) })
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 1, maxLength: 40 }),
        fc.constantFrom<Circumstances["condition"]>("unknown", "ongoing"),
        fc.boolean(),
        fc.integer({ min: 0, max: 2000 }),
        (events, condition, changes, cooldown_seconds) => {
          const life = new Life({ ...rules, cooldown_seconds, escalate_after_minutes: 10 }, (seconds) => ({
            condition,
            shared: changes ? String(seconds) : "a"
          }))
          let seconds = 0
          for (const { count, gap } of events) life.fails(seconds += gap, count)
          life.until(seconds + 100_000)
          const reports = life.sent.filter(([, kind]) => kind !== "escalation")
          assert.strictEqual(reports.filter(([, kind]) => kind === "alert").length, 1)
          assert.isAtMost(life.sent.length - reports.length, 1)
          reports.slice(1).forEach(([time], index) =>
            assert.isAtLeast(time - (reports[index]?.[0] ?? 0), Math.max(300, cooldown_seconds))
          )
          assert.strictEqual(life.state?.occurrences, events.reduce((sum, { count }) => sum + count, 0))
          assert.strictEqual(life.state?.unsent, 0, "every occurrence was reported")
        }
      ),
      { numRuns: 200 }
    )
  })
})
