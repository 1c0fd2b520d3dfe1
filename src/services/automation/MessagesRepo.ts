import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { Actions } from "../../domain/automation/Actions.ts"
import { RuleTrigger } from "../../domain/automation/Automation.ts"
import { MessageCause } from "../../domain/automation/RuleMessage.ts"
import { ProjectId, RuleId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { JsonColumn } from "../kernel/sql/ColumnTypes.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { countOf, rowsOf } from "../kernel/sql/Rows.ts"
import { ceilingSeconds, maxClockLeadSeconds } from "./ExecutionsRepo.ts"

const DueMessage = Schema.Struct({
  rule_id: RuleId,
  rule_name: Schema.String,
  actions: JsonColumn(Actions),
  trigger_key: RuleTrigger,
  slug: Schema.String,
  project_name: Schema.String,
  condition_key: Schema.String,
  first_at: Timestamp.Timestamp,
  occurrences: Schema.Int,
  unsent: Schema.Int,
  cause: JsonColumn(MessageCause),
  sent_at: Schema.NullOr(Timestamp.Timestamp)
})
export type DueMessage = typeof DueMessage.Type

const addedColumns = {
  rule_id: "uuid",
  condition_key: "text",
  first_at: "text",
  occurrences: "bigint",
  cause: "text"
} as const
export type AddedMessage = Pick<typeof DueMessage.Encoded, keyof typeof addedColumns>

const allDue = rowsOf(DueMessage)
const allProjects = rowsOf(Schema.Struct({ project_id: ProjectId }))

/**
 * Sent within the interval between two messages of a rule about one condition, which is the window of the ceiling too.
 * What was sent in a time to come was sent before the clock was set back.
 */
const isRecent = (sql: SqlClient.SqlClient, now: Timestamp.Timestamp) =>
  sql`m.sent_at > ${Timestamp.addSeconds(now, -ceilingSeconds)}
    AND m.sent_at <= ${Timestamp.addSeconds(now, maxClockLeadSeconds)}`

const isDue = (sql: SqlClient.SqlClient, now: Timestamp.Timestamp) =>
  sql`m.due_at IS NOT NULL AND (m.sent_at IS NULL OR NOT (${isRecent(sql, now)}))`

/**
 * What rules report, by condition. A row of its own, because deliveries do not have it: a deferred message has none
 * yet, one to the inbox alone never has, and a rule counts its occurrences over many messages.
 */
export class RuleMessagesRepo extends Effect.Service<RuleMessagesRepo>()("svc/RuleMessagesRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader

    return {
      /** Adds to what a rule has to report about each condition. */
      add: (messages: ReadonlyArray<AddedMessage>, now: Timestamp.Timestamp) =>
        sql`INSERT INTO automation_messages
            (rule_id, condition_key, first_at, occurrences, unsent, cause, sent_at, due_at)
          SELECT r.rule_id, r.condition_key, r.first_at, r.occurrences, r.occurrences, r.cause, NULL, ${now} FROM ${
          recordset(sql, "r", addedColumns, messages)
        } WHERE true ON CONFLICT (rule_id, condition_key) DO UPDATE SET
            occurrences = automation_messages.occurrences + excluded.occurrences,
            unsent = automation_messages.unsent + excluded.unsent,
            cause = excluded.cause,
            due_at = COALESCE(automation_messages.due_at, excluded.due_at)`,
      /**
       * Messages of the project's rules, oldest first, without those whose condition was reported within the interval.
       */
      takeDue: (projectId: ProjectId, now: Timestamp.Timestamp, limit: number) =>
        allDue(sql`SELECT m.rule_id, r.name AS rule_name, r.actions, r.trigger_key, p.slug, p.name AS project_name,
            m.condition_key, m.first_at, m.occurrences, m.unsent, m.cause, m.sent_at
          FROM automation_messages m
          JOIN automation_rules r ON r.id = m.rule_id
          JOIN projects p ON p.id = r.project_id
          WHERE r.project_id = ${projectId} AND ${isDue(sql, now)}
          ORDER BY m.due_at LIMIT ${limit}`),
      markSent: (messages: ReadonlyArray<DueMessage>, now: Timestamp.Timestamp) =>
        sql`UPDATE automation_messages SET sent_at = ${now}, due_at = NULL, unsent = 0 FROM ${
          recordset(
            sql,
            "r",
            { rule_id: "uuid", condition_key: "text" },
            messages.map(({ condition_key, rule_id }) => ({ condition_key, rule_id }))
          )
        } WHERE automation_messages.rule_id = r.rule_id AND automation_messages.condition_key = r.condition_key`,
      /** Projects with a message that may be sent. */
      listProjectsDue: (now: Timestamp.Timestamp) =>
        allProjects(read`SELECT r.project_id FROM automation_rules r WHERE EXISTS (
            SELECT 1 FROM automation_messages m WHERE m.rule_id = r.id AND ${isDue(read, now)})
          GROUP BY r.project_id LIMIT 100`),
      /** Messages of the project's rules within the window of the ceiling. */
      countRecent: (projectId: ProjectId, now: Timestamp.Timestamp) =>
        countOf(sql`SELECT CAST(count(*) AS INTEGER) AS n FROM automation_rules r
          JOIN automation_messages m ON m.rule_id = r.id WHERE r.project_id = ${projectId} AND ${isRecent(sql, now)}`),
      /** Deletes unsent messages of a project's rules, or of one rule. */
      dropDue: (owner: { readonly project: ProjectId } | { readonly rule: RuleId }) =>
        sql`DELETE FROM automation_messages WHERE due_at IS NOT NULL AND ${
          "rule" in owner
            ? sql`rule_id = ${owner.rule}`
            : sql`rule_id IN (SELECT id FROM automation_rules WHERE project_id = ${owner.project})`
        }`
    } as const
  })
}) {
  static readonly layer = this.Default
}
