/**
 * The ticks against a search that cannot be clever: every minute (every second, with six fields) of the days around the
 * changes of ten zones, with the local time that Intl gives, and the rule of docs/schedules.md applied to that list.
 *
 * SVC_ORACLE_DAYS (2 days before and after each change) tries more.
 */
import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { setImmediate } from "node:timers/promises"
import { fromEpochMicros, type Timestamp, toEpochSeconds } from "../../../../src/domain/kernel/Timestamp.ts"
import { type Cadence, compile } from "../../../../src/domain/schedules/Schedule/Cadence.ts"
import { runs, seed } from "../../../properties.ts"
import { type Expression, randomExpression, seeded, type WallTime } from "./expressions.ts"

const SCHEDULES = runs(400)
const DAYS = Number(process.env.SVC_ORACLE_DAYS ?? 2)

const DAY = 86_400
const THREE_HOURS = 3 * 3600

/** For each zone years with a change worth walking over; a year without any is walked over around 1 July. */
const zones: ReadonlyArray<readonly [name: string, years: ReadonlyArray<number>]> = [
  ["Europe/Berlin", [2025, 2026]],
  ["America/New_York", [2006, 2026]],
  ["Australia/Lord_Howe", [2026, 2027]],
  ["Pacific/Chatham", [2026, 2027]],
  ["Antarctica/Troll", [2025, 2026]],
  ["Africa/Cairo", [2010, 2014, 2026]],
  ["America/Santiago", [2022, 2026]],
  ["Pacific/Apia", [2010, 2011]],
  ["UTC", [2026]],
  ["Asia/Kathmandu", [2026]]
]

/** A minute of elapsed time with what the clock shows; `wall` counts the clock's seconds as if it showed UTC. */
interface Minute {
  readonly at: number
  readonly wall: number
}

type Window = ReadonlyArray<Minute>

const localReader = (zone: string) => {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit"
  })
  return (at: number): number => {
    const [, month, day, year, hour, minute, second] =
      /(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)/.exec(format.format(at * 1000))?.map(Number) ?? []
    return Date.UTC(year ?? NaN, (month ?? NaN) - 1, day, hour, minute, second) / 1000
  }
}

/** The hours of a year after which local time minus UTC is another. */
const findChanges = (read: (at: number) => number, year: number): ReadonlyArray<number> => {
  const changes: Array<number> = []
  const end = Date.UTC(year + 1, 0, 1) / 1000
  for (let at = Date.UTC(year, 0, 1) / 1000; at < end; at += 3600) {
    if (read(at + 3600) - read(at) !== 3600) changes.push(at)
  }
  return changes.length > 0 ? changes : [Date.UTC(year, 6, 1) / 1000]
}

const windowsOf = (zone: string, years: ReadonlyArray<number>): ReadonlyArray<Window> => {
  const read = localReader(zone)
  return years.flatMap((year) => findChanges(read, year)).map((change) =>
    Array.from({ length: DAYS * 2 * 1440 }, (_, index) => {
      const at = change - DAYS * DAY + index * 60
      return { at, wall: read(at) }
    })
  )
}

const wallTimes = new Map<number, WallTime>()
const wallTimeOf = (wall: number): WallTime => {
  const known = wallTimes.get(wall)
  if (known !== undefined) return known
  const date = new Date(wall * 1000)
  const wallTime = {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds()
  }
  wallTimes.set(wall, wallTime)
  return wallTime
}

/** The matching seconds of the minute that begins at `wall`. */
const secondsOf = ({ hasSeconds, matches }: Expression, wall: number): ReadonlyArray<number> => {
  const minute = wallTimeOf(wall)
  if (!hasSeconds) return matches(minute) ? [wall] : []
  const seconds: Array<number> = []
  for (let second = 0; second < 60; second++) if (matches({ ...minute, second })) seconds.push(wall + second)
  return seconds
}

const expectedTicks = (expression: Expression, window: Window): ReadonlyArray<number> => {
  const ticks = new Set<number>()
  const seen = new Set<number>() // wall minutes that were shown before
  window.forEach(({ at, wall }, index) => {
    const before = window[index - 1]
    const gap = before === undefined ? 0 : wall - before.wall - 60
    if (!expression.isElapsed && before !== undefined && gap > 0 && gap <= THREE_HOURS) {
      for (let missing = before.wall + 60; missing < wall; missing += 60) {
        if (secondsOf(expression, missing).length > 0) ticks.add(at)
      }
    }
    if (expression.isElapsed || !seen.has(wall)) {
      for (const second of secondsOf(expression, wall)) ticks.add(at + second - wall)
    }
    seen.add(wall)
  })
  return [...ticks].sort((a, b) => a - b)
}

const timestamp = (second: number): Timestamp => fromEpochMicros(second * 1_000_000)

/** The cadence's ticks of the window, forwards by `next` and backwards by `prev`. */
const walkedTicks = (cadence: Cadence, window: Window) => {
  const start = window[0]?.at ?? NaN
  const end = start + window.length * 60
  const forwards: Array<number> = []
  let at = cadence.next(timestamp(start - 1))
  for (; at !== null && toEpochSeconds(at) < end; at = cadence.next(at)) forwards.push(toEpochSeconds(at))
  const backwards: Array<number> = []
  let back = cadence.prev(timestamp(end))
  for (; back !== null && toEpochSeconds(back) >= start; back = cadence.prev(back)) backwards.push(toEpochSeconds(back))
  return { forwards, backwards: backwards.reverse() }
}

/** With six fields the window is ten hours, else it would have 345 600 seconds. */
const narrow = (window: Window): Window => window.slice(window.length / 2 - 300, window.length / 2 + 300)

const firstDifference = (expected: ReadonlyArray<number>, actual: ReadonlyArray<number>): string | null => {
  const index = Array.from({ length: Math.max(expected.length, actual.length) }, (_, at) => at)
    .find((at) => expected[at] !== actual[at])
  if (index === undefined) return null
  const describe = (second: number | undefined) => (second === undefined ? "nothing" : timestamp(second))
  return `expected ${describe(expected[index])}, got ${describe(actual[index])}`
}

describe("Cadence against every minute of the days around a change", () => {
  it.each(zones.map(([zone, years], index) => ({ zone, years, seed: seed * 1000 + index })))(
    "$zone",
    async ({ seed, years, zone }) => {
      const random = seeded(seed)
      const windows = windowsOf(zone, years)
      const differences: Array<string> = []
      let ticks = 0
      for (let count = 0; count < SCHEDULES / zones.length; count++) {
        await setImmediate() // a long run must not keep the worker from reporting
        const expression = randomExpression(random)
        const compiled = compile({ kind: "cron", expression: expression.text, timezone: zone })
        if (Either.isLeft(compiled)) {
          differences.push(`${expression.text}: ${compiled.left.detail}`)
          continue
        }
        for (const wide of windows) {
          const window = expression.hasSeconds ? narrow(wide) : wide
          const expected = expectedTicks(expression, window)
          const { backwards, forwards } = walkedTicks(compiled.right, window)
          ticks += expected.length
          for (const [name, actual] of [["next", forwards], ["prev", backwards]] as const) {
            const difference = firstDifference(expected, actual)
            if (difference !== null) differences.push(`${name} of ${expression.text}: ${difference}`)
          }
        }
      }
      assert.deepStrictEqual(differences.slice(0, 10), [])
      assert.isAbove(ticks, 0)
    }
  )
})
