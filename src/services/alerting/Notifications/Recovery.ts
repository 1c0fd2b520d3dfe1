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

/** An alert, and for how long nothing may have happened before its task counts as recovered. */
export interface Question {
  readonly alert: AlertRow
  readonly settle_seconds: number
}

/** Events that wait for less are no backlog. */
const maxLagSeconds = 10

/** By the brain's clock, as the ids of tasks are. */
const lastCountOf = ({ details, last_at }: AlertRow): Timestamp => details.counted_at ?? last_at

const readAnswers = rowsOf(Schema.Struct({ id: Schema.String, is_well: Schema.Int }))
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
   * Events of these projects wait for long, so that failures may not be counted yet, and a success says nothing. A busy
   * project has younger ones at every moment.
   */
  const listBehind = (projectIds: ReadonlyArray<ProjectId>, now: Timestamp) =>
    pending(sql`SELECT DISTINCT project_id FROM trigger_events
      WHERE consumer = 'notifications' AND due_at < ${addSeconds(now, -maxLagSeconds)}
        AND ${sql.in("project_id", projectIds)}`)

  const tasksOfName = (questions: ReadonlyArray<Question>) =>
    readAnswers(sql`SELECT k.id, CASE WHEN EXISTS (
        SELECT 1 FROM tasks t WHERE t.project_id = k.project_id AND t.name = k.name AND t.id >= k.since_id
          AND t.state = 'success') THEN 1 ELSE 0 END AS is_well
      FROM ${
      recordset(
        sql,
        "k",
        { id: "text", project_id: "uuid", name: "text", since_id: "uuid" },
        questions.map(({ alert }) => ({
          id: alert.id,
          project_id: alert.project_id,
          name: alert.details.task_name,
          since_id: Ids.minIdAt(toEpochMillis(lastCountOf(alert)) + 1)
        }))
      )
    }`)

  const oneTask = (questions: ReadonlyArray<Question>) =>
    readAnswers(sql`SELECT k.id, CASE WHEN t.state = 'success' THEN 1 ELSE 0 END AS is_well
      FROM ${
      recordset(
        sql,
        "k",
        { id: "text", project_id: "uuid", engine: "text", task_id: "text" },
        questions.map(({ alert: { details, id, project_id } }) => ({
          id,
          project_id,
          engine: details.engine,
          task_id: details.task_id
        }))
      )
    } JOIN tasks t ON t.project_id = k.project_id AND t.engine = k.engine AND t.task_id = k.task_id`)

  const stateOf = (table: "agents" | "workers") => (questions: ReadonlyArray<Question>) =>
    readAnswers(sql`SELECT k.id, CASE WHEN t.state = 'online' THEN 1 ELSE 0 END AS is_well
      FROM ${subjects(questions)} JOIN ${sql(table)} t ON t.id = k.subject_id`)

  /** Those whose rate is still reached. An event reports that it fell below. */
  const reachedRates = (questions: ReadonlyArray<Question>) =>
    readAnswers(sql`SELECT k.id, 0 AS is_well FROM ${
      recordset(
        sql,
        "k",
        { id: "text", subscription_id: "uuid" },
        questions.map(({ alert: { id, subscription_id } }) => ({ id, subscription_id }))
      )
    } JOIN failure_rate_episodes e ON e.subscription_id = k.subscription_id`)

  const enabledSchedules = (questions: ReadonlyArray<Question>) =>
    readAnswers(
      sql`SELECT k.id, t.is_enabled AS is_well FROM ${subjects(questions)} JOIN schedules t ON t.id = k.subject_id`
    )

  const laterFires = (questions: ReadonlyArray<Question>) =>
    readAnswers(sql`SELECT k.id, CASE WHEN EXISTS (
        SELECT 1 FROM schedule_fires f WHERE f.schedule_id = k.subject_id AND f.scheduled_for > k.since
          AND f.status IN ('acked_success', 'terminal_completed')) THEN 1 ELSE 0 END AS is_well
      FROM ${subjects(questions)}`)

  const subjects = (questions: ReadonlyArray<Question>) =>
    recordset(
      sql,
      "k",
      { id: "text", subject_id: "uuid", since: "text" },
      questions.map(({ alert }) => ({ id: alert.id, subject_id: alert.details.subject.id, since: alert.last_at }))
    )

  /** Each kind of alert, how it is asked for, and what an answer that it is not well means. */
  const kinds: ReadonlyArray<{
    readonly isOf: (question: Question, now: Timestamp) => boolean
    readonly ask: (questions: ReadonlyArray<Question>) => ReturnType<typeof oneTask>
    readonly otherwise: Condition
  }> = [
    {
      isOf: ({ alert }) => alert.details.is_single && ofTasks.has(alert.trigger_key),
      ask: oneTask,
      otherwise: "unknown"
    },
    {
      isOf: ({ alert, settle_seconds }, now) =>
        !alert.details.is_single && ofTasks.has(alert.trigger_key) && alert.details.task_name !== null &&
        addSeconds(lastCountOf(alert), settle_seconds) <= now,
      ask: tasksOfName,
      otherwise: "unknown"
    },
    { isOf: ({ alert }) => alert.trigger_key === "agent.offline", ask: stateOf("agents"), otherwise: "ongoing" },
    { isOf: ({ alert }) => alert.trigger_key === "worker.offline", ask: stateOf("workers"), otherwise: "ongoing" },
    { isOf: ({ alert }) => alert.trigger_key === "task.failure_rate", ask: reachedRates, otherwise: "ongoing" },
    { isOf: ({ alert }) => ofFires.has(alert.trigger_key), ask: laterFires, otherwise: "unknown" },
    {
      isOf: ({ alert }) => alert.trigger_key === "schedule.circuit_breaker.tripped",
      ask: enabledSchedules,
      otherwise: "ongoing"
    }
  ]

  /** The state of each alert by its id. Alerts that are not in it are unknown. */
  return Effect.fnUntraced(function*(questions: ReadonlyArray<Question>, now: Timestamp) {
    const conditions = new Map<string, Condition>()
    const open: Array<Question> = []
    for (const question of questions) {
      if (question.alert.details.ended_at !== null) conditions.set(question.alert.id, "recovered")
      else if (question.alert.status === "open") open.push(question)
    }
    if (open.length === 0) return conditions
    const behind = new Set(
      (yield* listBehind([...new Set(open.map(({ alert }) => alert.project_id))], now)).map(({ project_id }) =>
        project_id
      )
    )
    for (const { ask, isOf, otherwise } of kinds) {
      const those = open.filter((question) => isOf(question, now))
      if (those.length === 0) continue
      const isWell = new Map((yield* ask(those)).map(({ id, is_well }) => [id, is_well === 1]))
      for (const { alert } of those) {
        const well = isWell.get(alert.id)
        if (well === undefined) continue // what it was about is deleted, or an event reports its end
        conditions.set(alert.id, !well ? otherwise : behind.has(alert.project_id) ? "unknown" : "recovered")
      }
    }
    return conditions
  })
})
