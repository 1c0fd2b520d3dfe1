import { Array as Arr, Cause, HashMap, Inspectable, Logger, LogLevel } from "effect"
import type { JsonInput } from "../../../domain/kernel/CanonicalJson.ts"
import type { LogLevel as OutputLevel } from "../../../domain/tasks/TaskOutput.ts"
import type { TaskOutput } from "../../runtime/TaskOutput.ts"

const levelOf = (level: LogLevel.LogLevel): OutputLevel =>
  LogLevel.greaterThanEqual(level, LogLevel.Error)
    ? "error"
    : LogLevel.greaterThanEqual(level, LogLevel.Warning)
    ? "warning"
    : LogLevel.greaterThanEqual(level, LogLevel.Info)
    ? "info"
    : "debug"

/**
 * Sends what a handler logs, beside the application's own loggers: level, messages, the cause, and the annotations as
 * fields. What the application's minimum level leaves out reaches no logger.
 */
export const makeTaskLogger = (output: TaskOutput, taskId: string, attempt: number): Logger.Logger<unknown, void> =>
  Logger.make(({ annotations, cause, date, logLevel, message }) => {
    const texts = Arr.ensure(message).map((part) => Inspectable.toStringUnknown(part))
    if (!Cause.isEmpty(cause)) texts.push(Cause.pretty(cause, { renderErrorCause: true }))
    output.log(taskId, {
      at: date.getTime(),
      level: levelOf(logLevel),
      message: texts.join(" "),
      // The assertion: the runtime encodes any value, by its rules for values that JSON does not have.
      fields: Object.fromEntries(HashMap.toEntries(annotations)) as { readonly [name: string]: JsonInput }
    }, attempt)
  })
