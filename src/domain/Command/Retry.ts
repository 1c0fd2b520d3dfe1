/** What a retry without other arguments needs (the agents' protocol, section 5.4). Agents never use the brain's copy. */

const overridesHint = "send both override_args and override_kwargs (svc commands retry --args --kwargs)"

/** Engines of which nothing keeps a task's arguments. */
const enginesWithoutArguments: ReadonlySet<string> = new Set(["arq", "dramatiq", "huey", "taskiq"])

/** Why a retry without other arguments fails for certain; null where it may succeed. */
export const missingArgumentsNote = (engine: string): string | null =>
  enginesWithoutArguments.has(engine) ? `${engine} keeps no arguments, so a retry needs them: ${overridesHint}.` : null

/** What a Celery agent says of a retry when the result backend has no arguments. */
const isWithoutStoredArguments = (error: string): boolean => error.includes("result_extended")

const celeryAdvice =
  `Set result_extended = True and a result backend in the Celery app, which is true of tasks that run after that, or ${overridesHint}.`

/** What to do after a retry that failed with this error; null where the brain knows nothing better. */
export const adviseAfterRetry = (engine: string | null, error: string): string | null =>
  engine === "celery" && isWithoutStoredArguments(error) ? celeryAdvice : null

/** How the agents' latest retry of the engine without other arguments ended; null where none is known. */
export interface LastRetry {
  readonly status: string
  readonly error: string | null
}

/**
 * What a retry of a task needs, before anybody tries. No agent reports whether Celery's result_extended is on, so what
 * the last retry met says it.
 */
export const retryNote = (engine: string, last: LastRetry | null): string | null => {
  if (engine !== "celery") return missingArgumentsNote(engine)
  if (last === null) return `Celery keeps a task's arguments only where result_extended = True. Without it, ${overridesHint}.`
  return isWithoutStoredArguments(last.error ?? "") ? `The last retry without other arguments found none. ${celeryAdvice}` : null
}
