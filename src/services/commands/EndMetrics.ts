import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { Metrics } from "../kernel/Metrics.ts"
import type { FinishedCommand } from "./Model.ts"

/** Observes the seconds from issue to end of a command that ended at `at`. */
export const observeCommandEnd = (
  metrics: Metrics,
  command: Omit<FinishedCommand, "id">,
  at: Timestamp.Timestamp
): void => {
  const { action, issued_at, status } = command
  const seconds = Timestamp.secondsBetween(issued_at, at)
  metrics.commandSeconds.observe({ action, status }, Math.max(0, seconds)) // replicas' clocks differ a little
}
