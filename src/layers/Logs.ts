import { Array as Arr, Cause, HashMap, Layer, Logger, LogLevel } from "effect"
import { describeCause, isMeaningKnown } from "../domain/kernel/ErrorMeaning.ts"
import type { SettingsShape } from "../services/kernel/Settings.ts"

const levels: Readonly<Record<SettingsShape["logLevel"], LogLevel.LogLevel>> = {
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  warning: LogLevel.Warning,
  error: LogLevel.Error
}

/** Effect's names of levels, where they are not ours in capitals. */
const levelNames: Readonly<Record<string, string>> = { WARN: "warning", FATAL: "critical" }

/** Text goes into `msg`; other logged values (mostly errors) follow in compact form. */
const textOf = (part: unknown): string =>
  typeof part === "string" ? part : part instanceof Error ? part.message : JSON.stringify(part) ?? String(part)

/** A full disk or a database that is away is not found by a stack, and fails all loops at once. */
const errorOf = (cause: Cause.Cause<unknown>): string =>
  isMeaningKnown(cause) ? describeCause(cause) : Cause.pretty(cause, { renderErrorCause: true })

/**
 * One JSON object a line: `ts`, `level`, `logger`, `msg`, then what annotates the fiber (`request_id`, `user_id`,
 * `project_id`, `agent_id`, where they are known), then `error` (interface, Metrics and logs): one line where its meaning
 * is known, else with its stack.
 */
export const jsonLogger = Logger.make<unknown, string>(({ annotations, cause, date, logLevel, message }) => {
  const { logger = "svc", ...known } = Object.fromEntries(HashMap.toEntries(annotations))
  return JSON.stringify({
    ts: date.toISOString(),
    level: levelNames[logLevel.label] ?? logLevel.label.toLowerCase(),
    logger,
    msg: Arr.ensure(message).map(textOf).join(" "),
    ...known,
    ...(Cause.isEmpty(cause) ? {} : { error: errorOf(cause) })
  })
})

const stdoutLogger = Logger.map(jsonLogger, (line) => {
  process.stdout.write(`${line}\n`)
})

/** Log lines of this level and above on standard output, one JSON object each. */
export const layerLogs = (level: SettingsShape["logLevel"]) =>
  Layer.merge(Logger.replace(Logger.defaultLogger, stdoutLogger), Logger.minimumLogLevel(levels[level]))
