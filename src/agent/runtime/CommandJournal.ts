import type { BufferFile, CommandEntry } from "./BufferFile.ts"
import type { Log } from "./Log.ts"

/** The result of a finished command. */
export interface CommandOutcome {
  readonly status: "success" | "failed"
  /** Canonical JSON text of an object. */
  readonly result: string | null
  readonly error: string | null
}

/** A brain re-sends a command until its timeout, an hour at most. */
const CONFIRMED_RETENTION_MILLIS = 2 * 3_600_000
/** A result that no brain has accepted for so long is dropped: its command has timed out. */
const UNCONFIRMED_RETENTION_MILLIS = 24 * 3_600_000

export const INTERRUPTED_MESSAGE = "The agent's process ended while it executed this command. The outcome is unknown."

/**
 * Accepted commands and their results, in memory and in the buffer file. No command is executed twice, not even by a
 * process that took over the file of a dead one, and no result is lost with a connection.
 */
export class CommandJournal {
  private readonly entries = new Map<string, CommandEntry>()
  private readonly runningIds = new Set<string>()
  /** Ids of finished commands whose result the brain may not have. */
  private readonly unconfirmedIds = new Set<string>()

  constructor(private readonly file: () => BufferFile, private readonly now: () => number, private readonly log: Log) {
    this.adopt(file().listCommands())
  }

  /** The state of a command: unknown id, running, or its outcome. */
  find(id: string): "unknown" | "running" | CommandOutcome {
    if (this.runningIds.has(id)) return "running"
    const { error, result, status } = this.entries.get(id) ?? { error: null, result: null, status: null }
    return status === null ? "unknown" : { status, result, error }
  }

  begin(id: string, claimToken: string | null): void {
    this.runningIds.add(id)
    this.save({ id, status: null, result: null, error: null, claimToken, at: this.now(), confirmed: false })
  }

  finish(id: string, outcome: CommandOutcome, claimToken: string | null): void {
    this.save({ id, ...outcome, claimToken, at: this.now(), confirmed: false })
    this.runningIds.delete(id)
  }

  /** Records that a schedule's fire was executed: a later command of the same fire is not. */
  recordSuccess(id: string): void {
    this.save({ id, status: "success", result: null, error: null, claimToken: null, at: this.now(), confirmed: true })
  }

  /** The brain re-sent a finished command, so it does not have the result: it is sent again. */
  markUnconfirmed(id: string): void {
    const entry = this.entries.get(id)
    if (entry !== undefined) this.save({ ...entry, confirmed: false })
  }

  /** Finished commands whose result the brain may not have. */
  listUnconfirmed(): ReadonlyArray<CommandEntry> {
    return [...this.unconfirmedIds].flatMap((id) => this.entries.get(id) ?? [])
  }

  confirm(ids: Iterable<string>): void {
    for (const id of ids) {
      const entry = this.entries.get(id)
      if (entry !== undefined && entry.status !== null) this.save({ ...entry, confirmed: true })
    }
    this.prune()
  }

  /** Whether a later process needs the file. */
  get hasEntries(): boolean {
    this.prune()
    return this.entries.size > 0
  }

  /** Takes over another process's commands. Those that it began and did not finish have an unknown outcome. */
  adopt(entries: ReadonlyArray<CommandEntry>): void {
    for (const entry of entries) {
      if (this.entries.has(entry.id)) continue
      this.save(
        entry.status !== null
          ? entry
          : { ...entry, status: "failed", result: `{"indeterminate":true}`, error: INTERRUPTED_MESSAGE, at: this.now() }
      )
    }
  }

  /** Writes all commands into a new file. */
  saveAll(): void {
    for (const entry of this.entries.values()) this.save(entry)
  }

  private save(entry: CommandEntry): void {
    this.entries.set(entry.id, entry)
    if (entry.status !== null && !entry.confirmed) this.unconfirmedIds.add(entry.id)
    else this.unconfirmedIds.delete(entry.id)
    try {
      this.file().saveCommand(entry)
    } catch (error) {
      this.log("warning", `a command could not be written to the buffer (${String(error)}); it is kept in memory`)
    }
  }

  /** Drops commands that no brain can send again. */
  prune(): void {
    const now = this.now()
    for (const { at, confirmed, id, status } of this.entries.values()) {
      if (status === null || now - at < (confirmed ? CONFIRMED_RETENTION_MILLIS : UNCONFIRMED_RETENTION_MILLIS)) {
        continue
      }
      this.entries.delete(id)
      this.unconfirmedIds.delete(id)
      try {
        this.file().deleteCommand(id)
      } catch {
        continue // the next process that reads the file drops it
      }
    }
  }
}
