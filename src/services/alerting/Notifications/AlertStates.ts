import { Struct } from "effect"
import {
  addOccurrences,
  type AlertRules,
  type AlertState,
  type Circumstances,
  decide,
  type MessageKind,
  openAlert
} from "../../../domain/alerting/Notification/AlertDecision.ts"
import { titleOf } from "../../../domain/alerting/Notification/Message.ts"
import {
  emptyTallies,
  mergeTallies,
  signatureOf,
  type Tallies,
  tallyEvent
} from "../../../domain/alerting/Notification/Shared.ts"
import type { AlertId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import type { TriggerEvent } from "../../../domain/triggers/Trigger.ts"
import type { AlertKey, AlertRow } from "../AlertsRepo.ts"

interface NewAlert {
  readonly id: AlertId
  readonly key: AlertKey
  readonly now: Timestamp
  readonly is_single: boolean
  /** The end of the cooldown that an alert of the condition which has ended left. */
  readonly not_before: Timestamp | null
}

/** For alerts whose subscription no longer matches. */
export const silentRules: AlertRules = {
  grouping: null,
  cooldown_seconds: 0,
  notify_recovery: false,
  send_hours: null,
  escalate_after_minutes: null,
  is_critical: false,
  is_problem: true,
  stale_after_seconds: 0
}

/** An alert's state is in columns of its row, and in its details. */
const columnsOf = Struct.pick(
  "status",
  "occurrences",
  "unsent",
  "last_at",
  "due_at",
  "messages",
  "last_sent_at",
  "acknowledged_at",
  "snoozed_until",
  "escalated_at",
  "recovered_at"
)
const detailsOf = Struct.pick("opened_at", "first_sent_at", "told_occurrences", "told_shared", "not_before")

const stateOf = (row: AlertRow): AlertState => ({ ...columnsOf(row), ...detailsOf(row.details) })

const withState = (row: AlertRow, state: AlertState, now: Timestamp): AlertRow => ({
  ...row,
  ...columnsOf(state),
  updated_at: now,
  details: { ...row.details, ...detailsOf(state) }
})

const newRow = (event: TriggerEvent, { id, is_single, key, not_before, now }: NewAlert): AlertRow => {
  const [{ occurred_at }] = event.occurrences
  const state = openAlert(now, occurred_at, not_before)
  return {
    id,
    project_id: event.project_id,
    ...key,
    trigger_key: event.trigger,
    title: titleOf(event.trigger, event),
    ...columnsOf(state),
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
      ...detailsOf(state),
      ended_at: null
    },
    first_at: occurred_at,
    acknowledged_by: null,
    created_at: now,
    updated_at: now
  }
}

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
  return { row, added, occurrences: row.occurrences + added, last_at }
}

/** An alert after a decision, with what its messages say. */
export interface Decided {
  readonly row: AlertRow
  readonly messages: ReadonlyArray<{ readonly kind: MessageKind; readonly alert: AlertRow }>
}

const toDecided = (
  row: AlertRow,
  { messages, state }: ReturnType<typeof decide>,
  now: Timestamp
): Decided => {
  const alert = withState(row, state, now)
  return { row: alert, messages: messages.map((kind) => ({ kind, alert })) }
}

type RowCircumstances = Omit<Circumstances, "shared">

/** Decides an alert at this moment. */
export const decideRow = (row: AlertRow, rules: AlertRules, circumstances: RowCircumstances): Decided => {
  const shared = signatureOf(row.details.tallies, row.occurrences)
  return toDecided(row, decide(stateOf(row), rules, { ...circumstances, shared }), circumstances.now)
}

/** Events of one condition for one subscription. */
interface NewEvents {
  readonly events: ReadonlyArray<TriggerEvent>
  readonly rules: AlertRules
  readonly maintenance_until: Timestamp | null
  /** The alert that begins where none is open. */
  readonly created: NewAlert
}

/** Applies events to the open alert of their condition, or to a new one. Null: there is no alert to recover. */
export const applyEvents = (
  current: AlertRow | null,
  { created, events, maintenance_until, rules }: NewEvents
): Decided | null => {
  const circumstances = { now: created.now, is_muted: false, maintenance_until }
  const occurrences = events.filter(({ recovered }) => recovered !== true)
  let decided: Decided | null = current === null ? null : { row: current, messages: [] }
  if (occurrences.length > 0) {
    const counted = countEvents(current, occurrences, created)
    const decision = addOccurrences(
      stateOf(counted.row),
      rules,
      { ...circumstances, condition: "ongoing", shared: signatureOf(counted.row.details.tallies, counted.occurrences) },
      { count: counted.added, last_at: counted.last_at }
    )
    decided = toDecided(counted.row, decision, created.now)
  }
  const ended_at = events.findLast(({ recovered }) => recovered === true)?.occurrences[0].occurred_at
  if (decided === null || ended_at === undefined || ended_at < decided.row.last_at) return decided
  const known = { ...decided.row, details: { ...decided.row.details, ended_at } }
  const { messages, row } = decideRow(known, rules, { ...circumstances, condition: "recovered" })
  return { row, messages: [...decided.messages, ...messages] }
}
