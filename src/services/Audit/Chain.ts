import { createHmac } from "node:crypto"

/**
 * How rows of the audit log are chained; `docs/audit.md` describes the same byte by byte, so that anybody who has
 * the key can verify a log without this program.
 */
export interface ChainedRow {
  readonly id: string
  readonly seq: number
  readonly project_id: string | null
  readonly user_id: string | null
  readonly api_key_id: string | null
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
  readonly occurred_at: string
}

/** What the first row names as the row before it. */
export const genesis = "0".repeat(64)

/** Alphabetical; a new column would come with a new version in the first line of `chainedBytes`. */
const keys = [
  "action",
  "api_key_id",
  "event_id",
  "id",
  "metadata",
  "occurred_at",
  "outcome",
  "project_id",
  "result",
  "seq",
  "source_ip",
  "target_id",
  "target_type",
  "user_agent",
  "user_id"
] as const satisfies ReadonlyArray<keyof ChainedRow>

/** The three lines that are signed: version, the row before, this row as JSON in alphabetical order of keys. */
const chainedText = (row: ChainedRow, prevRowHmac: string): string =>
  `svc audit 1\n${prevRowHmac}\n${JSON.stringify(Object.fromEntries(keys.map((key) => [key, row[key]])))}`

/** HMAC-SHA256 of the row and the one before it, hex. */
export const rowHmac = (key: Buffer, row: ChainedRow, prevRowHmac: string): string =>
  createHmac("sha256", key).update(chainedText(row, prevRowHmac), "utf8").digest("hex")
