import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema, Struct } from "effect"
import { Actions } from "../../domain/automation/Actions.ts"
import { Rule, RuleTrigger } from "../../domain/automation/Automation.ts"
import { Conditions } from "../../domain/automation/Conditions.ts"
import { Outcome } from "../../domain/automation/Execution.ts"
import type { ProjectId, RuleId } from "../../domain/kernel/Id.ts"
import { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { BooleanColumn, JsonColumn } from "../kernel/sql/ColumnTypes.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { forNoKeyUpdate, forUpdate } from "../kernel/sql/Dialect.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { countOf, firstRowOf, hasRows, rowsOf } from "../kernel/sql/Rows.ts"

export const RuleRow = Schema.Struct({
  ...Struct.omit(Rule.fields, "trigger"),
  trigger_key: RuleTrigger,
  is_enabled: BooleanColumn,
  dry_run: BooleanColumn,
  conditions: JsonColumn(Conditions),
  actions: JsonColumn(Actions),
  cb_tripped: BooleanColumn,
  /** Executions before this time do not count. */
  cb_reset_at: Schema.NullOr(Timestamp)
})
export type RuleRow = typeof RuleRow.Type

const ListedRow = Schema.Struct({
  ...RuleRow.fields,
  last_outcome: Schema.NullOr(Outcome),
  last_occurred_at: Schema.NullOr(Timestamp)
})

/** The state of a rule's breaker as it is stored. */
export interface StoredBreaker {
  readonly id: RuleId
  readonly cb_tripped: boolean
  readonly cb_execution_count: number
}

const allRows = rowsOf(RuleRow)
const listedRows = rowsOf(ListedRow)
const firstRow = firstRowOf(RuleRow)
const encode = Schema.encodeSync(RuleRow)
const firstSwitch = firstRowOf(Schema.Struct({ automation_enabled: BooleanColumn }))

/** Whether automation is enabled: also where the project has no row. */
const isOn = Option.match<boolean, { readonly automation_enabled: boolean }>({
  onNone: () => true,
  onSome: ({ automation_enabled }) => automation_enabled
})

export class RulesRepo extends Effect.Service<RulesRepo>()("svc/RulesRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const names = Object.keys(RuleRow.fields)
    const columns = sql.literal(names.join(", "))
    const ruleColumns = sql.literal(names.map((name) => `r.${name}`).join(", "))

    return {
      /** With the newest entry of each rule's log, which is one probe of an index. */
      list: (projectId: ProjectId) =>
        listedRows(read`SELECT ${ruleColumns}, e.outcome AS last_outcome, e.occurred_at AS last_occurred_at
          FROM automation_rules r LEFT JOIN automation_executions e ON e.id = (
            SELECT n.id FROM automation_executions n WHERE n.rule_id = r.id ORDER BY n.id DESC LIMIT 1
          )
          WHERE r.project_id = ${projectId} ORDER BY r.id`),
      find: (projectId: ProjectId, id: RuleId) =>
        firstRow(read`SELECT ${columns} FROM automation_rules WHERE project_id = ${projectId} AND id = ${id}`),
      findForUpdate: (projectId: ProjectId, id: RuleId) =>
        firstRow(sql`SELECT ${columns} FROM automation_rules
          WHERE project_id = ${projectId} AND id = ${id} ${forUpdate(sql)}`),
      count: (projectId: ProjectId) =>
        countOf(sql`SELECT CAST(count(*) AS INTEGER) AS n FROM automation_rules WHERE project_id = ${projectId}`),
      insert: (rule: RuleRow) => sql`INSERT INTO automation_rules ${sql.insert(encode(rule))}`,
      update: (rule: RuleRow) =>
        sql`UPDATE automation_rules SET ${sql.update(encode(rule), ["id", "project_id"])} WHERE id = ${rule.id}`,
      delete: (projectId: ProjectId, id: RuleId) =>
        hasRows(sql`DELETE FROM automation_rules WHERE project_id = ${projectId} AND id = ${id} RETURNING id`),

      /**
       * The rules of a project that take part, locked until the end of the transaction: none while its automation is
       * disabled (interface, automation/settings). The rules are read in the order of their ids on every replica.
       */
      listActive: (projectId: ProjectId) =>
        allRows(sql`SELECT ${columns} FROM automation_rules
          WHERE project_id = ${projectId} AND is_enabled = 1 AND NOT EXISTS (
            SELECT 1 FROM automation_settings s WHERE s.project_id = automation_rules.project_id AND s.automation_enabled = 0
          ) ORDER BY id ${forNoKeyUpdate(sql)}`),
      saveBreakers: (breakers: ReadonlyArray<StoredBreaker>) =>
        sql`UPDATE automation_rules SET cb_tripped = r.cb_tripped, cb_execution_count = r.cb_execution_count FROM ${
          recordset(
            sql,
            "r",
            { id: "uuid", cb_tripped: "integer", cb_execution_count: "bigint" },
            breakers.map((breaker) => ({ ...breaker, cb_tripped: breaker.cb_tripped ? 1 : 0 }))
          )
        } WHERE automation_rules.id = r.id`,

      isEnabled: (projectId: ProjectId) =>
        Effect.map(
          firstSwitch(read`SELECT automation_enabled FROM automation_settings WHERE project_id = ${projectId}`),
          isOn
        ),
      /** Locks the project's executions until the end of the transaction: two replicas take turns. */
      lockProject: (projectId: ProjectId) =>
        sql`SELECT project_id FROM automation_settings WHERE project_id = ${projectId} ${forUpdate(sql)}`,
      /** The row that `lockProject` locks. */
      insertSettings: (projectId: ProjectId, now: Timestamp) =>
        sql`INSERT INTO automation_settings (project_id, automation_enabled, updated_at)
          VALUES (${projectId}, 1, ${now}) ON CONFLICT DO NOTHING`,
      setEnabled: (projectId: ProjectId, isEnabled: boolean, now: Timestamp) =>
        sql`INSERT INTO automation_settings (project_id, automation_enabled, updated_at)
          VALUES (${projectId}, ${isEnabled ? 1 : 0}, ${now})
          ON CONFLICT (project_id) DO UPDATE
          SET automation_enabled = excluded.automation_enabled, updated_at = excluded.updated_at`
    } as const
  })
}) {
  static readonly layer = this.Default
}
