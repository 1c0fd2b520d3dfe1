import { Effect } from "effect"

/** The process ends at most this long after a signal, even if a finalizer still waits. */
const deadlineMillis = 9500

/** Ends the process of the program if its shutdown takes too long. What ends in which time: docs/operations.md, Signals. */
export const armShutdownDeadline = (program: string) =>
  Effect.sync(() => {
    const arm = () => {
      setTimeout(() => {
        process.stderr.write(`${program}: the shutdown took over 9.5 seconds and was cut off\n`)
        process.exit(1)
      }, deadlineMillis).unref()
    }
    process.once("SIGTERM", arm).once("SIGINT", arm)
  })
