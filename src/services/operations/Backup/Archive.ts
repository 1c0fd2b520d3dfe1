import { Data, Schema } from "effect"
import { Timestamp } from "../../../domain/kernel/Timestamp.ts"

/**
 * The archive of `svc backup`: one file that does not depend on the database that it came from (docs/backup.md, Format).
 *
 * The file begins with `magic`. The rest is one Brotli stream of lines: the manifest as JSON, the rows of each table in the
 * manifest's order, each table with `endOfTable` after it, and the summary as JSON. The summary has the SHA-256 of all
 * lines before it, so only a file with a valid summary is complete and unchanged.
 */
export const magic = Buffer.from("svc backup 1\n", "latin1")

/** Every archive of any format begins with it. */
export const magicOfAllFormats = Buffer.from("svc backup ", "latin1")

export const formatVersion = 1

/** No row is this line, because rows escape their backslashes (`CopyText.ts`). */
export const endOfTable = Buffer.from("\\.\n", "latin1")

/** Bytes of rows that are read, compressed and restored at once. */
export const blockBytes = 262_144

/**
 * Bytes of a row. No row of svc has more than some MiB, since no request has. A reader keeps a row in memory until its
 * end, and 25 KiB of an archive can unpack to a row of 1 GiB.
 */
export const maxRowBytes = 64 * 1_048_576

/** How a column's values are written: as they are, as digits, or as a number in full precision. */
export const ColumnKind = Schema.Literal("text", "integer", "real")
export type ColumnKind = typeof ColumnKind.Type

export const TableColumns = Schema.Struct({
  name: Schema.String,
  columns: Schema.Array(Schema.Struct({ name: Schema.String, kind: ColumnKind }))
})
export type TableColumns = typeof TableColumns.Type

/** What the archive says about itself, before its rows. */
export const Manifest = Schema.Struct({
  format: Schema.Int,
  id: Schema.String,
  created_at: Timestamp,
  /** The version of svc that wrote it. */
  program: Schema.String,
  database: Schema.Literal("sqlite", "postgresql"),
  /** The revision of the schema that the rows have. */
  revision: Schema.Int,
  /** The newest row of the audit log; null: no brain had served the database. */
  audit_head: Schema.NullOr(Schema.Struct({ seq: Schema.Int, row_hash: Schema.String })),
  /** The keys that a brain needs for these rows, by their ids. No key is in the archive. */
  keys: Schema.Struct({
    /** Of SVC_SECRET_KEY: the active one, and those that stored secrets are encrypted with. */
    secret: Schema.Array(Schema.String),
    /** Of SVC_AUDIT_CHAIN_KEY: the key that signs. */
    audit_chain: Schema.NullOr(Schema.String),
    /** Of SVC_AUDIT_SIGNING_KEY: one of these. */
    audit_signing: Schema.Array(Schema.String)
  }),
  /** The last number of each counter, by its table. */
  sequences: Schema.Record({ key: Schema.String, value: Schema.Int }),
  tables: Schema.Array(TableColumns)
})
export type Manifest = typeof Manifest.Type

/** Who wrote the archive: the key that signs the audit log's checkpoints. */
export const Signature = Schema.Struct({
  key_id: Schema.String,
  /** 32 bytes as base64url. */
  public_key: Schema.String,
  /** Ed25519 of `signedText`, as base64url. */
  signature: Schema.String
})
export type Signature = typeof Signature.Type

/** What an archive's signature is of. The digest covers all rows, so the summary's counts too. */
export const signedText = (sha256: string): Buffer => Buffer.from(`svc backup 1\n${sha256}\n`, "latin1")

/** What the archive has, after its rows. `bytes` are those of a table's rows, uncompressed. */
export const Summary = Schema.Struct({
  tables: Schema.Array(Schema.Struct({ name: Schema.String, rows: Schema.Int, bytes: Schema.Int })),
  /** Of all lines before the summary. */
  sha256: Schema.String,
  /** Null where the machine had no key. */
  signature: Schema.NullOr(Signature)
})
export type Summary = typeof Summary.Type

export type ArchiveProblem =
  | "foreign"
  | "newer_format"
  | "newer_schema"
  | "truncated"
  | "damaged"
  | "encrypted"
  | "not_encrypted"
  | "wrong_key"

/** The file is not an archive that can be restored. `message` is one sentence for the user. */
export class ArchiveRefused extends Data.TaggedError("ArchiveRefused")<{
  readonly problem: ArchiveProblem
  readonly message: string
}> {}

/** Rows and bytes so far. */
export interface Progress {
  readonly table: string
  readonly rows: number
  readonly bytes: number
}

export type ReportProgress = (progress: Progress) => void
