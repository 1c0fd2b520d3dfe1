/** One form for the failures of six engines (agents' protocol, section 4.2). */
import { exceptionLineOf, truncatedException } from "../Failure/TruncatedStack.ts"

/** The fields of an event's data that explain a failure. */
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
 * `Type: message`, for every engine. The message of Celery's broker events is the exception's repr, which already names
 * the type. Without an exception the reason is used (a Celery retry, a Huey timeout). A truncated traceback has no last
 * line that names the exception.
 */
export const exceptionText = (engine: string, { exception, message, reason }: ErrorFields): string | null => {
  if (exception === null) return message ?? reason
  if (isTraceback(engine, exception)) return exceptionLineOf(exception) ?? message ?? reason ?? truncatedException
  if (message === null || message === "") return exception
  return message.startsWith(`${exception}(`) ? message : `${exception}: ${message}`
}
