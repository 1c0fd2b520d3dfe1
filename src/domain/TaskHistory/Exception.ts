/** One form for what six engines say of a failure (agents' protocol, section 4.2). */

/** The fields of an event's data that tell why. */
export interface ErrorFields {
  exception: string | null
  message: string | null
  reason: string | null
  traceback: string | null
}

/** RQ sends the whole traceback as `exception`. */
export const isTraceback = (engine: string, exception: string | null): boolean =>
  exception !== null && (engine === "rq" ? exception.includes("\n") : exception.startsWith("Traceback ("))

/**
 * `Type: message`, whatever the engine. Celery's broker events have the exception's repr as message, which names the
 * type already. Without an exception the reason stands in (a Celery retry, a Huey timeout).
 */
export const exceptionText = (engine: string, { exception, message, reason }: ErrorFields): string | null => {
  if (exception === null) return message ?? reason
  if (isTraceback(engine, exception)) return lastLine(exception)
  if (message === null || message === "") return exception
  return message.startsWith(`${exception}(`) ? message : `${exception}: ${message}`
}

const lastLine = (text: string): string => {
  const trimmed = text.trimEnd()
  return trimmed.slice(trimmed.lastIndexOf("\n") + 1)
}
