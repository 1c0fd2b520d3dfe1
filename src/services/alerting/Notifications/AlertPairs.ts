import { Array as Arr } from "effect"
import { createHash } from "node:crypto"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import type { TriggerEvent } from "../../../domain/triggers/Trigger.ts"
import type { AlertKey } from "../AlertsRepo.ts"
import type { Matched } from "./SubscriptionMatcher.ts"

/** Pairs of a subscription and a condition that one transaction writes, about 50 µs each. */
const maxPairs = 2000

/** The same for all messages of one condition, and different for any two conditions. */
const conditionKeyOf = (event: TriggerEvent, taskId: string | null): string =>
  createHash("sha256").update(JSON.stringify(
    taskId === null
      ? [event.project_id, event.trigger, "condition", event.condition]
      : [event.project_id, event.trigger, "task", event.engine, taskId]
  )).digest("hex")

/** The events of a condition side by side, in the order in which they came, each with its condition's key. */
const sortByCondition = (events: ReadonlyArray<TriggerEvent>): ReadonlyArray<readonly [string, TriggerEvent]> =>
  Object.entries(Arr.groupBy(events, (event) => conditionKeyOf(event, null)))
    .flatMap(([key, ofCondition]) => ofCondition.map((event) => [key, event] as const))

/** A worker's clock may be ahead. Nothing happened later than the moment at which it is counted. */
export const withoutFuture = (event: TriggerEvent, now: Timestamp): TriggerEvent =>
  event.occurrences.every(({ occurred_at }) => occurred_at <= now) ? event : {
    ...event,
    occurrences: Arr.map(event.occurrences, (occurrence) => ({
      ...occurrence,
      occurred_at: occurrence.occurred_at < now ? occurrence.occurred_at : now
    }))
  }

/** What one condition of one subscription gets of a batch of events. */
export interface Pair {
  readonly key: AlertKey
  readonly subscription: Matched
  readonly events: Array<TriggerEvent>
  readonly is_single: boolean
}

/**
 * The pairs that the events concern, and the events for which there is no room in this transaction. `listWanting` finds
 * the subscriptions that want an event.
 */
export const pairEvents = (
  events: ReadonlyArray<TriggerEvent>,
  listWanting: (event: TriggerEvent) => ReadonlyArray<Matched>
) => {
  const pairs = new Map<string, Pair>()
  const rest: Array<TriggerEvent> = []
  const add = (subscription: Matched, event: TriggerEvent, condition_key: string, is_single: boolean) => {
    const id = `${subscription.id} ${condition_key}`
    const pair = pairs.get(id)
    if (pair !== undefined) pair.events.push(event)
    else {
      const key = { subscription_id: subscription.id, condition_key }
      pairs.set(id, { key, subscription, events: [event], is_single })
    }
  }
  // events of a condition that has its pairs already add none
  let grouped: string | null = null
  for (const [condition_key, event] of sortByCondition(events)) {
    if (pairs.size >= maxPairs && condition_key !== grouped) {
      rest.push(event)
      continue
    }
    const subscriptions = listWanting(event)
    const single = subscriptions.filter(({ rules }) => rules.grouping === null).length
    // an occurrence is a pair of its own for each subscription without grouping
    const taken = single === 0 ? event.occurrences.length : Math.max(1, Math.floor(maxPairs / single))
    const [first, ...others] = event.occurrences
    const now: TriggerEvent = { ...event, occurrences: [first, ...others.slice(0, taken - 1)] }
    const [next, ...later] = others.slice(taken - 1)
    if (next !== undefined) rest.push({ ...event, occurrences: [next, ...later] })
    const singles = single === 0 ? [] : now.occurrences.map((occurrence) =>
      [
        conditionKeyOf(event, occurrence.task_id),
        { ...event, occurrences: [occurrence] } satisfies TriggerEvent
      ] as const
    )
    for (const subscription of subscriptions) {
      if (subscription.rules.grouping !== null) add(subscription, now, condition_key, false)
      else for (const [key, one] of singles) add(subscription, one, key, one.occurrences[0].task_id !== null)
    }
    grouped = single === 0 ? condition_key : null
  }
  return { pairs: [...pairs.values()], rest }
}
