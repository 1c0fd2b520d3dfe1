import { Effect } from "effect"
import type { SocketReader } from "./SocketReader.ts"

/** Reports that may wait before the session's reader pauses. */
const maxReports = 64

/**
 * An agent's reports on commands (`command_ack`, `command_result`) on their way to the CommandInbox, one after the
 * other, so that a result does not overtake its ack. A full queue pauses the session's reader.
 *
 * `added` and `committed` count reports: while they are equal, no report waits for its commit.
 */
export class ReportQueue {
  private readonly reports: Array<Effect.Effect<void>> = []
  private isDraining = false
  private added = 0
  private committed = 0

  constructor(
    private readonly reader: SocketReader,
    private readonly fork: (effect: Effect.Effect<void>) => void,
    private readonly awaitCommitted: Effect.Effect<void>
  ) {}

  /** Whether a report waits for the inbox. */
  get isBusy(): boolean {
    return this.isDraining
  }

  add(report: Effect.Effect<void>): void {
    this.added++
    this.enqueue(report)
  }

  /** Calls `action` once all reports that were added before are committed, at once if they are. */
  afterCommit(action: () => void): void {
    const added = this.added
    if (!this.isDraining && this.committed === added) return action()
    this.enqueue(Effect.map(this.awaitCommitted, () => {
      this.committed = added
      action()
    }))
  }

  private enqueue(report: Effect.Effect<void>): void {
    this.reports.push(report)
    if (this.reports.length === maxReports) this.reader.pause()
    if (this.isDraining) return
    this.isDraining = true
    this.fork(this.drain())
  }

  private drain(): Effect.Effect<void> {
    return Effect.whileLoop({
      while: () => (this.isDraining = this.reports.length > 0),
      body: () =>
        Effect.catchAllCause(
          this.reports[0] ?? Effect.void,
          (cause) => Effect.logError("an agent's report on a command could not be stored", cause)
        ),
      step: () => {
        this.reports.shift()
        if (this.reports.length === maxReports - 1) this.reader.resume()
      }
    })
  }
}
