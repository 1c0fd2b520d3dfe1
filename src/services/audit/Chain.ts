import { createHmac, hash, type KeyObject } from "node:crypto"
import type { ApiKeyId, ProjectId, UserId } from "../../domain/kernel/Id.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"

/**
 * How rows of the audit log are chained. `docs/audit.md` describes it byte by byte, so a log can be verified without this
 * program: the hashes without a key, the HMACs with it.
 */
export interface ChainedRow {
  readonly id: string
  readonly seq: number
  readonly project_id: ProjectId | null
  readonly user_id: UserId | null
  readonly api_key_id: ApiKeyId | null
  readonly action: string
  readonly target_type: string
  readonly target_id: string | null
  readonly result: string
  readonly outcome: string
  /** JSON text, as it is stored. */
  readonly metadata: string
  readonly source_ip: string | null
  readonly user_agent: string | null
  readonly event_id: string | null
  readonly occurred_at: Timestamp
}

/** The values of a row that the next row is computed from. */
export interface Link {
  readonly seq: number
  readonly row_hash: string
  readonly row_hmac: string
}

/** The link before the first row. */
export const zeroHash = "0".repeat(64)

export const genesis: Link = { seq: 0, row_hash: zeroHash, row_hmac: zeroHash }

/** RFC 8785: the keys in alphabetical order. A new column would come with a new version in the line before. */
const canonicalRow = (row: ChainedRow): string =>
  JSON.stringify({
    action: row.action,
    api_key_id: row.api_key_id,
    event_id: row.event_id,
    id: row.id,
    metadata: row.metadata,
    occurred_at: row.occurred_at,
    outcome: row.outcome,
    project_id: row.project_id,
    result: row.result,
    seq: row.seq,
    source_ip: row.source_ip,
    target_id: row.target_id,
    target_type: row.target_type,
    user_agent: row.user_agent,
    user_id: row.user_id
  })

/** SHA-256 of the row and of all before it, hex. It is verified without a secret, and checkpoints sign it. */
export const rowHash = (row: ChainedRow, prevRowHash: string): string =>
  hash("sha256", `svc audit row 1\n${prevRowHash}\n${canonicalRow(row)}`, "hex")

/** HMAC-SHA256 of the row's hash and the HMAC before it, hex. It proves that a brain with our key wrote the row. */
export const rowHmac = (key: KeyObject, row_hash: string, prevRowHmac: string): string =>
  createHmac("sha256", key).update(`svc audit chain 1\n${prevRowHmac}\n${row_hash}`).digest("hex")
