/** How many workers would start a queue's tasks within its target. */
import { Schema } from "effect"
import { describeBody, describeField } from "../../kernel/Describe.ts"

/** The share of tasks that may start later than the target. */
const lateShare = 0.05
/** With fewer tasks in the hour, their rate and run time say too little. */
const minTasks = 20
/** More slots are no advice. */
const maxSlots = 10_000

export const QueueSizing = Schema.Struct({
  received_per_minute: describeField(Schema.Number, "Tasks that arrived per minute, over the last hour.", 4),
  mean_runtime_ms: describeField(Schema.Int, "Their mean run time, of those that ended in the last hour.", 1500),
  busy_slots: describeField(
    Schema.Number,
    "Slots that the tasks keep busy on average: arrivals times run time (Little's law).",
    0.1
  ),
  slots: describeField(
    Schema.Int,
    "The fewest slots with which 95 % of the tasks start within the target (Erlang C).",
    1
  ),
  slots_now: describeField(
    Schema.NullOr(Schema.Int),
    "Slots of the online workers that consume the queue; null: one of them reports none, or there is none.",
    4
  ),
  workers: describeField(
    Schema.NullOr(Schema.Int),
    "`slots` as workers of the present mean size; null with `slots_now`.",
    1
  ),
  workers_now: describeField(Schema.Int, "The online workers that consume the queue.", 1)
}).annotations(describeBody(
  "QueueSizing",
  "How many workers would hold the queue's target, if tasks arrive independently of each other and as often as in the " +
    "last hour, take as long, and the workers serve this queue alone."
))
export type QueueSizing = typeof QueueSizing.Type

export interface SizingFacts {
  readonly targetSeconds: number
  /** Of the last hour. */
  readonly received: number
  /** Tasks of the last hour whose run time is known, and its sum. */
  readonly timed: number
  readonly runtimeMillis: number
  /** The concurrency of each online worker that consumes the queue; null: unknown. */
  readonly concurrencies: ReadonlyArray<number | null>
}

/**
 * The slots that hold a target, in a queue with independent arrivals, exponential run times and equal slots (M/M/c); null
 * without 20 tasks of the last hour.
 *
 * - Little's law, L = λW (J. D. C. Little, A Proof for the Queuing Formula L = λW, Operations Research 9, 1961), gives the
 *   busy slots `a`: arrivals per second times the mean run time.
 * - Erlang C gives the share that waits longer than the target `t` with `c` slots: C(c, a) · exp(-(c - a) t / W)
 *   (L. Kleinrock, Queueing Systems 1, 1975, section 3.5). `slots` is the least `c` for which it is at most 5 %.
 */
export const sizeQueue = (
  { concurrencies, received, runtimeMillis, targetSeconds, timed }: SizingFacts
): QueueSizing | null => {
  if (received < minTasks || timed < minTasks) return null
  const meanSeconds = runtimeMillis / timed / 1000
  const load = (received / 3600) * meanSeconds
  const slots = findSlots(load, meanSeconds, targetSeconds)
  if (slots === null) return null
  const known = concurrencies.flatMap((size) => size === null || size === 0 ? [] : [size])
  const slotsNow = known.length === 0 || known.length < concurrencies.length
    ? null
    : known.reduce((sum, size) => sum + size, 0)
  return {
    received_per_minute: round(received / 60),
    mean_runtime_ms: Math.round(meanSeconds * 1000),
    busy_slots: round(load),
    slots,
    slots_now: slotsNow,
    workers: slotsNow === null ? null : Math.ceil(slots / (slotsNow / known.length)),
    workers_now: concurrencies.length
  }
}

const findSlots = (load: number, meanSeconds: number, targetSeconds: number): number | null => {
  let blocked = 1 // Erlang B with no slot; B(c) = aB(c - 1) / (c + aB(c - 1)) is stable for any load
  for (let slots = 1; slots <= maxSlots; slots++) {
    blocked = (load * blocked) / (slots + load * blocked)
    if (slots <= load) continue // the backlog would grow for ever
    const waiting = blocked / (1 - (load / slots) * (1 - blocked))
    const late = meanSeconds === 0 ? 0 : waiting * Math.exp((-(slots - load) * targetSeconds) / meanSeconds)
    if (late <= lateShare) return slots
  }
  return null
}

const round = (value: number): number => Math.round(value * 100) / 100
