import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Migration } from "../src/services/kernel/sql/Migrations.ts"

/**
 * An agent's name is unique in its project, so that a name says which agent is meant. Of agents that share one, all but
 * the oldest get the end of their id behind it. The second index finds an agent's connected processes for each command.
 */
const up = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE agents SET name = substr(name, 1, 180) || ' (' || substr(CAST(id AS TEXT), 25) || ')'
    WHERE EXISTS (SELECT 1 FROM agents older
      WHERE older.project_id = agents.project_id AND older.name = agents.name AND older.id < agents.id)`
  yield* sql`CREATE UNIQUE INDEX agents_name ON agents (project_id, name)`
  yield* sql`CREATE INDEX agent_workers_of_agent ON agent_workers (agent_id) WHERE state = 'online'`
})

const down = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP INDEX agent_workers_of_agent`
  yield* sql`DROP INDEX agents_name`
})

export const m0006: Migration = { id: 6, name: "agent_names", compatibleFrom: 5, up, down }
