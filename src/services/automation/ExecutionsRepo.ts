import { SqlClient } from "@effect/sql"
import { Effect, Schema, Struct } from "effect"
import { RuleTrigger } from "../../domain/automation/Automation.ts"
import { Execution } from "../../domain/automation/Execution.ts"
import type { AgentId, CommandId, ExecutionId, ProjectId, RuleId } from "../../domain/kernel/Id.ts"
import type { TaskState } from "../../domain/kernel/TaskState.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { type RetryColumns, retryOutcome } from "../commands/RetryOutcome.ts"
import * as Ids from "../kernel/Ids.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { countOf, rowsOf } from "../kernel/sql/Rows.ts"

const Row = Schema.Struct({ ...Struct.omit(Execution.fields, "trigger"), trigger_key: RuleTrigger })
const allRows = rowsOf(Row)

/** A new entry of the log. */
export interface NewExecution extends Omit<typeof Row.Type, "command_status" | "task_outcome"> {
  readonly project_id: ProjectId
  readonly rule_name: string
  readonly condition_key: string
}

/** A retry by a rule whose new task is not known: the task that it creates may be any of the same name. */
export interface OpenRetry {
  readonly id: ExecutionId
  readonly engine: string
  readonly task_name: string
  readonly task_id: string
  readonly status: string
  readonly result: string | null
  readonly issued_at: Timestamp.Timestamp
}

/** A task that a rule may act on, as it is now. */
export interface KnownTask {
  readonly task_id: string
  readonly state: TaskState
  /** When the brain first received a report of it. */
  readonly created_at: Timestamp.Timestamp
  /** Of its last attempt. */
  readonly started_at: Timestamp.Timestamp | null
  /** The agent that reported the task's worker; null: none is known. */
  readonly reporter: AgentId | null
}

const retryColumns: RetryColumns = {
  row: "e",
  newTaskId: "COALESCE(r.new_task_id, e.successor_task_id)",
  issuedAt: "c.issued_at",
  endedAt: "c.completed_at"
}

/** The window of a rule's breaker. */
interface RuleWindow {
  readonly rule_id: RuleId
  readonly since: Timestamp.Timestamp
}

/** The ceiling of commands and messages (SVC_AUTOMATION_ACTIONS_PER_MINUTE) is over this time. */
export const ceilingSeconds = 60

/** How long after a retry whose outcome is unknown its task may appear. */
const claimableSeconds = 3600
const maxOpenRetries = 500

const insertColumns = {
  id: "uuid",
  project_id: "uuid",
  rule_id: "uuid",
  rule_name: "text",
  trigger_key: "text",
  condition_key: "text",
  action: "text",
  outcome: "text",
  occurrences: "integer",
  engine: "text",
  task_id: "text",
  task_name: "text",
  command_id: "uuid",
  detail: "text",
  occurred_at: "text",
  created_at: "text"
} as const

const maxId = Ids.maxIdAt(Infinity)

const afterId = (moment: Timestamp.Timestamp): string => Ids.minIdAt(Timestamp.toEpochMillis(moment) + 1)

/** How far the clocks of two replicas may differ. What is dated further ahead was written before the clock was set back. */
export const maxClockLeadSeconds = 60

const untilId = (now: Timestamp.Timestamp): string =>
  Ids.maxIdAt(Timestamp.toEpochMillis(Timestamp.addSeconds(now, maxClockLeadSeconds)))

/** The tasks whose retries created these: by the results of commands, and as rules assumed. */
export const listParentsBy =
  (client: SqlClient.SqlClient) => (projectId: ProjectId, engine: string, taskIds: ReadonlyArray<string>) => {
    const wanted = recordset(client, "w", { task_id: "text" }, taskIds.map((task_id) => ({ task_id })))
    return client<{ readonly task_id: string; readonly parent: string }>`
      SELECT new_task_id AS task_id, task_id AS parent FROM task_retries
      WHERE project_id = ${projectId} AND engine = ${engine} AND new_task_id IN (SELECT w.task_id FROM ${wanted})
      UNION
      SELECT successor_task_id, task_id FROM automation_executions
      WHERE project_id = ${projectId} AND engine = ${engine}
        AND successor_task_id IN (SELECT w.task_id FROM ${wanted})`
  }

export class ExecutionsRepo extends Effect.Service<ExecutionsRepo>()("svc/ExecutionsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const columns = sql.literal(
      Object.keys(Struct.omit(Row.fields, "command_status", "task_outcome")).map((name) => `e.${name}`).join(", ")
    )
    const names = sql.literal(Object.keys(insertColumns).join(", "))

    return {
      // the project as an expression: SQLite would otherwise read the entries of all its rules
      listPage: (
        projectId: ProjectId,
        ruleId: RuleId,
        { after, limit, now }: {
          readonly after: string | null
          readonly limit: number
          readonly now: Timestamp.Timestamp
        }
      ) =>
        Effect.map(
          allRows(read`SELECT ${columns}, c.status AS command_status,
              CASE WHEN c.status = 'completed' AND e.action = 'retry' THEN ${
            retryOutcome(read, retryColumns, now)
          } END AS task_outcome
            FROM automation_executions e
            LEFT JOIN commands c ON c.id = e.command_id
            LEFT JOIN task_retries r ON r.command_id = e.command_id
            WHERE e.rule_id = ${ruleId} AND CAST(e.project_id AS TEXT) = ${projectId} AND e.id < ${after ?? maxId}
            ORDER BY e.id DESC LIMIT ${limit}`),
          (rows) => rows.map(({ trigger_key: trigger, ...row }): Execution => ({ ...row, trigger }))
        ),

      insert: (rows: ReadonlyArray<NewExecution>) =>
        sql`INSERT INTO automation_executions (${names})
          SELECT ${names} FROM ${recordset(sql, "r", insertColumns, rows)}`,

      /**
       * Executions of each rule after its moment: those that acted, and those that would have in a dry run. One statement
       * for all rules, since each batch of a storm asks for up to 200.
       */
      countSince: (rules: ReadonlyArray<RuleWindow>, now: Timestamp.Timestamp) =>
        Effect.map(
          sql<{ readonly rule_id: RuleId; readonly n: number }>`SELECT r.rule_id, (
              SELECT CAST(COALESCE(sum(e.occurrences), 0) AS INTEGER) FROM automation_executions e
              WHERE e.rule_id = r.rule_id AND e.id >= r.from_id AND e.id <= ${untilId(now)}
                AND e.outcome IN ('executed', 'dry_run')
            ) AS n FROM ${
            recordset(
              sql,
              "r",
              { rule_id: "uuid", from_id: "uuid" },
              rules.map(({ rule_id, since }) => ({ rule_id, from_id: afterId(since) }))
            )
          }`,
          (rows) => new Map(rows.map(({ n, rule_id }) => [rule_id, n]))
        ),

      /** Commands of all rules of a project within the last minute. */
      countRecentActions: (projectId: ProjectId, now: Timestamp.Timestamp) =>
        countOf(sql`SELECT CAST(COALESCE(sum(occurrences), 0) AS INTEGER) AS n FROM automation_executions
          WHERE project_id = ${projectId} AND id >= ${afterId(Timestamp.addSeconds(now, -ceilingSeconds))}
            AND id <= ${untilId(now)} AND command_id IS NOT NULL`),

      /** Commands of rules about these tasks, newest first. */
      listCommandsOf: (projectId: ProjectId, engine: string, taskIds: ReadonlyArray<string>) =>
        sql<{
          readonly action: string
          readonly task_id: string
          readonly occurred_at: Timestamp.Timestamp
          readonly command_id: CommandId
        }>`
          SELECT action, task_id, occurred_at, command_id FROM automation_executions
          WHERE project_id = ${projectId} AND engine = ${engine} AND command_id IS NOT NULL
            AND task_id IN (SELECT r.task_id FROM ${
          recordset(sql, "r", { task_id: "text" }, taskIds.map((task_id) => ({ task_id })))
        })`,

      listParents: listParentsBy(sql),

      /** The tasks with these ids that the brain knows. */
      listTasks: (projectId: ProjectId, engine: string, taskIds: ReadonlyArray<string>) =>
        sql<KnownTask>`
          SELECT t.task_id, t.state, t.created_at, t.started_at, w.agent_id AS reporter FROM tasks t
          LEFT JOIN workers w ON w.project_id = t.project_id AND w.engine = t.engine AND w.name = t.worker_name
          WHERE t.project_id = ${projectId} AND t.engine = ${engine} AND t.task_id IN (SELECT r.task_id FROM ${
          recordset(sql, "r", { task_id: "text" }, taskIds.map((task_id) => ({ task_id })))
        })`,

      /** Retries of tasks of this name whose new task no result has named yet, oldest first. */
      listOpenRetries: (projectId: ProjectId, engine: string, taskName: string, now: Timestamp.Timestamp) =>
        sql<OpenRetry>`
          SELECT e.id, e.engine, e.task_name, e.task_id, c.status, c.result, c.issued_at
          FROM automation_executions e JOIN commands c ON c.id = e.command_id
          WHERE e.project_id = ${projectId} AND e.engine = ${engine} AND e.task_name = ${taskName}
            AND e.id >= ${afterId(Timestamp.addSeconds(now, -claimableSeconds))}
            AND e.command_id IS NOT NULL AND e.action = 'retry' AND e.successor_task_id IS NULL
            AND c.status IN ('pending', 'dispatched', 'completed', 'timeout')
            AND NOT EXISTS (SELECT 1 FROM task_retries r WHERE r.command_id = e.command_id)
          ORDER BY e.id LIMIT ${maxOpenRetries}`,

      /** Stores the task that a retry with an unknown outcome is assumed to have created. */
      claim: (id: ExecutionId, taskId: string) =>
        sql`UPDATE automation_executions SET successor_task_id = ${taskId} WHERE id = ${id}`
    } as const
  })
}) {
  static readonly layer = this.Default
}
