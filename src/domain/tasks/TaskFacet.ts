/**
 * The columns of `tasks` whose distinct values are kept per project in the table `task_facets` (`facet` is the
 * column's name), so that a substring filter compares those few values and never each task. The writer of a task adds
 * its values; a value that no task has any more does no harm.
 */
export const taskFacets = ["name", "queue", "worker_name"] as const
export type TaskFacet = (typeof taskFacets)[number]
