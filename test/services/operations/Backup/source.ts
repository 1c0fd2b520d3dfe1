import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import { formatVersion, type Manifest, type TableColumns } from "../../../../src/services/operations/Backup/Archive.ts"

export const manifestOf = (tables: ReadonlyArray<TableColumns>): Manifest => ({
  format: formatVersion,
  id: "0192f000-0000-7000-8000-000000000001",
  created_at: Timestamp.fromEpochMicros(Date.UTC(2026, 10, 23, 12) * 1000),
  program: "0.1.0",
  database: "sqlite",
  revision: 1,
  audit_head: null,
  keys: { secret: [], audit_chain: null, audit_signing: [] },
  sequences: {},
  tables
})

/** What an archive that no test looks at is written with. */
export const unsigned = { report: () => {}, onSummary: () => {}, signer: null }
