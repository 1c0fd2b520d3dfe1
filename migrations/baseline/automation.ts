import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { types } from "../types.ts"
import type { AreaTables } from "./AreaTables.ts"

/** Automation rules, and what each of them did (docs/automation.md). */
export const automation: AreaTables = {
  names: ["automation_settings", "automation_rules", "automation_executions", "automation_messages"],
  create: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { bigint, text, uuid } = types(sql)

    // A project without a row has automation enabled. The row is also the lock of the project's executions.
    yield* sql`CREATE TABLE automation_settings (
      project_id ${uuid} PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
      automation_enabled INTEGER NOT NULL,
      updated_at ${text} NOT NULL
    )`

    // A rule outlives the account of its creator.
    yield* sql`CREATE TABLE automation_rules (
      id ${uuid} PRIMARY KEY,
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      is_enabled INTEGER NOT NULL,
      dry_run INTEGER NOT NULL,
      trigger_key ${text} NOT NULL,
      conditions TEXT NOT NULL,
      actions TEXT NOT NULL,
      max_executions_per_window INTEGER NOT NULL,
      window_seconds INTEGER NOT NULL,
      cb_tripped INTEGER NOT NULL,
      cb_execution_count ${bigint} NOT NULL,
      cb_reset_at ${text},
      created_by ${uuid},
      created_at ${text} NOT NULL,
      updated_at ${text} NOT NULL
    )`
    yield* sql`CREATE INDEX automation_rules_project ON automation_rules (project_id, id)`

    // Ids sort by time, so that an id bounds the window of the breaker and of the ceiling.
    yield* sql`CREATE TABLE automation_executions (
      id ${uuid} PRIMARY KEY,
      project_id ${uuid} NOT NULL,
      rule_id ${uuid} NOT NULL,
      rule_name TEXT NOT NULL,
      trigger_key ${text} NOT NULL,
      condition_key ${text} NOT NULL,
      action ${text} NOT NULL,
      outcome ${text} NOT NULL,
      occurrences INTEGER NOT NULL,
      engine ${text},
      task_id ${text},
      task_name ${text},
      command_id ${uuid},
      successor_task_id ${text},
      detail TEXT,
      occurred_at ${text} NOT NULL,
      created_at ${text} NOT NULL
    )`
    yield* sql`CREATE INDEX automation_executions_rule ON automation_executions (rule_id, id)`
    yield* sql`CREATE INDEX automation_executions_project ON automation_executions (project_id, id)`
    // what charts mark
    yield* sql`CREATE INDEX automation_executions_executed ON automation_executions (project_id, id)
      WHERE outcome = 'executed'`
    yield* sql`CREATE INDEX automation_executions_task ON automation_executions (project_id, engine, task_id)
      WHERE command_id IS NOT NULL`
    yield* sql`CREATE INDEX automation_executions_name ON automation_executions (project_id, engine, task_name, id)
      WHERE command_id IS NOT NULL`
    // the retry of a rule that a task is taken to be
    yield* sql`CREATE INDEX automation_executions_successor
      ON automation_executions (project_id, engine, successor_task_id) WHERE successor_task_id IS NOT NULL`

    // When a rule last sent a message about a condition, and what happened since.
    yield* sql`CREATE TABLE automation_messages (
      rule_id ${uuid} NOT NULL REFERENCES automation_rules (id) ON DELETE CASCADE,
      condition_key ${text} NOT NULL,
      first_at ${text} NOT NULL,
      occurrences ${bigint} NOT NULL,
      unsent ${bigint} NOT NULL,
      cause TEXT NOT NULL,
      sent_at ${text},
      due_at ${text},
      PRIMARY KEY (rule_id, condition_key)
    )`
    yield* sql`CREATE INDEX automation_messages_sent ON automation_messages (sent_at) WHERE due_at IS NULL`
    // the messages of a rule that are deferred, and those of the last minute, without the others
    yield* sql`CREATE INDEX automation_messages_held ON automation_messages (rule_id, due_at) WHERE due_at IS NOT NULL`
    yield* sql`CREATE INDEX automation_messages_recent ON automation_messages (rule_id, sent_at) WHERE sent_at IS NOT NULL`
  })
}
