import { DateTime, Effect } from "effect"
import { CliError } from "../program/Explain.ts"

const seconds = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const

const hasUnit = (unit: string): unit is keyof typeof seconds => unit in seconds

const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

/**
 * The value of `--since` or `--until` as an RFC 3339 time: an age (`90s`, `30m`, `1h`, `7d`, `2w`), `today` or `yesterday`
 * (midnight on this machine's clock), `now`, or an RFC 3339 time, which is passed on as it is.
 */
export const parseInstant = (option: string, text: string): Effect.Effect<string, CliError> =>
  Effect.gen(function*() {
    if (rfc3339.test(text)) return text
    const now = yield* DateTime.now
    const [, count, unit = ""] = /^(\d{1,6})([a-z])$/.exec(text) ?? []
    if (count !== undefined && hasUnit(unit)) {
      return DateTime.formatIso(DateTime.subtract(now, { seconds: Number(count) * seconds[unit] }))
    }
    if (text === "now") return DateTime.formatIso(now)
    const midnight = DateTime.startOf(DateTime.setZone(now, DateTime.zoneMakeLocal()), "day")
    if (text === "today") return DateTime.formatIso(midnight)
    if (text === "yesterday") return DateTime.formatIso(DateTime.subtract(midnight, { days: 1 }))
    return yield* new CliError({
      usage: true,
      message:
        `${option} takes a time such as 2026-11-21T08:00:00Z, an age such as 30m, 1h or 7d, today or yesterday; not '${text}'`
    })
  })
