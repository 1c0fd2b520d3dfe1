import { Schema } from "effect"
import type { TriggerEvent } from "../../triggers/Trigger.ts"

/** What the occurrences of an alert have in common, counted in bounded memory. */

/** Values of one field that are counted; occurrences with others are counted together. */
const maxValues = 10
const maxLength = 200

const Tally = Schema.Record({ key: Schema.String, value: Schema.Int })
type Tally = typeof Tally.Type

export const Tallies = Schema.Struct({ worker: Tally, queue: Tally, detail: Tally })
export type Tallies = typeof Tallies.Type

export const emptyTallies: Tallies = { worker: {}, queue: {}, detail: {} }

const others = "\u2026"

const add = (tally: Tally, value: string, times: number): Tally => {
  const known = Object.hasOwn(tally, value)
  const key = known || Object.keys(tally).length < maxValues ? value : others
  return { ...tally, [key]: (Object.hasOwn(tally, key) ? tally[key] ?? 0 : 0) + times }
}

const count = (values: ReadonlyArray<string | null>): Tally => {
  const counted = new Map<string, number>()
  for (const value of values) {
    if (value === null || value === "") continue
    const truncated = Array.from(value).slice(0, maxLength).join("")
    counted.set(truncated, (counted.get(truncated) ?? 0) + 1)
  }
  return [...counted].reduce<Tally>((tally, [value, times]) => add(tally, value, times), {})
}

/** The values of one event's occurrences. */
export const tallyEvent = ({ occurrences, queue }: Pick<TriggerEvent, "occurrences" | "queue">): Tallies => ({
  worker: count(occurrences.map(({ worker }) => worker)),
  queue: count(occurrences.map(() => queue)),
  detail: count(occurrences.map(({ detail }) => detail))
})

const merge = (a: Tally, b: Tally): Tally =>
  Object.entries(b).reduce((tally, [value, times]) => add(tally, value, times), a)

export const mergeTallies = (a: Tallies, b: Tallies): Tallies => ({
  worker: merge(a.worker, b.worker),
  queue: merge(a.queue, b.queue),
  detail: merge(a.detail, b.detail)
})

/** The value of at least four in five occurrences, or null. */
const findCommon = (tally: Tally, total: number): readonly [string, number] | null => {
  const [top] = Object.entries(tally).filter(([value]) => value !== others).sort(([, a], [, b]) => b - a)
  return top !== undefined && top[1] * 5 >= total * 4 ? top : null
}

/** Changes when people have to be notified: another common worker or queue, or another text. */
export const signatureOf = (tallies: Tallies, total: number): string =>
  JSON.stringify([
    findCommon(tallies.worker, total)?.[0] ?? null,
    findCommon(tallies.queue, total)?.[0] ?? null,
    Object.keys(tallies.detail).filter((value) => value !== others).sort()
  ])

const describe = (tally: Tally, total: number, one: string, many: string): string | null => {
  const common = findCommon(tally, total)
  const values = Object.keys(tally)
  if (common !== null) {
    const [value, times] = common
    return times >= total ? `${total > 1 ? "all " : ""}${one} ${value}` : `${times} of ${total} ${one} ${value}`
  }
  return values.length > 1 ? `on ${Object.hasOwn(tally, others) ? "more than 10" : values.length} ${many}` : null
}

/** What they share, as phrases such as `all on worker w1`. */
export const describeShared = (tallies: Tallies, total: number): ReadonlyArray<string> =>
  [
    describe(tallies.worker, total, "on worker", "workers"),
    describe(tallies.queue, total, "in queue", "queues")
  ].filter((phrase) => phrase !== null)

/** The exception texts, the most frequent first, with their counts. */
export const listDetails = (tallies: Tallies): ReadonlyArray<readonly [string, number]> =>
  Object.entries(tallies.detail).filter(([value]) => value !== others).sort(([, a], [, b]) => b - a)
