import { Data } from "effect"
import type { Link } from "./Chain.ts"

/** The log is not the one that this brain wrote or signed for. Nothing is written to it, or signed for it. */
export class LogContradicted extends Data.TaggedError("LogContradicted")<{ readonly message: string }> {}

/** A row that the log had. */
export type KnownRow = Pick<Link, "row_hash" | "seq">

/** What the log has now at a known row's `seq`: the row, and the last row that was pruned. */
export interface RowAtPlace {
  readonly row_hash: string | null
  readonly begin: KnownRow
}

/** How the log lacks a row that it had; null if it has the row, or the row was pruned. */
export const describeMissing = (
  { row_hash, seq }: KnownRow,
  { begin, row_hash: rowHash }: RowAtPlace
): string | null => {
  if (seq < begin.seq) return null
  const expectedHash = seq === begin.seq ? begin.row_hash : rowHash
  if (expectedHash === row_hash) return null
  return expectedHash === null ? `has no row ${seq}: it was cut` : `has another row ${seq}`
}

/**
 * The newest row that this process knows to be committed. Replicas add rows and remove none. A log whose
 * head is below this row, or which lacks it, was truncated or restored from a copy.
 */
export class CommittedHead {
  private newestRow: KnownRow | null = null

  get newest(): KnownRow | null {
    return this.newestRow
  }

  /** Call it for committed rows only: a row that is rolled back would contradict every log. */
  remember({ row_hash, seq }: KnownRow): void {
    if (this.newestRow === null || seq > this.newestRow.seq) this.newestRow = { row_hash, seq }
  }

  /** Call it after a person has accepted another log. */
  reset(): void {
    this.newestRow = null
  }
}

/**
 * Throws LogContradicted when the log of this head lacks the row `known`. `stored` is what the log has at its place,
 * null for a head that this process wrote itself.
 */
export const requireRow = (known: KnownRow | null, head: KnownRow, stored: RowAtPlace | null): void => {
  if (known === null) return
  const { row_hash, seq } = known
  const contradiction = head.seq < seq
    ? `ends at row ${head.seq}: it was cut, or restored from a copy`
    : head.seq === seq && head.row_hash !== row_hash
    ? `has another row ${seq}`
    : stored === null
    ? null
    : describeMissing(known, stored)
  if (contradiction !== null) {
    throw new LogContradicted({
      message: `this brain committed row ${seq} of the audit log, and the log ${contradiction}`
    })
  }
}
