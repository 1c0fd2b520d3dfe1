import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { verifyLog } from "../../audit/Verify.ts"
import { Keys } from "../../kernel/keys/Keys.ts"
import type { Manifest } from "../Backup/Archive.ts"
import { RestoreRefused } from "./Target.ts"

/** SQLite checks no references while rows are loaded, since their checks are off. */
export const requireReferences = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () => Effect.void,
    orElse: () =>
      Effect.flatMap(
        sql<{ table: string; parent: string }>`SELECT "table", parent FROM pragma_foreign_key_check LIMIT 1`,
        ([row]) =>
          row === undefined ? Effect.void : new RestoreRefused({
            message: `the archive has rows of ${row.table} that refer to missing rows of ${row.parent}`
          })
      )
  }))

/** Requires the audit log that the manifest names. Returns whether there is one. */
export const requireIntactLog = ({ audit_head }: Manifest) =>
  Effect.gen(function*() {
    const found = Option.getOrNull(yield* verifyLog(yield* SqlClient.SqlClient, yield* Keys))
    const isSame = audit_head === null
      ? found === null
      : found?.head.seq === audit_head.seq && found.head.row_hash === audit_head.row_hash
    if ((found === null || found.problem === null) && isSame) return found !== null
    return yield* new RestoreRefused({
      message: `the audit log of the archive does not verify: ${found?.problem?.detail ?? "its head is another one"}`
    })
  })
