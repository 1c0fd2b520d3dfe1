import { addSeconds, secondsBetween, type Timestamp } from "../../kernel/Timestamp.ts"
import type { Grouping, SendHours } from "./Hygiene.ts"
import { findSendTime } from "./SendHours.ts"

/**
 * What an alert does next, as a pure function of its state and the time. `services/alerting/Notifications/AlertEngine.ts` applies it
 * in the transaction that stores the new state, so that a restart or a second replica repeats no message.
 */

/**
 * `recovered`: evidence shows that the problem ended. `stale`: no occurrence for long, and its state is unknown.
 * `closed`: of a trigger that reports no problem, when no further event came.
 */
export type AlertStatus = "open" | "recovered" | "stale" | "closed"

export interface AlertState {
  readonly status: AlertStatus
  readonly occurrences: number
  /** Occurrences since the last message. */
  readonly unsent: number
  readonly opened_at: Timestamp
  readonly last_at: Timestamp
  /** When to decide again. */
  readonly due_at: Timestamp | null
  readonly messages: number
  readonly first_sent_at: Timestamp | null
  readonly last_sent_at: Timestamp | null
  /** What the last message reported. */
  readonly told_occurrences: number
  readonly told_shared: string
  /** No message before this: the cooldown after a message of an earlier alert of the same condition. */
  readonly not_before: Timestamp | null
  readonly acknowledged_at: Timestamp | null
  readonly snoozed_until: Timestamp | null
  readonly escalated_at: Timestamp | null
  /** When it ended, whatever its status. */
  readonly recovered_at: Timestamp | null
}

/** What the subscription and the trigger ask for. */
export interface AlertRules {
  readonly grouping: Grouping | null
  readonly cooldown_seconds: number
  readonly notify_recovery: boolean
  readonly send_hours: SendHours | null
  readonly escalate_after_minutes: number | null
  readonly is_critical: boolean
  /** False for triggers that report no problem, such as task.succeeded: nothing to recover from. */
  readonly is_problem: boolean
  readonly stale_after_seconds: number
}

export interface Circumstances {
  readonly now: Timestamp
  readonly is_muted: boolean
  readonly maintenance_until: Timestamp | null
  /** The real state of what the alert is about. */
  readonly condition: "recovered" | "ongoing" | "unknown"
  /** What its occurrences share, as one text (`Shared.ts`). */
  readonly shared: string
}

export type MessageKind = "alert" | "update" | "recovered" | "escalation"

export interface Decision {
  readonly state: AlertState
  readonly messages: ReadonlyArray<MessageKind>
}

export interface Arrival {
  readonly count: number
  readonly last_at: Timestamp
}

const latest = (...times: ReadonlyArray<Timestamp | null>): Timestamp | null =>
  times.reduce((max, time) => (time !== null && (max === null || time > max) ? time : max), null)

const earliest = (...times: ReadonlyArray<Timestamp | null>): Timestamp | null =>
  times.reduce((min, time) => (time !== null && (min === null || time < min) ? time : min), null)

const after = (time: Timestamp | null, seconds: number): Timestamp | null =>
  time === null ? null : addSeconds(time, seconds)

const close = (state: AlertState, status: AlertStatus, now: Timestamp): AlertState => ({
  ...state,
  status,
  due_at: null,
  recovered_at: now
})

export const openAlert = (now: Timestamp, last_at: Timestamp, not_before: Timestamp | null): AlertState => ({
  status: "open",
  occurrences: 0,
  unsent: 0,
  opened_at: now,
  last_at,
  due_at: null,
  messages: 0,
  first_sent_at: null,
  last_sent_at: null,
  told_occurrences: 0,
  told_shared: "",
  not_before,
  acknowledged_at: null,
  snoozed_until: null,
  escalated_at: null,
  recovered_at: null
})

/** Until when maintenance and the hours of sending defer messages. */
const findDeferralEnd = (rules: AlertRules, { maintenance_until, now }: Circumstances): Timestamp | null => {
  const isExempt = rules.send_hours === null || (rules.is_critical && rules.send_hours.always_critical)
  const waitsUntil = isExempt || rules.send_hours === null ? null : findSendTime(rules.send_hours, now)
  return latest(maintenance_until, waitsUntil)
}

/** Whether something changed that no message reported: what the occurrences share, or their number tenfold. */
const hasNews = ({ occurrences, told_occurrences, told_shared, unsent }: AlertState, shared: string): boolean =>
  unsent > 0 && (shared !== told_shared || occurrences >= told_occurrences * 10)

/** When the next message about the problem may be sent; null: there is nothing to report. */
const findMessageTime = (state: AlertState, rules: AlertRules, { condition, shared }: Circumstances) => {
  const { acknowledged_at, last_sent_at, messages, not_before, opened_at, unsent } = state
  if (acknowledged_at !== null) return null
  const { cooldown_seconds, grouping } = rules
  if (messages === 0) return latest(after(opened_at, grouping?.wait_seconds ?? 0), not_before)
  if (unsent === 0 && (condition !== "ongoing" || grouping === null)) return null
  const gap = grouping === null
    ? 0
    : hasNews(state, shared)
    ? grouping.interval_seconds
    : grouping.repeat_seconds
  return after(last_sent_at, Math.max(gap, cooldown_seconds))
}

const findEscalationTime = ({ acknowledged_at, escalated_at, first_sent_at }: AlertState, rules: AlertRules) =>
  rules.escalate_after_minutes === null || acknowledged_at !== null || escalated_at !== null
    ? null
    : after(first_sent_at, rules.escalate_after_minutes * 60)

/** When an alert without further occurrences ends. */
const findEndTime = ({ last_at, opened_at, unsent }: AlertState, rules: AlertRules, { condition }: Circumstances) => {
  const since = latest(last_at, opened_at)
  if (rules.is_problem) return condition === "ongoing" ? null : after(since, rules.stale_after_seconds)
  return unsent > 0 ? null : after(since, Math.max(rules.grouping?.interval_seconds ?? 0, 60))
}

/** The older an alert, the less often its recovery is checked: every 30 seconds to 5 minutes. */
const findCheckTime = ({ last_at }: AlertState, { is_problem }: AlertRules, now: Timestamp) => {
  const ageSeconds = secondsBetween(last_at, now)
  return is_problem ? addSeconds(now, Math.min(Math.max(ageSeconds / 4, 30), 300)) : null
}

const markSent = (state: AlertState, { now, shared }: Circumstances, count: number): AlertState => ({
  ...state,
  messages: state.messages + count,
  first_sent_at: state.first_sent_at ?? now,
  last_sent_at: now,
  unsent: 0,
  told_occurrences: state.occurrences,
  told_shared: shared
})

const schedule = (
  state: AlertState,
  rules: AlertRules,
  circumstances: Circumstances,
  blockedUntil: Timestamp | null
): AlertState => {
  const isBlocked = blockedUntil !== null && blockedUntil > circumstances.now
  const whenFree = (time: Timestamp | null) => (time === null || !isBlocked ? time : latest(time, blockedUntil))
  const due = earliest(
    whenFree(findMessageTime(state, rules, circumstances)),
    whenFree(findEscalationTime(state, rules)),
    findEndTime(state, rules, circumstances),
    findCheckTime(state, rules, circumstances.now)
  )
  // a later time than now, so that no decision repeats itself
  return { ...state, due_at: due === null ? null : latest(due, addSeconds(circumstances.now, 1)) }
}

/** Decides when an alert is due. */
export const decide = (state: AlertState, rules: AlertRules, circumstances: Circumstances): Decision => {
  const { condition, now } = circumstances
  if (state.status !== "open") return { state: { ...state, due_at: null }, messages: [] }
  if (circumstances.is_muted) return { state: close(state, "stale", now), messages: [] }
  const deferredUntil = findDeferralEnd(rules, circumstances)

  if (condition === "recovered" && rules.is_problem) {
    const isReported = state.messages > 0 && rules.notify_recovery
    if (isReported && deferredUntil !== null) return { state: { ...state, due_at: deferredUntil }, messages: [] }
    return { state: close(state, "recovered", now), messages: isReported ? ["recovered"] : [] }
  }
  const end = findEndTime(state, rules, circumstances)
  if (end !== null && end <= now) {
    return { state: close(state, rules.is_problem ? "stale" : "closed", now), messages: [] }
  }

  const blockedUntil = latest(deferredUntil, state.snoozed_until)
  const isFree = (time: Timestamp | null) =>
    time !== null && time <= now && (blockedUntil === null || blockedUntil <= now)
  const messages: Array<MessageKind> = []
  let next = state
  if (isFree(findMessageTime(state, rules, circumstances))) {
    messages.push(state.messages === 0 ? "alert" : "update")
    next = markSent(next, circumstances, 1)
  }
  if (isFree(findEscalationTime(state, rules))) {
    messages.push("escalation")
    next = { ...next, escalated_at: now }
  }
  return { state: schedule(next, rules, circumstances, blockedUntil), messages }
}

/**
 * Adds occurrences to an open alert. Without grouping each occurrence is a message at once, unless
 * messages are deferred or the cooldown lasts; the next message then reports how many there were.
 */
export const addOccurrences = (
  before: AlertState,
  rules: AlertRules,
  circumstances: Circumstances,
  arrival: Arrival
): Decision => {
  const state: AlertState = {
    ...before,
    occurrences: before.occurrences + arrival.count,
    unsent: before.unsent + arrival.count,
    last_at: arrival.last_at > before.last_at ? arrival.last_at : before.last_at
  }
  const decision = decide(state, rules, { ...circumstances, condition: "ongoing" })
  const [first] = decision.messages
  const isPerOccurrence = rules.grouping === null && rules.cooldown_seconds === 0 && first !== undefined
  if (!isPerOccurrence || arrival.count === 1) return decision
  const further = arrival.count - 1
  const messages = [...decision.messages, ...Array.from({ length: further }, (): MessageKind => "update")]
  return { state: { ...decision.state, messages: decision.state.messages + further }, messages }
}
