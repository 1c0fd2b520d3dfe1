import type { Timestamp } from "../../domain/Timestamp.ts"
import type { StoredRow } from "./ChainWriter.ts"
import { type Link, rowHash, rowHmac } from "./Chain.ts"
import type { SymmetricKey, KeyRing } from "../KeyRing.ts"
import { watermarkFromMetadata } from "./Watermark.ts"

/** What is not as it should be with a row: its place, its key, its hash, what it hangs on, or its HMAC. */
export type Misfit = "seq" | "key" | "hash" | "link" | "hmac"

/** Goes along the log, row by row, and holds one link only, however long the log is. */
export class ChainWalk {
  /** Rows that fitted. */
  rows = 0
  /** Those among them whose key was retired and is not at hand; a later row proves them. */
  sealed = 0
  /** Whether the HMAC of the last row was checked. */
  proven = true
  /** When the last row was written; null while none was taken. */
  time: Timestamp | null = null
  /** Up to which row the log itself says that rows were pruned. */
  pruned = 0
  private readonly known = new Map<string, SymmetricKey | undefined>()

  constructor(
    public last: Link,
    private readonly keys: KeyRing,
    private readonly retired: ReadonlySet<string>
  ) {}

  /** Takes the row when it follows on the one before; else says why not. */
  advance(row: StoredRow): Misfit | null {
    const { last } = this
    if (row.seq !== last.seq + 1) return "seq"
    const key = this.keyOf(row)
    if (key === undefined && !this.retired.has(row.key_id)) return "key"
    if (rowHash(row, last.row_hash) !== row.row_hash) return "hash"
    if (row.prev_row_hmac !== last.row_hmac) return "link"
    if (key === undefined) this.sealed++
    else if (rowHmac(key.key, row.row_hash, last.row_hmac) !== row.row_hmac) return "hmac"
    this.proven = key !== undefined
    this.rows++
    this.time = row.occurred_at
    if (row.action === "audit.pruned") this.pruned = watermarkFromMetadata(row.metadata)?.seq ?? this.pruned
    this.last = row
    return null
  }

  /** Goes on after a row that was pruned meanwhile, as a signed watermark says. */
  skipTo(link: Link): void {
    this.last = link
    this.proven = true
  }

  /** Whether we made this hash and HMAC, wherever the row stands now and whatever its columns say. */
  isGenuine(row: StoredRow): boolean {
    const key = this.keyOf(row)
    return key !== undefined && rowHmac(key.key, row.row_hash, row.prev_row_hmac) === row.row_hmac
  }

  private keyOf({ key_id }: StoredRow): SymmetricKey | undefined {
    if (!this.known.has(key_id)) this.known.set(key_id, this.keys.find(key_id))
    return this.known.get(key_id)
  }
}
