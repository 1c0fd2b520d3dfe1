import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import type { Circumstances } from "../../../domain/alerting/Notification/AlertDecision.ts"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import { addSeconds, type Timestamp, toEpochMillis } from "../../../domain/kernel/Timestamp.ts"
import type { Trigger } from "../../../domain/triggers/Trigger.ts"
import * as Ids from "../../kernel/Ids.ts"
import { recordset } from "../../kernel/sql/Recordset.ts"
import { rowsOf } from "../../kernel/sql/Rows.ts"
import type { AlertRow } from "../AlertsRepo.ts"

type Condition = Circumstances["condition"]

/** An alert, and how many seconds without an occurrence must pass before its task counts as recovered. */
export interface RecoveryCheck {
  readonly alert: AlertRow
  readonly recovery_seconds: number
}

/** Events that wait for less are no backlog. */
const maxLagSeconds = 10

/** By the brain's clock, as the ids of tasks are. */
const lastCountOf = ({ details, last_at }: AlertRow): Timestamp => details.counted_at ?? last_at

const readStates = rowsOf(Schema.Struct({ id: Schema.String, is_well: Schema.Int }))
const pending = rowsOf(Schema.Struct({ project_id: Schema.String }))

const ofTasks: ReadonlySet<Trigger> = new Set<Trigger>([
  "task.failed",
  "task.retried",
  "task.retries_exhausted",
  "task.orphaned"
])
const ofFires: ReadonlySet<Trigger> = new Set<Trigger>([
  "schedule.misfired",
  "schedule.fire.failed",
  "schedule.task_failed"
])

/**
 * The real state of what alerts are about. The absence of failures proves nothing: a task has recovered when a later one
 * succeeded, an agent when it is online, a schedule when a later fire succeeded.
 */
export const makeRecoveryChecks = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  /**
   * Events of these projects wait for long, so that failures may not be counted yet, and a success proves nothing. A busy
   * project has younger ones at every moment.
   */
  const listBehind = (projectIds: ReadonlyArray<ProjectId>, now: Timestamp) =>
    pending(sql`SELECT DISTINCT project_id FROM trigger_events
      WHERE consumer = 'notifications' AND due_at < ${addSeconds(now, -maxLagSeconds)}
        AND ${sql.in("project_id", projectIds)}`)

  const tasksOfName = (checks: ReadonlyArray<RecoveryCheck>) =>
    readStates(sql`SELECT k.id, CASE WHEN EXISTS (
        SELECT 1 FROM tasks t WHERE t.project_id = k.project_id AND t.name = k.name AND t.id >= k.since_id
          AND t.state = 'success') THEN 1 ELSE 0 END AS is_well
      FROM ${
      recordset(
        sql,
        "k",
        { id: "text", project_id: "uuid", name: "text", since_id: "uuid" },
        checks.map(({ alert }) => ({
          id: alert.id,
          project_id: alert.project_id,
          name: alert.details.task_name,
          since_id: Ids.minIdAt(toEpochMillis(lastCountOf(alert)) + 1)
        }))
      )
    }`)

  const oneTask = (checks: ReadonlyArray<RecoveryCheck>) =>
    readStates(sql`SELECT k.id, CASE WHEN t.state = 'success' THEN 1 ELSE 0 END AS is_well
      FROM ${
      recordset(
        sql,
        "k",
        { id: "text", project_id: "uuid", engine: "text", task_id: "text" },
        checks.map(({ alert: { details, id, project_id } }) => ({
          id,
          project_id,
          engine: details.engine,
          task_id: details.task_id
        }))
      )
    } JOIN tasks t ON t.project_id = k.project_id AND t.engine = k.engine AND t.task_id = k.task_id`)

  const stateOf = (table: "agents" | "workers") => (checks: ReadonlyArray<RecoveryCheck>) =>
    readStates(sql`SELECT k.id, CASE WHEN t.state = 'online' THEN 1 ELSE 0 END AS is_well
      FROM ${subjects(checks)} JOIN ${sql(table)} t ON t.id = k.subject_id`)

  /** Alerts whose rate is still reached. An event reports that it fell below. */
  const reachedRates = (checks: ReadonlyArray<RecoveryCheck>) =>
    readStates(sql`SELECT k.id, 0 AS is_well FROM ${
      recordset(
        sql,
        "k",
        { id: "text", subscription_id: "uuid" },
        checks.map(({ alert: { id, subscription_id } }) => ({ id, subscription_id }))
      )
    } JOIN failure_rate_episodes e ON e.subscription_id = k.subscription_id`)

  const enabledSchedules = (checks: ReadonlyArray<RecoveryCheck>) =>
    readStates(
      sql`SELECT k.id, t.is_enabled AS is_well FROM ${subjects(checks)} JOIN schedules t ON t.id = k.subject_id`
    )

  const laterFires = (checks: ReadonlyArray<RecoveryCheck>) =>
    readStates(sql`SELECT k.id, CASE WHEN EXISTS (
        SELECT 1 FROM schedule_fires f WHERE f.schedule_id = k.subject_id AND f.scheduled_for > k.since
          AND f.status IN ('acked_success', 'terminal_completed')) THEN 1 ELSE 0 END AS is_well
      FROM ${subjects(checks)}`)

  const subjects = (checks: ReadonlyArray<RecoveryCheck>) =>
    recordset(
      sql,
      "k",
      { id: "text", subject_id: "uuid", since: "text" },
      checks.map(({ alert }) => ({ id: alert.id, subject_id: alert.details.subject.id, since: alert.last_at }))
    )

  /** The kinds of alerts: the query of their state, and the condition of an alert whose state is not well. */
  const kinds: ReadonlyArray<{
    readonly isOf: (check: RecoveryCheck, now: Timestamp) => boolean
    readonly query: (checks: ReadonlyArray<RecoveryCheck>) => ReturnType<typeof oneTask>
    readonly otherwise: Condition
  }> = [
    {
      isOf: ({ alert }) => alert.details.is_single && ofTasks.has(alert.trigger_key),
      query: oneTask,
      otherwise: "unknown"
    },
    {
      isOf: ({ alert, recovery_seconds }, now) =>
        !alert.details.is_single && ofTasks.has(alert.trigger_key) && alert.details.task_name !== null &&
        addSeconds(lastCountOf(alert), recovery_seconds) <= now,
      query: tasksOfName,
      otherwise: "unknown"
    },
    { isOf: ({ alert }) => alert.trigger_key === "agent.offline", query: stateOf("agents"), otherwise: "ongoing" },
    { isOf: ({ alert }) => alert.trigger_key === "worker.offline", query: stateOf("workers"), otherwise: "ongoing" },
    { isOf: ({ alert }) => alert.trigger_key === "task.failure_rate", query: reachedRates, otherwise: "ongoing" },
    { isOf: ({ alert }) => ofFires.has(alert.trigger_key), query: laterFires, otherwise: "unknown" },
    {
      isOf: ({ alert }) => alert.trigger_key === "schedule.circuit_breaker.tripped",
      query: enabledSchedules,
      otherwise: "ongoing"
    }
  ]

  /** The state of each alert by its id. Alerts that are not in it are unknown. */
  return Effect.fnUntraced(function*(checks: ReadonlyArray<RecoveryCheck>, now: Timestamp) {
    const conditions = new Map<string, Condition>()
    const openChecks: Array<RecoveryCheck> = []
    for (const check of checks) {
      if (check.alert.details.ended_at !== null) conditions.set(check.alert.id, "recovered")
      else if (check.alert.status === "open") openChecks.push(check)
    }
    if (openChecks.length === 0) return conditions
    const behind = new Set(
      (yield* listBehind([...new Set(openChecks.map(({ alert }) => alert.project_id))], now)).map(({ project_id }) =>
        project_id
      )
    )
    for (const { isOf, otherwise, query } of kinds) {
      const ofKind = openChecks.filter((check) => isOf(check, now))
      if (ofKind.length === 0) continue
      const isWell = new Map((yield* query(ofKind)).map(({ id, is_well }) => [id, is_well === 1]))
      for (const { alert } of ofKind) {
        const well = isWell.get(alert.id)
        if (well === undefined) continue // what it was about is deleted, or an event reports its end
        conditions.set(alert.id, !well ? otherwise : behind.has(alert.project_id) ? "unknown" : "recovered")
      }
    }
    return conditions
  })
})
