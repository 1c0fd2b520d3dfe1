import type { SqlClient, Statement } from "@effect/sql"
import { Effect } from "effect"
import * as Timestamp from "../../domain/Timestamp.ts"

/**
 * Cancels the commands that nobody will answer any more: pending and dispatched ones of a deleted agent or project.
 * Override arguments are wiped, as in every terminal command.
 */
export const cancelCommands = (sql: SqlClient.SqlClient, where: Statement.Fragment, reason: string) =>
  Effect.flatMap(Timestamp.now, (now) =>
    sql`UPDATE commands SET status = 'cancelled', error = ${reason}, completed_at = ${now}, sealed_payload = NULL
      WHERE ${where} AND status IN ('pending', 'dispatched')`)
