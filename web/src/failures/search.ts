export const groupFilters = ["ongoing", "recovered", "regressed", "muted", "resolved", "all"] as const
export type GroupFilter = (typeof groupFilters)[number]

/** Orders of the list besides the usual one, by the last failure. */
export const groupSorts = ["first_seen", "count", "escalating"] as const
export type GroupSort = (typeof groupSorts)[number]

export const assigneeFilters = ["me", "none"] as const
export type AssigneeFilter = (typeof assigneeFilters)[number]

/** Hours back in which a group must have failed. */
export const failureWindows = [1, 24, 168, 720] as const
export type FailureWindow = (typeof failureWindows)[number]

/** The window of a group's page without one in its address. */
export const usualWindow: FailureWindow = 168

/** The filter of the list, in the address of the page. */
export interface FailuresSearch {
  readonly status?: GroupFilter
  readonly assignee?: AssigneeFilter
  readonly search?: string
  readonly sort?: GroupSort
  readonly hours?: FailureWindow
  readonly engine?: string
}

/** What the address of a group's page keeps. */
export interface FailureGroupSearch {
  readonly hours?: FailureWindow | undefined
  /** With the week before. */
  readonly compare?: true | undefined
}
