import { Effect } from "effect"
import type { AlertRules, AlertState } from "../../../domain/alerting/Notification/AlertDecision.ts"
import { titleOf } from "../../../domain/alerting/Notification/Message.ts"
import { emptyTallies, mergeTallies, type Tallies, tallyEvent } from "../../../domain/alerting/Notification/Shared.ts"
import type { AlertId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import type { TriggerEvent } from "../../../domain/triggers/Trigger.ts"
import type { AlertKey, AlertRow } from "../AlertsRepo.ts"

interface NewAlert {
  readonly id: AlertId
  readonly key: AlertKey
  readonly now: Timestamp
  readonly is_single: boolean
}

/** For alerts whose subscription wants nothing any more. */
const silentRules: AlertRules = {
  grouping: null,
  cooldown_seconds: 0,
  notify_recovery: false,
  quiet_hours: null,
  escalate_after_minutes: null,
  is_critical: false,
  is_problem: true,
  stale_after_seconds: 0
}

const stateOf = ({ details, ...row }: AlertRow): AlertState => ({
  status: row.status,
  occurrences: row.occurrences,
  unsent: row.unsent,
  opened_at: details.opened_at,
  last_at: row.last_at,
  due_at: row.due_at,
  messages: row.messages,
  first_sent_at: details.first_sent_at,
  last_sent_at: row.last_sent_at,
  told_occurrences: details.told_occurrences,
  told_shared: details.told_shared,
  not_before: details.not_before,
  acknowledged_at: row.acknowledged_at,
  snoozed_until: row.snoozed_until,
  escalated_at: row.escalated_at,
  recovered_at: row.recovered_at
})

const withState = (row: AlertRow, state: AlertState, now: Timestamp): AlertRow => ({
  ...row,
  status: state.status,
  occurrences: state.occurrences,
  unsent: state.unsent,
  last_at: state.last_at,
  due_at: state.due_at,
  messages: state.messages,
  last_sent_at: state.last_sent_at,
  snoozed_until: state.snoozed_until,
  escalated_at: state.escalated_at,
  recovered_at: state.recovered_at,
  updated_at: now,
  details: {
    ...row.details,
    opened_at: state.opened_at,
    first_sent_at: state.first_sent_at,
    told_occurrences: state.told_occurrences,
    told_shared: state.told_shared,
    not_before: state.not_before
  }
})

const newRow = (event: TriggerEvent, { id, is_single, key, now }: NewAlert): AlertRow => ({
  id,
  project_id: event.project_id,
  ...key,
  trigger_key: event.trigger,
  status: "open",
  title: titleOf(event.trigger, event),
  occurrences: 0,
  unsent: 0,
  details: {
    subject: event.subject,
    engine: event.engine,
    task_name: event.task_name,
    queue: event.queue,
    fingerprint: event.fingerprint,
    task_id: null,
    worker: null,
    detail: null,
    tallies: emptyTallies,
    is_single,
    opened_at: now,
    first_sent_at: null,
    told_occurrences: 0,
    told_shared: "",
    not_before: null,
    ended_at: null
  },
  first_at: event.occurrences[0].occurred_at,
  last_at: event.occurrences[0].occurred_at,
  due_at: null,
  messages: 0,
  last_sent_at: null,
  acknowledged_at: null,
  acknowledged_by: null,
  snoozed_until: null,
  escalated_at: null,
  recovered_at: null,
  created_at: now,
  updated_at: now
})

/** What the rows of all subscriptions take of one event. */
interface Summary {
  readonly tallies: Tallies
  readonly first_at: Timestamp
  readonly newest: TriggerEvent["occurrences"][number]
}

const summaries = new WeakMap<TriggerEvent, Summary>()

/** Computed once: a thousand subscriptions count the same event. */
const summarize = (event: TriggerEvent): Summary => {
  const known = summaries.get(event)
  if (known !== undefined) return known
  const { occurrences } = event
  const summary = {
    tallies: tallyEvent(event),
    first_at: occurrences.reduce((a, b) => (b.occurred_at < a.occurred_at ? b : a)).occurred_at,
    newest: occurrences.reduce((a, b) => (b.occurred_at >= a.occurred_at ? b : a))
  }
  summaries.set(event, summary)
  return summary
}

const countOne = (row: AlertRow, event: TriggerEvent, now: Timestamp): AlertRow => {
  const { first_at, newest, tallies } = summarize(event)
  return {
    ...row,
    first_at: first_at < row.first_at ? first_at : row.first_at,
    details: {
      ...row.details,
      tallies: mergeTallies(row.details.tallies, tallies),
      counted_at: now,
      ended_at: null,
      ...(newest.occurred_at >= row.last_at && {
        queue: event.queue,
        task_id: newest.task_id,
        worker: newest.worker,
        detail: newest.detail
      })
    }
  }
}

/** Adds events to an alert's row, except for what `AlertDecision` counts. */
const countEvents = (known: AlertRow | null, events: ReadonlyArray<TriggerEvent>, created: NewAlert) => {
  const [first] = events
  const start = known ?? (first === undefined ? null : newRow(first, created))
  if (start === null) throw new RangeError("an alert begins with an event")
  const row = events.reduce((counted, event) => countOne(counted, event, created.now), start)
  const added = events.reduce((sum, { occurrences }) => sum + occurrences.length, 0)
  const last_at = events.reduce((max, event) => {
    const { occurred_at } = summarize(event).newest
    return occurred_at > max ? occurred_at : max
  }, row.first_at)
  return { row, details: row.details, added, occurrences: row.occurrences + added, last_at }
}

/** How alerts are stored: the state that `domain/alerting/Notification/AlertDecision.ts` decides on, as columns. */
export class AlertStates extends Effect.Service<AlertStates>()("svc/AlertStates", {
  succeed: { stateOf, withState, countEvents, silentRules }
}) {
  static readonly layer = this.Default
}
