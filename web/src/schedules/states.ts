import type { Schemas } from "../api/client.ts"
import type { ScheduleFilter, ScheduleState } from "./search.ts"

export type Schedule = Schemas["Schedule"]
export type Fire = Schemas["ScheduleFire"]
export type FireStatus = Fire["status"]

/** The owner of the schedules that the service fires itself (docs/schedules.md). */
export const serviceScheduler = "svc-scheduler"

export const isServiceOwned = ({ scheduler }: Pick<Schedule, "scheduler">) => scheduler === serviceScheduler

/** What keeps it from firing, the strongest first: a quarantine stays when it is enabled, and a pause too. */
export const stateOf = (
  { is_enabled, paused_at, quarantined_at }: Pick<Schedule, "is_enabled" | "paused_at" | "quarantined_at">
): ScheduleState =>
  quarantined_at !== null ? "quarantined" : !is_enabled ? "disabled" : paused_at !== null ? "paused" : "active"

/** Whether so many failures in a row have disabled it, or the next ones will (docs/schedules.md, Circuit breaker). */
export const breakerOf = (
  { consecutive_failures, is_enabled }: Pick<Schedule, "consecutive_failures" | "is_enabled">,
  threshold: number
): "tripped" | "counting" | null =>
  threshold === 0 || consecutive_failures === null || consecutive_failures === 0
    ? null
    : consecutive_failures >= threshold && !is_enabled
    ? "tripped"
    : "counting"

const hasFilter = (schedule: Schedule, filter: ScheduleFilter): boolean => {
  if (filter === "failing") return (schedule.consecutive_failures ?? 0) > 0
  if (filter === "drifted") return schedule.is_drifted
  return stateOf(schedule) === filter
}

/** The schedules with all words of the text in one of their names, and with the filter. */
export const findSchedules = (
  schedules: ReadonlyArray<Schedule>,
  text: string,
  filter: ScheduleFilter | undefined
): ReadonlyArray<Schedule> => {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "")
  return schedules.filter((schedule) => {
    if (filter !== undefined && !hasFilter(schedule, filter)) return false
    const { engine, expression, name, queue, scheduler, source, task_name } = schedule
    const all = [name, task_name, engine, queue ?? "", scheduler, source, expression].join("\n").toLowerCase()
    return words.every((word) => all.includes(word))
  })
}

export type FireFamily = "waiting" | "running" | "succeeded" | "failed" | "unknown" | "stopped"

/** What a status means for the task of the fire. */
export const familyOf: Readonly<Record<FireStatus, FireFamily>> = {
  pending: "waiting",
  buffered: "waiting",
  accepted: "running",
  delivered: "running",
  acked_success: "succeeded",
  terminal_completed: "succeeded",
  acked_failed: "failed",
  failed: "failed",
  terminal_failed: "failed",
  terminal_timeout: "unknown",
  terminal_cancelled: "stopped",
  operator_skipped: "stopped",
  buffer_expired: "stopped",
  buffer_stale: "stopped"
}
