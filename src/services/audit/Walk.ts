import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import type { KeyRing, SymmetricKey } from "../kernel/keys/KeyRing.ts"
import { type Link, rowHash, rowHmac } from "./Chain.ts"
import type { StoredRow } from "./ChainWriter.ts"
import { watermarkFromMetadata } from "./Watermark.ts"

/** What is invalid about a row: its `seq`, its key, its hash, the HMAC before it, or its HMAC. */
export type InvalidRowPart = "seq" | "key" | "hash" | "link" | "hmac"

/** Verifies the log row by row. It holds one link, whatever the length of the log. */
export class ChainWalk {
  /** Rows that are valid. */
  rows = 0
  /** Those among them whose key was retired and is not available on this machine; a later row proves them. */
  sealed = 0
  /** Whether the HMAC of the last row was checked. */
  proven = true
  /** The time of the last row; null before the first. */
  time: Timestamp | null = null
  /** The last pruned row by the log's own rows `audit.pruned`. */
  pruned = 0
  private readonly known = new Map<string, SymmetricKey | undefined>()

  constructor(
    public last: Link,
    private readonly keys: KeyRing,
    private readonly retired: ReadonlySet<string>
  ) {}

  /** Accepts the row if it follows the previous one; else returns why not. */
  advance(row: StoredRow): InvalidRowPart | null {
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

  /** Continues after a row that was pruned during the walk, by a signed watermark. */
  skipTo(link: Link): void {
    this.last = link
    this.proven = true
  }

  /** Whether our key signed this hash and HMAC, whatever the row's `seq` and columns are now. */
  isGenuine(row: StoredRow): boolean {
    const key = this.keyOf(row)
    return key !== undefined && rowHmac(key.key, row.row_hash, row.prev_row_hmac) === row.row_hmac
  }

  private keyOf({ key_id }: StoredRow): SymmetricKey | undefined {
    if (!this.known.has(key_id)) this.known.set(key_id, this.keys.find(key_id))
    return this.known.get(key_id)
  }
}
