import type { SqlClient, SqlError } from "@effect/sql"
import { Data, type Effect } from "effect"

/** The requested revision does not exist or cannot be reached. */
export class MigrationRefused extends Data.TaggedError("MigrationRefused")<{ readonly message: string }> {}

/**
 * One numbered step of the schema, both dialects in one file. `up` only expands, so older programs continue to work;
 * contraction follows a release later. `down` undoes exactly this step.
 */
export interface Migration {
  readonly id: number
  readonly name: string
  /** The oldest schema revision whose programs still work with the schema after this step. */
  readonly compatibleFrom: number
  readonly up: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>
  readonly down: Effect.Effect<void, SqlError.SqlError | MigrationRefused, SqlClient.SqlClient>
  /** Rows that `down` deletes from tables that it keeps, for the list of what a downgrade loses. */
  readonly deletes?: ReadonlyArray<{ readonly table: string; readonly where: string }>
}
