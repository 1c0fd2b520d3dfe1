import { Either } from "effect"
import { parse, type Timestamp } from "../../../../src/domain/kernel/Timestamp.ts"
import { type Cadence, compile, type Definition } from "../../../../src/domain/schedules/Schedule/Cadence.ts"

/** Throws for an invalid definition. */
export const cadenceOf = (
  expression: string,
  timezone = "UTC",
  options: Partial<Pick<Definition, "kind" | "anchor">> = {}
): Cadence => Either.getOrThrow(compile({ kind: "cron", expression, timezone, ...options }))

/** The message that refuses a definition, or null for a valid one. */
export const refusalOf = (expression: string, kind = "cron", timezone = "UTC"): string | null =>
  Either.match(compile({ kind, expression, timezone }), { onLeft: ({ detail }) => detail, onRight: () => null })

/** From RFC 3339; throws for anything else. */
export const time = (text: string): Timestamp => {
  const timestamp = parse(text)
  if (timestamp === undefined) throw new Error(`not a timestamp: ${text}`)
  return timestamp
}

/** The next `count` ticks in local time, with ` gap` or ` overlap` behind those that a change of the offset touches. */
export const localTicks = (cadence: Cadence, after: string, count: number): ReadonlyArray<string> => {
  const ticks: Array<string> = []
  for (let tick = cadence.next(time(after)); tick !== null && ticks.length < count; tick = cadence.next(tick)) {
    const { dst, local } = cadence.describeTick(tick)
    ticks.push(dst === null ? local : `${local} ${dst}`)
  }
  return ticks
}
