import { Array as Arr, Cause, Effect, HashMap, Layer, Logger, LogLevel } from "effect"
import { Settings, type SettingsShape } from "../services/Settings.ts"
import * as Sentry from "./Sentry.ts"
import * as Traces from "./Traces.ts"

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

/**
 * One JSON object a line: `ts`, `level`, `logger`, `msg`, then what annotates the fiber (`request_id`, `user_id`,
 * `project_id`, `agent_id`, where they are known), then `error` with its stack (interface, Metrics and logs).
 */
export const jsonLogger = Logger.make<unknown, string>(({ annotations, cause, date, logLevel, message }) => {
  const { logger = "svc", ...known } = Object.fromEntries(HashMap.toEntries(annotations))
  return JSON.stringify({
    ts: date.toISOString(),
    level: levelNames[logLevel.label] ?? logLevel.label.toLowerCase(),
    logger,
    msg: Arr.ensure(message).map(textOf).join(" "),
    ...known,
    ...(Cause.isEmpty(cause) ? {} : { error: Cause.pretty(cause, { renderErrorCause: true }) })
  })
})

const stdoutLogger = Logger.map(jsonLogger, (line) => {
  process.stdout.write(`${line}\n`)
})

const layerLogs = Layer.unwrapEffect(
  Effect.map(
    Settings,
    ({ logLevel }) =>
      Layer.merge(Logger.replace(Logger.defaultLogger, stdoutLogger), Logger.minimumLogLevel(levels[logLevel]))
  )
)

/** Logs, traces and crash reports of the running brain, as the settings say. */
export const layer = Layer.mergeAll(Traces.layer, Sentry.layer).pipe(Layer.provideMerge(layerLogs))
