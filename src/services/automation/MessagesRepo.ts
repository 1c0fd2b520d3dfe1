import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { Actions } from "../../domain/automation/Actions.ts"
import { ProjectId, RuleId, UserId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { TriggerEvent } from "../../domain/triggers/Trigger.ts"
import { JsonColumn } from "../kernel/sql/ColumnTypes.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { countOf, rowsOf } from "../kernel/sql/Rows.ts"
import { maxClockLeadSeconds } from "./ExecutionsRepo.ts"

/** What a message is about: the newest event of its condition, or the breaker of the rule. */
export const MessageCause = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("event"), event: TriggerEvent }),
  Schema.Struct({ kind: Schema.Literal("tripped"), executions: Schema.Int, window_seconds: Schema.Int })
)
export type MessageCause = typeof MessageCause.Type

const DueMessage = Schema.Struct({
  rule_id: RuleId,
  rule_name: Schema.String,
  actions: JsonColumn(Actions),
  trigger_key: Schema.String,
  project_id: ProjectId,
  slug: Schema.String,
  project_name: Schema.String,
  condition_key: Schema.String,
  first_at: Timestamp.Timestamp,
  occurrences: Schema.Int,
  unsent: Schema.Int,
  payload: JsonColumn(MessageCause),
  sent_at: Schema.NullOr(Timestamp.Timestamp)
})
export type DueMessage = typeof DueMessage.Type

export interface NewMessage {
  readonly rule_id: RuleId
  readonly condition_key: string
  readonly first_at: Timestamp.Timestamp
  readonly occurrences: number
  readonly payload: string
}

const allDue = rowsOf(DueMessage)
const allUsers = rowsOf(Schema.Struct({ user_id: UserId }))
const allProjects = rowsOf(Schema.Struct({ project_id: ProjectId }))

export interface ChannelName {
  readonly id: string
  readonly name: string
  readonly type: string
}

/** Between two messages of a rule about one condition, and the window of the ceiling. */
const intervalSeconds = 60

/** Sent within the interval. What was sent in a time to come was sent before the clock was set back. */
const isRecent = (sql: SqlClient.SqlClient, now: Timestamp.Timestamp) =>
  sql`m.sent_at > ${Timestamp.addSeconds(now, -intervalSeconds)}
    AND m.sent_at <= ${Timestamp.addSeconds(now, maxClockLeadSeconds)}`

const isDue = (sql: SqlClient.SqlClient, now: Timestamp.Timestamp) =>
  sql`(m.sent_at IS NULL OR NOT (${isRecent(sql, now)}))`

export class RuleMessagesRepo extends Effect.Service<RuleMessagesRepo>()("svc/RuleMessagesRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader

    return {
      /** Adds to what a rule has to report about each condition. */
      add: (messages: ReadonlyArray<NewMessage>, now: Timestamp.Timestamp) =>
        sql`INSERT INTO automation_messages
            (rule_id, condition_key, first_at, occurrences, unsent, payload, sent_at, due_at)
          SELECT r.rule_id, r.condition_key, r.first_at, r.occurrences, r.occurrences, r.payload, NULL, ${now} FROM ${
          recordset(sql, "r", {
            rule_id: "uuid",
            condition_key: "text",
            first_at: "text",
            occurrences: "bigint",
            payload: "text"
          }, messages)
        } WHERE true ON CONFLICT (rule_id, condition_key) DO UPDATE SET
            occurrences = automation_messages.occurrences + excluded.occurrences,
            unsent = automation_messages.unsent + excluded.unsent,
            payload = excluded.payload,
            due_at = COALESCE(automation_messages.due_at, excluded.due_at)`,

      /**
       * Messages of the project's rules, oldest first, without those whose condition was reported within the interval.
       */
      takeDue: (projectId: ProjectId, now: Timestamp.Timestamp, limit: number) =>
        allDue(sql`SELECT m.rule_id, r.name AS rule_name, r.actions, r.trigger_key, r.project_id, p.slug,
            p.name AS project_name, m.condition_key, m.first_at, m.occurrences, m.unsent, m.payload, m.sent_at
          FROM automation_messages m
          JOIN automation_rules r ON r.id = m.rule_id
          JOIN projects p ON p.id = r.project_id
          WHERE m.due_at IS NOT NULL AND r.project_id = ${projectId} AND ${isDue(sql, now)}
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
            SELECT 1 FROM automation_messages m
            WHERE m.rule_id = r.id AND m.due_at IS NOT NULL AND ${isDue(read, now)})
          GROUP BY r.project_id LIMIT 100`),
      /** Messages of the project's rules within the last minute. */
      countRecent: (projectId: ProjectId, now: Timestamp.Timestamp) =>
        countOf(sql`SELECT CAST(count(*) AS INTEGER) AS n FROM automation_rules r
          JOIN automation_messages m ON m.rule_id = r.id WHERE r.project_id = ${projectId} AND ${isRecent(sql, now)}`),
      /** Deletes unsent messages of a project's rules, or of one rule. */
      dropDue: (owner: { readonly project: ProjectId } | { readonly rule: RuleId }) =>
        sql`DELETE FROM automation_messages WHERE due_at IS NOT NULL AND ${
          "rule" in owner
            ? sql`rule_id = ${owner.rule}`
            : sql`rule_id IN (SELECT id FROM automation_rules WHERE project_id = ${owner.project})`
        }`,

      listChannels: (projectId: ProjectId, ids: ReadonlyArray<string>) =>
        ids.length === 0
          ? Effect.succeed<ReadonlyArray<ChannelName>>([])
          : sql<ChannelName>`SELECT id, name, type FROM channels
              WHERE project_id = ${projectId} AND ${sql.in("id", ids)} AND is_active = 1 ORDER BY id`,
      listMembers: (projectId: ProjectId) =>
        allUsers(sql`SELECT m.user_id FROM memberships m JOIN users u ON u.id = m.user_id
          WHERE m.project_id = ${projectId} AND u.is_active = 1 ORDER BY m.user_id`)
    } as const
  })
}) {
  static readonly layer = this.Default
}
