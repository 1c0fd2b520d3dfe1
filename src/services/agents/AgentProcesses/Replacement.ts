import type { SqlClient, Statement } from "@effect/sql"

/**
 * Whether another session owns the process: its connection to this replica may have died without a sign while it is back
 * at another one. The table of processes has the owner, and a session can be chosen only after its hello is committed there.
 * Processes without their own id share a row, so none of them is ever replaced.
 */
export const isReplaced = (
  sql: SqlClient.SqlClient,
  columns: { readonly agent: string; readonly process: string; readonly session: string }
): Statement.Fragment =>
  sql.literal(
    `EXISTS (SELECT 1 FROM agent_workers w WHERE w.agent_id = ${columns.agent} AND w.worker_id = ${columns.process}
      AND w.worker_id <> CAST(w.agent_id AS text) AND w.session_id <> ${columns.session})`
  )
