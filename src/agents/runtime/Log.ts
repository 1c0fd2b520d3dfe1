export type LogLevel = "info" | "warning" | "error"

/** Hears what the agent has to say to people: one sentence, without secrets. */
export type Log = (level: LogLevel, message: string) => void

/** A log hook that throws is the host's own affair. */
export const catchThrows = (log: Log): Log => (level, message) => {
  try {
    log(level, message)
  } catch {
    return
  }
}
