import { mayFollow } from "../../domain/Command.ts"
import type { Redaction } from "../../domain/Redaction.ts"
import type { Timestamp } from "../../domain/Timestamp.ts"
import type { Acked, Finished } from "./Inbox.ts"
import type { Locked } from "./Queue.ts"

/** An agent's word on a command, and when it came. */
export type Answer = { readonly at: Timestamp } & (
  | { readonly kind: "acked"; readonly report: Acked }
  | { readonly kind: "finished"; readonly report: Finished }
)

/** What answers change in a row. A null `acked_at` leaves it as it is, a null `status` all else. */
export interface Change {
  readonly id: string
  readonly acked_at: Timestamp | null
  readonly status: "completed" | "failed" | null
  readonly result: string | null
  readonly error: string | null
  readonly completed_at: Timestamp | null
}

interface Changed {
  readonly row: Locked
  readonly change: Change
}

/** A change that ends its command. */
export interface Ending extends Changed {
  readonly change: Change & { readonly status: "completed" | "failed"; readonly completed_at: Timestamp }
}

export const isEnding = (changed: Changed): changed is Ending => changed.change.status !== null

/** Characters of an agent's error text that are kept (the agents' protocol, section 2.6). */
const maxError = 8192

/** What both databases can hold of an agent's text. */
const storable = (text: string): string => text.slice(0, maxError).replaceAll("\0", "\ufffd").toWellFormed()

/**
 * What a batch of answers makes of the locked rows. `strays` counts those that fit no command that was sent to their
 * agent. A second result, or one for a cancelled command, changes nothing.
 */
export const changesOf = (answers: ReadonlyArray<Answer>, rows: ReadonlyArray<Locked>, redaction: Redaction) => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const changes = new Map<string, Change>()
  let strays = 0
  for (const { at, kind, report } of answers) {
    const row = byId.get(report.commandId)
    if (row === undefined || row.agent_id !== report.agentId || row.worker_id === null) {
      strays++
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
    if (!mayFollow(row.status, status) || before.status !== null) continue
    changes.set(row.id, {
      ...before,
      status,
      // not every agent masks what it answers (the agents' protocol, section 0, point 15)
      result: report.result === null ? null : redaction.json(report.result),
      error: report.error === null ? null : storable(redaction.text(report.error)),
      completed_at: at
    })
  }
  const changed = [...changes].flatMap(([id, change]): ReadonlyArray<Changed> => {
    const row = byId.get(id)
    return row === undefined ? [] : [{ row, change }]
  })
  return { changed, strays }
}
