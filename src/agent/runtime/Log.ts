export type LogLevel = "info" | "warning" | "error"

/** Receives the agent's log lines: one sentence each, without secrets. */
export type Log = (level: LogLevel, message: string) => void

/** Ignores the errors of a log hook, which belongs to the host. */
export const catchThrows = (log: Log): Log => (level, message) => {
  try {
    log(level, message)
  } catch {
    return
  }
}
