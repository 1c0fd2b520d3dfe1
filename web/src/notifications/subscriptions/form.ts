import type { Schemas } from "../../api/client.ts"

/** What the form of a subscription says, as the body of a request. */

export type Trigger = Schemas["DefaultSubscriptionCreate"]["trigger"]
export type Priority = "low" | "normal" | "high" | "critical"
type Filters = Readonly<Record<string, unknown>>
type SendHours = Schemas["SendHours"]
export type Weekday = (SendHours["days"] & object)[number]

export const priorities: ReadonlyArray<Priority> = ["low", "normal", "high", "critical"]
/** How the form says `send_hours`. */
export const sendModes = ["always", "only", "except"] as const
export type SendMode = (typeof sendModes)[number]

export const weekdays: ReadonlyArray<Weekday> = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

export const triggers: ReadonlyArray<Trigger> = [
  "task.failed",
  "task.retries_exhausted",
  "task.failure_rate",
  "task.retried",
  "task.orphaned",
  "failure_group.regressed",
  "task.succeeded",
  "agent.offline",
  "agent.online",
  "worker.offline",
  "schedule.misfired",
  "schedule.fire.failed",
  "schedule.task_failed",
  "schedule.circuit_breaker.tripped",
  "schedule.fire.succeeded"
]

/** Triggers about schedules are for a project's defaults only. */
export const triggersFor = (isPersonal: boolean): ReadonlyArray<Trigger> =>
  isPersonal ? triggers.filter((trigger) => !trigger.startsWith("schedule.")) : triggers

export const defaultGrouping = { wait_seconds: 30, interval_seconds: 300, repeat_seconds: 14_400 }
export const defaultRate = { rate_percent: 20, window_seconds: 300, min_tasks: 20 }
export const defaultEscalationMinutes = 15

export interface SubscriptionBody {
  readonly trigger: Trigger
  readonly filters: Schemas["SubscriptionFilters"]
  readonly in_app: boolean
  readonly project_channel_ids?: Array<string>
  readonly user_channel_ids?: Array<string>
  readonly cooldown_seconds: number
  readonly grouping: Schemas["Grouping"] | null
  readonly notify_recovery: boolean
  readonly send_hours: SendHours | null
  readonly escalation: Schemas["Escalation"] | null
}

const textOf = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === "string" ? value.trim() : ""
}

const textOrNull = (form: FormData, name: string) => textOf(form, name) || null

const numberOf = (form: FormData, name: string): number => Number(textOf(form, name))

const chosenOf = <A extends string>(form: FormData, name: string, known: ReadonlyArray<A>): Array<A> => {
  const values = form.getAll(name)
  return known.filter((one) => values.includes(one))
}

const idsOf = (form: FormData, name: string): Array<string> => form.getAll(name).map(String)

/**
 * The priorities that pass, of the three filters that the API knows: a list, a lowest and a highest. The form has one
 * control for them, a list, which says everything that they can.
 */
export const passingPriorities = ({ priority, priority_max, priority_min }: Filters): ReadonlyArray<Priority> => {
  const rankOf = (value: unknown, otherwise: number) => {
    const rank = priorities.findIndex((one) => one === value)
    return rank === -1 ? otherwise : rank
  }
  const [lowest, highest] = [rankOf(priority_min, 0), rankOf(priority_max, priorities.length - 1)]
  const listed = Array.isArray(priority) && priority.length > 0 ? priority : priorities
  return priorities.filter((one, rank) => listed.includes(one) && rank >= lowest && rank <= highest)
}

const readFilters = (form: FormData, trigger: Trigger): Schemas["SubscriptionFilters"] => {
  const chosen = chosenOf(form, "priority", priorities)
  return {
    task_name: textOrNull(form, "task_name"),
    task_name_pattern: textOrNull(form, "task_name_pattern"),
    queue: textOrNull(form, "queue"),
    engine: textOrNull(form, "engine"),
    priority: chosen.length === 0 || chosen.length === priorities.length ? null : chosen,
    ...(trigger === "task.failure_rate" && {
      rate_percent: numberOf(form, "rate_percent"),
      window_seconds: numberOf(form, "window_seconds"),
      min_tasks: numberOf(form, "min_tasks")
    })
  }
}

const readSendHours = (form: FormData): SendHours | null => {
  const mode = form.get("send mode")
  if (mode !== "only" && mode !== "except") return null
  const days = chosenOf(form, "day", weekdays)
  return {
    mode,
    start: textOf(form, "start"),
    end: textOf(form, "end"),
    timezone: textOf(form, "timezone"),
    ...(days.length > 0 && days.length < weekdays.length && { days }),
    always_critical: form.has("always_critical")
  }
}

/** The project's channels that a person who may not list them keeps: of the messages, and of the escalation. */
export interface HiddenChannels {
  readonly escalation: ReadonlyArray<string>
}

/** `hidden`: null where the form has the project's channels. */
export const readSubscription = (
  form: FormData,
  isPersonal: boolean,
  hidden: HiddenChannels | null
): SubscriptionBody => {
  const trigger = triggers.find((one) => one === form.get("trigger")) ?? "task.failed"
  return {
    trigger,
    filters: readFilters(form, trigger),
    in_app: form.has("in_app"),
    ...(hidden === null && { project_channel_ids: idsOf(form, "project channel") }),
    ...(isPersonal && { user_channel_ids: idsOf(form, "own channel") }),
    cooldown_seconds: numberOf(form, "cooldown_seconds"),
    grouping: form.has("is grouped")
      ? {
        wait_seconds: numberOf(form, "wait_seconds"),
        interval_seconds: numberOf(form, "interval_seconds"),
        repeat_seconds: numberOf(form, "repeat_seconds")
      }
      : null,
    notify_recovery: form.has("notify_recovery"),
    send_hours: readSendHours(form),
    escalation: form.has("is escalated")
      ? {
        after_minutes: numberOf(form, "after_minutes"),
        project_channel_ids: hidden === null ? idsOf(form, "escalation channel") : [...hidden.escalation],
        ...(isPersonal && { user_channel_ids: idsOf(form, "own escalation channel") })
      }
      : null
  }
}
