import { formatVersion, type Manifest, type TableColumns } from "../../../../src/services/operations/Backup/Archive.ts"

export const manifestOf = (tables: ReadonlyArray<TableColumns>): Manifest => ({
  format: formatVersion,
  id: "0192f000-0000-7000-8000-000000000001",
  created_at: "2026-11-23T12:00:00.000000Z",
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
