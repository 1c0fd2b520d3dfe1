import { canFollow } from "../../domain/Command.ts"
import type { Redaction } from "../../domain/Redaction.ts"
import type { Timestamp } from "../../domain/Timestamp.ts"
import type { AckReport, ResultReport } from "./Inbox.ts"
import type { LockedCommand } from "./QueueRepo.ts"

/** An agent's word on a command, and when it came. */
export type Answer = { readonly at: Timestamp } & (
  | { readonly kind: "acked"; readonly report: AckReport }
  | { readonly kind: "finished"; readonly report: ResultReport }
)

/** What answers change in a row. A null `acked_at` leaves it as it is, a null `status` all else. */
export interface CommandChange {
  readonly id: string
  readonly acked_at: Timestamp | null
  readonly status: "completed" | "failed" | null
  readonly result: string | null
  readonly error: string | null
  readonly completed_at: Timestamp | null
}

interface RowChange {
  readonly row: LockedCommand
  readonly change: CommandChange
}

/** A change that ends its command. */
export interface EndingChange extends RowChange {
  readonly change: CommandChange & { readonly status: "completed" | "failed"; readonly completed_at: Timestamp }
}

export const isEndingChange = (changed: RowChange): changed is EndingChange => changed.change.status !== null

/** Characters of an agent's error text that are kept (the agents' protocol, section 2.6). */
const maxErrorCharacters = 8192

/** What both databases can hold of an agent's text. */
const toStorableText = (text: string): string => text.slice(0, maxErrorCharacters).replaceAll("\0", "\ufffd").toWellFormed()

/**
 * What a batch of answers makes of the locked rows. `strays` counts those that fit no command that was sent to their
 * agent. A second result, or one for a cancelled command, changes nothing.
 */
export const matchAnswers = (answers: ReadonlyArray<Answer>, rows: ReadonlyArray<LockedCommand>, redaction: Redaction) => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const changes = new Map<string, CommandChange>()
  let unmatched = 0
  for (const { at, kind, report } of answers) {
    const row = byId.get(report.commandId)
    if (row === undefined || row.agent_id !== report.agentId || row.worker_id === null) {
      unmatched++
      continue
    }
    const unchanged = { id: row.id, acked_at: null, status: null, result: null, error: null, completed_at: null }
    const before = changes.get(row.id) ?? unchanged
    if (kind === "acked") {
      const first = row.acked_at === null && before.acked_at === null && row.status !== "cancelled"
      if (first) changes.set(row.id, { ...before, acked_at: at })
      continue
    }
    const status = report.status === "success" ? "completed" : "failed"
    if (!canFollow(row.status, status) || before.status !== null) continue
    changes.set(row.id, {
      ...before,
      status,
      // not every agent masks what it answers (the agents' protocol, section 0, point 15)
      result: report.result === null ? null : redaction.json(report.result),
      error: report.error === null ? null : toStorableText(redaction.text(report.error)),
      completed_at: at
    })
  }
  const changed = [...changes].flatMap(([id, change]): ReadonlyArray<RowChange> => {
    const row = byId.get(id)
    return row === undefined ? [] : [{ row, change }]
  })
  return { changed, strays: unmatched }
}
