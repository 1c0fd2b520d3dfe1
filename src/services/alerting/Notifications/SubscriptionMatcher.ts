import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import type { AlertRules } from "../../../domain/alerting/Notification/AlertDecision.ts"
import { includesRole, Role } from "../../../domain/kernel/Access.ts"
import type { ProjectId, SubscriptionId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { compileFilters } from "../../../domain/triggers/Filters.ts"
import { reportTriggers, severities, type Trigger, type TriggerEvent } from "../../../domain/triggers/Trigger.ts"
import { Settings } from "../../kernel/Settings.ts"
import { BooleanColumn } from "../../kernel/sql/ColumnTypes.ts"
import { idIn } from "../../kernel/sql/Dialect.ts"
import { SubscriptionRow } from "../Subscriptions/Repo.ts"
import type { Recipient } from "./AlertMessages.ts"

/** A subscription that is active, not muted, and whose owner may see the project. */
export interface Matched extends Recipient {
  readonly id: SubscriptionId
  readonly trigger: Trigger
  readonly rules: AlertRules
  readonly matches: ReturnType<typeof compileFilters>
}

const Row = Schema.Struct({
  ...SubscriptionRow.fields,
  role: Schema.NullOr(Role),
  is_admin: Schema.NullOr(BooleanColumn)
})
const decodeRow = Schema.decodeUnknownSync(Row)

/** Compiled subscriptions that are kept; a process that meets more begins again. */
const maxKnown = 20_000

export class SubscriptionMatcher extends Effect.Service<SubscriptionMatcher>()("svc/SubscriptionMatcher", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { alertsStaleAfterHours } = yield* Settings
    const known = new Map<
      string,
      { readonly updated_at: string; readonly matches: Matched["matches"]; readonly rules: AlertRules }
    >()

    const compile = (row: typeof Row.Type) => {
      const before = known.get(row.id)
      if (before !== undefined && before.updated_at === row.updated_at) return before
      if (known.size >= maxKnown) known.clear()
      const compiled = {
        updated_at: row.updated_at,
        matches: compileFilters(row.filters),
        rules: {
          grouping: row.grouping,
          cooldown_seconds: row.cooldown_seconds,
          notify_recovery: row.hygiene.notify_recovery,
          send_hours: row.hygiene.send_hours,
          escalate_after_minutes: row.hygiene.escalate_after_minutes,
          is_critical: severities[row.trigger_key] === "critical",
          is_problem: !reportTriggers.includes(row.trigger_key),
          stale_after_seconds: alertsStaleAfterHours * 3600
        }
      }
      known.set(row.id, compiled)
      return compiled
    }

    const columns = sql.literal(Object.keys(SubscriptionRow.fields).map((name) => `s.${name}`).join(", "))
    // an owner who left the project or may not sign in gets nothing
    const from = sql.literal(`subscriptions s
      LEFT JOIN users u ON u.id = s.user_id AND u.is_active = 1
      LEFT JOIN memberships m ON m.user_id = s.user_id AND m.project_id = s.project_id`)
    const isEntitled = sql.literal("(s.user_id IS NULL OR u.is_admin = 1 OR (u.id IS NOT NULL AND m.role IS NOT NULL))")

    const toMatched = (raw: object): Matched => {
      const row = decodeRow(raw)
      const { matches, rules } = compile(row)
      return {
        id: row.id,
        subscription_id: row.id,
        project_id: row.project_id,
        user_id: row.user_id,
        trigger: row.trigger_key,
        in_app: row.in_app,
        may_use_project_channels: row.user_id === null || row.is_admin === true ||
          (row.role !== null && includesRole(row.role, "operator")),
        rules,
        matches
      }
    }

    const select = (condition: ReturnType<typeof idIn>, now: Timestamp) =>
      Effect.map(
        sql<object>`SELECT ${columns}, m.role, u.is_admin FROM ${from}
          WHERE ${condition} AND s.is_active = 1 AND (s.muted_until IS NULL OR s.muted_until <= ${now}) AND ${isEntitled}`,
        (rows) => rows.map(toMatched)
      )

    return {
      /** Subscriptions of the projects that react to one of the triggers. */
      list: (projectIds: ReadonlyArray<ProjectId>, triggers: ReadonlySet<Trigger>, now: Timestamp) =>
        select(sql`${sql.in("s.project_id", projectIds)} AND ${sql.in("s.trigger_key", [...triggers])}`, now),
      /** Subscriptions with these ids that still match, by id. */
      find: (ids: ReadonlyArray<SubscriptionId>, now: Timestamp) =>
        ids.length === 0
          ? Effect.succeed(new Map<SubscriptionId, Matched>())
          : Effect.map(
            select(idIn(sql, ids, "s.id"), now),
            (rows) => new Map(rows.map((row) => [row.id, row]))
          ),
      /** Subscriptions that match the event. */
      match: (subscriptions: ReadonlyArray<Matched>, event: TriggerEvent) =>
        subscriptions.filter(({ id, matches, project_id, trigger }) =>
          project_id === event.project_id && trigger === event.trigger &&
          // the filters of a rate say which tasks it counts
          (trigger === "task.failure_rate" ? id === event.condition : matches(event))
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
