import type { Issue } from "../../kernel/Errors.ts"
import type { BulkRetry } from "./Requests.ts"

/** The tasks of a bulk retry: the engine's ids, distinct, in the order given. */
export interface TaskSelection {
  readonly task_ids: ReadonlyArray<string>
  /** Null: the agent's only engine. */
  readonly engine: string | null
}

const filterIssue = (path: string, message: string): Issue => ({ path: `filter.${path}`, message })

/**
 * Parses `filter` of a bulk retry: the selection, or its issues. Null when it names no tasks: a retry of all tasks that
 * match is another endpoint. Plain code: ten thousand ids through a schema take too long for one request.
 */
export const parseSelection = (filter: BulkRetry["filter"]): TaskSelection | null | ReadonlyArray<Issue> => {
  const { engine = null, task_ids = null, ...others } = filter ?? {}
  if (task_ids === null) return null
  const issues = Object.keys(others).map((key) => filterIssue(key, "cannot be combined with task_ids"))
  if (engine !== null && !isValidName(engine, 40)) {
    issues.push(filterIssue("engine", "must be a string of 1 to 40 characters"))
  }
  if (!Array.isArray(task_ids) || task_ids.length === 0) {
    issues.push(filterIssue("task_ids", "must be a list of at least one task id"))
  } else {
    const invalidIndex = task_ids.findIndex((id) => !isValidName(id, 200))
    if (invalidIndex !== -1) {
      issues.push(filterIssue(`task_ids.${invalidIndex}`, "must be a task id of 1 to 200 characters"))
    }
  }
  if (issues.length > 0) return issues
  // the casts: both were validated above, which the compiler does not follow through `issues`
  return { task_ids: [...new Set(task_ids as ReadonlyArray<string>)], engine: engine as string | null }
}

const isValidName = (value: unknown, maxLength: number): boolean =>
  typeof value === "string" && value.length >= 1 && value.length <= maxLength &&
  !value.includes("\0") && value.isWellFormed()
