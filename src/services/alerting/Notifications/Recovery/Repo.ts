import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import type { ProjectId } from "../../../../domain/kernel/Id.ts"
import { addSeconds, type Timestamp, toEpochMillis } from "../../../../domain/kernel/Timestamp.ts"
import * as Ids from "../../../kernel/Ids.ts"
import { recordset } from "../../../kernel/sql/Recordset.ts"
import { rowsOf } from "../../../kernel/sql/Rows.ts"
import type { AlertRow } from "../../AlertsRepo.ts"

/** Events that wait for less are no backlog. */
const maxLagSeconds = 10

/** By the brain's clock, as the ids of tasks are. */
export const lastCountOf = ({ details, last_at }: AlertRow): Timestamp => details.counted_at ?? last_at

const stateRows = rowsOf(Schema.Struct({ id: Schema.String, is_well: Schema.Int }))
const pending = rowsOf(Schema.Struct({ project_id: Schema.String }))

/** The state of what alerts are about, each kind by one statement. An alert without a row has none. */
export const makeRecoveryRepo = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  /**
   * Events of these projects wait for long, so that failures may not be counted yet, and a success proves nothing. A busy
   * project has younger ones at every moment.
   */
  const listBehind = (projectIds: ReadonlyArray<ProjectId>, now: Timestamp) =>
    pending(sql`SELECT DISTINCT project_id FROM trigger_events
      WHERE consumer = 'notifications' AND due_at < ${addSeconds(now, -maxLagSeconds)}
        AND ${sql.in("project_id", projectIds)}`)

  const subjects = (alerts: ReadonlyArray<AlertRow>) =>
    recordset(
      sql,
      "k",
      { id: "text", subject_id: "uuid", since: "text" },
      alerts.map((alert) => ({ id: alert.id, subject_id: alert.details.subject.id, since: alert.last_at }))
    )

  const readTasksOfName = (alerts: ReadonlyArray<AlertRow>) =>
    stateRows(sql`SELECT k.id, CASE WHEN EXISTS (
        SELECT 1 FROM tasks t WHERE t.project_id = k.project_id AND t.name = k.name AND t.id >= k.since_id
          AND t.state = 'success') THEN 1 ELSE 0 END AS is_well
      FROM ${
      recordset(
        sql,
        "k",
        { id: "text", project_id: "uuid", name: "text", since_id: "uuid" },
        alerts.map((alert) => ({
          id: alert.id,
          project_id: alert.project_id,
          name: alert.details.task_name,
          since_id: Ids.minIdAt(toEpochMillis(lastCountOf(alert)) + 1)
        }))
      )
    }`)

  const readTask = (alerts: ReadonlyArray<AlertRow>) =>
    stateRows(sql`SELECT k.id, CASE WHEN t.state = 'success' THEN 1 ELSE 0 END AS is_well
      FROM ${
      recordset(
        sql,
        "k",
        { id: "text", project_id: "uuid", engine: "text", task_id: "text" },
        alerts.map(({ details, id, project_id }) => ({
          id,
          project_id,
          engine: details.engine,
          task_id: details.task_id
        }))
      )
    } JOIN tasks t ON t.project_id = k.project_id AND t.engine = k.engine AND t.task_id = k.task_id`)

  const readPresence = (table: "agents" | "workers") => (alerts: ReadonlyArray<AlertRow>) =>
    stateRows(sql`SELECT k.id, CASE WHEN t.state = 'online' THEN 1 ELSE 0 END AS is_well
      FROM ${subjects(alerts)} JOIN ${sql(table)} t ON t.id = k.subject_id`)

  /** Alerts whose rate is still reached. An event reports that it fell below. */
  const readRates = (alerts: ReadonlyArray<AlertRow>) =>
    stateRows(sql`SELECT k.id, 0 AS is_well FROM ${
      recordset(
        sql,
        "k",
        { id: "text", subscription_id: "uuid" },
        alerts.map(({ id, subscription_id }) => ({ id, subscription_id }))
      )
    } JOIN failure_rate_episodes e ON e.subscription_id = k.subscription_id`)

  const readSchedules = (alerts: ReadonlyArray<AlertRow>) =>
    stateRows(
      sql`SELECT k.id, t.is_enabled AS is_well FROM ${subjects(alerts)} JOIN schedules t ON t.id = k.subject_id`
    )

  const readFires = (alerts: ReadonlyArray<AlertRow>) =>
    stateRows(sql`SELECT k.id, CASE WHEN EXISTS (
        SELECT 1 FROM schedule_fires f WHERE f.schedule_id = k.subject_id AND f.scheduled_for > k.since
          AND f.status IN ('acked_success', 'terminal_completed')) THEN 1 ELSE 0 END AS is_well
      FROM ${subjects(alerts)}`)

  return { listBehind, readTasksOfName, readTask, readPresence, readRates, readSchedules, readFires } as const
})
