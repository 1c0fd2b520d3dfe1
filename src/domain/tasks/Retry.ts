/**
 * What a retry without overrides needs (the agents' protocol, section 5.4). Agents never use the brain's copy of
 * arguments.
 */

const overridesHint = "send both override_args and override_kwargs (svc commands retry --args --kwargs)"

/** Engines that do not store a task's arguments. */
const enginesWithoutArguments: ReadonlySet<string> = new Set(["arq", "dramatiq", "huey", "taskiq"])

/** Why a retry without overrides certainly fails; null where it may succeed. */
export const missingArgumentsNote = (engine: string): string | null =>
  enginesWithoutArguments.has(engine) ? `${engine} keeps no arguments, so a retry needs them: ${overridesHint}.` : null

/** A Celery agent names the setting when the result backend has no arguments. */
const isWithoutStoredArguments = (error: string): boolean => error.includes("result_extended")

const celeryAdvice =
  `Set result_extended = True and a result backend in the Celery app, which helps tasks that run after that, or ${overridesHint}.`

/** Advice after a retry that failed with this error; null where the brain has none. */
export const adviseAfterRetry = (engine: string | null, error: string): string | null =>
  engine === "celery" && isWithoutStoredArguments(error) ? celeryAdvice : null

/** The outcome of the latest retry of the engine without overrides. */
export interface LastRetry {
  readonly status: string
  readonly error: string | null
}

/**
 * What a retry of a task needs, before the first attempt. No agent reports whether Celery's result_extended is on, so
 * the last retry's error decides.
 */
export const retryNote = (engine: string, last: LastRetry | null): string | null => {
  if (engine !== "celery") return missingArgumentsNote(engine)
  if (last === null) {
    return `Celery keeps a task's arguments only where result_extended = True. Without it, ${overridesHint}.`
  }
  return isWithoutStoredArguments(last.error ?? "")
    ? `The last retry found no stored arguments. ${celeryAdvice}`
    : null
}
