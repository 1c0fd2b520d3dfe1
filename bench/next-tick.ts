/**
 * How long the next tick of a compiled expression takes, in microseconds, and how long `compile` takes: over eight
 * expressions in four zones, walked from tick to tick (`next`) and from times all over ten years (`next_anywhere`).
 * Beside it cron-parser's own `next`, and the limit: the Date arithmetic and ISO text that any answer needs
 * (`date_limit`). `first_in_year` is the first question about a zone and year, which reads its offsets from Intl.
 * Prints one line of JSON, medians of the rounds. Run: npm run bench bench/next-tick.ts
 */
import { CronExpressionParser } from "cron-parser"
import { Either } from "effect"
import { fromEpochMicros, type Timestamp } from "../src/domain/kernel/Timestamp.ts"
import { type Cadence, compile } from "../src/domain/schedules/Schedule/Cadence.ts"
import { median } from "./percentile.ts"
import { numbersOf } from "./run.ts"

const { rounds, steps } = numbersOf("next-tick", { steps: 2000, rounds: 15 })

const expressions = [
  "*/5 * * * *",
  "0 * * * *",
  "30 2 * * *",
  "0 9-17 * * MON-FRI",
  "0 0 1 * *",
  "0 12 * * 5L",
  "15,45 3 13 * FRI",
  "0 0 29 2 *"
]
const zones = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]
const start = Date.parse("2026-01-01T00:00:00Z")
const YEAR_MILLIS = 31_557_600_000

const definitions = zones.flatMap((timezone) => expressions.map((expression) => ({ expression, timezone })))
const compileOne = ({ expression, timezone }: { readonly expression: string; readonly timezone: string }): Cadence =>
  Either.getOrThrow(compile({ kind: "cron", expression, timezone }))
const cadences = definitions.map(compileOne)

/** Spread over ten years without an order, the same in each run. */
const moments = Array.from({ length: steps }, (_, at) => {
  const share = (at * 0.618_033_988_75) % 1
  return fromEpochMicros(Math.floor(start + share * 10 * YEAR_MILLIS) * 1000)
})

const walk = (cadence: Cadence): void => {
  let tick: Timestamp | null = fromEpochMicros(start * 1000)
  for (let step = 0; step < steps; step++) tick = cadence.next(tick) ?? fromEpochMicros(start * 1000)
}

const jump = (cadence: Cadence): void => {
  for (const moment of moments) cadence.next(moment)
}

const walkParser = ({ expression, timezone }: { readonly expression: string; readonly timezone: string }): void => {
  const options = { tz: timezone, currentDate: new Date(start) }
  let parsed = CronExpressionParser.parse(expression, options)
  for (let step = 0; step < steps / 50; step++) {
    parsed.next()
    if (step % 40 === 39) parsed = CronExpressionParser.parse(expression, options) // before the years of 29 February end
  }
}

const countDates = (): void => {
  let date = new Date(start)
  for (let step = 0; step < steps; step++) {
    date = new Date(date.getTime() + 300_000)
    date.toISOString()
  }
}

/** The median of the rounds in microseconds a call, where a round is `calls` calls. */
const micros = (calls: number, round: () => void): number => {
  const times = Array.from({ length: rounds }, () => {
    const begin = process.hrtime.bigint()
    round()
    return Number(process.hrtime.bigint() - begin) / 1000 / calls
  })
  return Number(median(times).toFixed(2))
}

/** Each year once, in a zone that nothing else asks for. */
const firstInYear = (): number => {
  const cadence = compileOne({ expression: "0 0 2 1 *", timezone: "Europe/Paris" })
  const times = Array.from({ length: 100 }, (_, at) => {
    const after = fromEpochMicros(Date.UTC(2026 + at, 0, 1, 12) * 1000)
    const begin = process.hrtime.bigint()
    cadence.next(after)
    return Number(process.hrtime.bigint() - begin) / 1000
  })
  return Number(median(times).toFixed(0))
}

console.log(JSON.stringify({
  bench: "next-tick",
  cadences: cadences.length,
  next_us: micros(cadences.length * steps, () => cadences.forEach(walk)),
  next_anywhere_us: micros(cadences.length * steps, () => cadences.forEach(jump)),
  slowest_us: Math.max(...cadences.map((cadence) => micros(steps, () => walk(cadence)))),
  compile_us: micros(definitions.length, () => definitions.forEach(compileOne)),
  first_in_year_us: firstInYear(),
  cron_parser_us: micros(definitions.length * steps / 50, () => definitions.forEach(walkParser)),
  date_limit_us: micros(steps, countDates)
}))
