export const scheduleStates = ["active", "paused", "disabled", "quarantined"] as const
export type ScheduleState = (typeof scheduleStates)[number]

export const scheduleFilters = [...scheduleStates, "failing", "drifted"] as const
export type ScheduleFilter = (typeof scheduleFilters)[number]

/** The parameters of the page of schedules. */
export interface SchedulesSearch {
  readonly tab?: "misfires" | "schedulers"
  /** Words of a name. */
  readonly text?: string
  readonly state?: ScheduleFilter
}
