import { SqlClient, type Statement } from "@effect/sql"
import { Effect, Layer } from "effect"
import { system } from "../../domain/kernel/Actor.ts"
import { idempotencyRetentionSeconds } from "../../domain/kernel/Idempotency.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { keptMinutes, minuteOf } from "../../domain/tasks/FailureRate.ts"
import { depthLevels, keptMinutesOfDepths } from "../agents/Queues/Depths.ts"
import { Audit } from "../audit/Audit.ts"
import { pruneAudit } from "../audit/Prune.ts"
import { placeLifetimeSeconds } from "../identity/Sessions/LoginPlaces.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { CurrentActor } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Keys } from "../kernel/keys/Keys.ts"
import { Settings } from "../kernel/Settings.ts"
import { orDieOnSql, Reader } from "../kernel/sql/Database.ts"
import { deleteInSlices, type SlicedDelete } from "../kernel/sql/Dialect.ts"
import { keptMinutesDays } from "../tasks/Failures/Window.ts"
import { levels } from "../tasks/Rollups/Series.ts"

interface Expiry extends Pick<SlicedDelete<never>, "table" | "key" | "orderBy" | "skipsLocked"> {
  readonly seconds: number
  /** The rows that ended, or were last seen, before this time. */
  readonly where: (before: Timestamp.Timestamp) => Statement.Fragment
  /** An index that begins with the project finds them. */
  readonly perProject?: true
}

const expiry = (
  table: string,
  seconds: number,
  where: Expiry["where"],
  options: Partial<Omit<Expiry, "table" | "seconds" | "where">> = {}
): Expiry => ({ table, seconds, where, key: "id", ...options })

/** The rows that are only deleted, and the seconds after which. Where more is to be done, the capability does it. */
const listExpiries = (sql: SqlClient.SqlClient, settings: Settings["Type"]): ReadonlyArray<Expiry> => {
  const before = (column: string): Expiry["where"] => (time) => sql`${sql(column)} < ${time}`
  const idBefore = (column: string): Expiry["where"] => (time) =>
    sql`${sql(column)} < ${Ids.minIdAt(Timestamp.toEpochMillis(time))}`
  const endedBefore: Expiry["where"] = (time) => sql`expires_at < ${time} OR revoked_at < ${time}`

  const bucketOf = (time: Timestamp.Timestamp) => Math.floor(Timestamp.toEpochSeconds(time) / 60)
  const days = (count: number) => count * Timestamp.secondsPerDay
  const alerts = days(settings.alertsRetentionDays)
  const commands = days(settings.commandsRetentionDays)
  const failures = days(settings.failureGroupsRetentionDays)
  const fires = days(settings.scheduleFiresRetentionDays)
  const sessions = days(settings.sessionsRetentionDays)
  const health = days(settings.agentHealthRetentionDays)
  const workers = days(settings.workersRetentionDays)
  return [
    expiry("sessions", sessions, endedBefore),
    expiry("trusted_devices", sessions, endedBefore),
    expiry("login_places", placeLifetimeSeconds, before("seen_at"), { key: "user_id, place" }),
    expiry("api_keys", days(settings.apiKeysRetentionDays), endedBefore),
    expiry(
      "approvals",
      days(settings.approvalsRetentionDays),
      (time) => sql`created_at < ${time} AND status <> 'pending'`
    ),
    expiry("bulk_actions", settings.approvalBulkWindow, before("created_at")),
    expiry("idempotency_keys", idempotencyRetentionSeconds, before("created_at"), { key: "scope" }),
    expiry("oidc_logout_tokens", 0, before("expires_at")),
    expiry("setup_tokens", 0, before("expires_at")),
    expiry("password_resets", 0, before("expires_at")),
    expiry("password_reset_requests", 3600, before("created_at")),
    expiry("invitations", days(settings.invitationsRetentionDays), before("expires_at")),
    expiry("mail_outbox", days(1), before("expires_at")), // where mail is configured, its loop has given it up by then
    expiry("setup_attempts", days(1), before("attempted_at")),
    // of processes that were killed
    expiry("leases", days(1), (time) => sql`expires_at < ${Timestamp.toEpochMillis(time)}`, { key: "fence" }),

    expiry("agent_health", health, before("captured_at")),
    expiry("agent_outages", health, before("until"), { key: "agent_id, since" }), // not those that last
    expiry("presence_spans", health, before("until"), { key: "since" }),
    expiry("agent_workers", workers, (time) => sql`last_seen_at < ${time} AND state = 'offline'`),
    expiry("workers", workers, (time) => sql`coalesce(last_heartbeat, created_at) < ${time} AND state <> 'online'`),
    expiry("queues", workers, (time) => sql`coalesce(last_seen_at, created_at) < ${time}`),

    expiry("task_orphans", days(settings.tasksRetentionDays), before("orphaned_at"), {
      key: "project_id, engine, task_id",
      orderBy: "orphaned_at"
    }),
    // none with an open task: the counts of a group are those of its tasks
    expiry("failure_groups", failures, (time) => sql`last_seen_at < ${time} AND open_count <= 0`, {
      key: "project_id, fingerprint",
      orderBy: "last_seen_at",
      perProject: true
    }),
    ...Object.values(levels).map((level) =>
      expiry(
        "failure_group_counts",
        level === levels.minute ? days(keptMinutesDays) : failures,
        (time) => sql`level = ${level} AND bucket < ${minuteOf(time)}`,
        { key: "project_id, fingerprint, level, bucket", orderBy: "bucket" }
      )
    ),
    // those of deleted subscriptions too
    expiry("failure_rate_minutes", keptMinutes * 60, (time) => sql`minute < ${minuteOf(time)}`, {
      key: "subscription_id, minute, slot"
    }),

    expiry("commands", commands, (time) => sql`completed_at IS NOT NULL AND completed_at < ${time}`, {
      orderBy: "completed_at",
      skipsLocked: true
    }),
    expiry("task_retries", commands, idBefore("command_id"), {
      key: "project_id, engine, new_task_id, task_id",
      orderBy: "command_id"
    }),

    // the retries of pending ones end within four days
    expiry(
      "deliveries",
      days(settings.deliveriesRetentionDays),
      (time) => sql`${idBefore("id")(time)} AND due_at IS NULL`
    ),
    expiry("user_notifications", days(settings.userNotificationsRetentionDays), before("created_at")),
    expiry("alerts", alerts, (time) => sql`recovered_at IS NOT NULL AND recovered_at < ${time}`, {
      orderBy: "recovered_at"
    }),
    expiry(
      "queue_depths",
      keptMinutesOfDepths * 60,
      (time) => sql`level = ${depthLevels.minute} AND bucket < ${bucketOf(time)}`,
      { key: "queue_id, level, bucket" }
    ),
    expiry(
      "queue_depths",
      days(settings.rollupHoursRetentionDays),
      (time) => sql`level = ${depthLevels.quarter} AND bucket < ${bucketOf(time)}`,
      { key: "queue_id, level, bucket" }
    ),
    expiry("deploys", days(settings.deploysRetentionDays), before("at")),
    expiry("maintenance_windows", alerts, before("ends_at")),
    expiry("automation_executions", days(settings.automationExecutionsRetentionDays), idBefore("id"), {
      orderBy: "id"
    }),
    expiry("automation_messages", days(1), (time) => sql`due_at IS NULL AND sent_at < ${time}`, {
      key: "rule_id, condition_key",
      orderBy: "sent_at"
    }),

    // none that something can change
    expiry("schedule_operations", fires, (time) => sql`created_at < ${time} AND ended_at IS NOT NULL`, {
      orderBy: "created_at"
    }),
    expiry("schedule_misfires", days(settings.scheduleMisfiresRetentionDays), before("detected_at")),
    expiry("schedule_resolutions", fires, (time) => sql`resolved_at IS NOT NULL AND resolved_at < ${time}`, {
      key: "schedule_id, evidence_kind, evidence_id"
    })
  ]
}

/** Deletes expired rows, and those of the audit log, in slices. Several replicas may do it at the same time. */
export class Retention extends Effect.Service<Retention>()("svc/Retention", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const audit = yield* Audit
    const keys = yield* Keys
    const settings = yield* Settings
    const expiries = listExpiries(sql, settings)

    const deleteExpired = Effect.fnUntraced(
      function*({ perProject, seconds, where, ...rows }: Expiry, now: Timestamp.Timestamp) {
        const expired = where(Timestamp.addSeconds(now, -seconds))
        if (perProject === undefined) return yield* deleteInSlices(sql, { ...rows, where: expired })
        for (const { id } of yield* read<{ id: string }>`SELECT id FROM projects ORDER BY id`) {
          yield* deleteInSlices(sql, { ...rows, where: sql`project_id = ${id} AND (${expired})` })
        }
      }
    )

    const pruneOldAudit = Effect.fn("Retention.pruneOldAudit")(function*() {
      if (settings.auditRetentionDays === 0) return
      const now = yield* Timestamp.now
      const cutoff = Timestamp.addSeconds(now, -settings.auditRetentionDays * Timestamp.secondsPerDay)
      yield* pruneAudit(({ occurred_at }) => occurred_at < cutoff).pipe(
        Effect.catchTag("PrunedConcurrently", () => Effect.void), // another replica does it
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.provideService(Reader, read),
        Effect.provideService(Audit, audit),
        Effect.provideService(Keys, keys),
        Effect.provideService(CurrentActor, system("retention"))
      )
    }, orDieOnSql)

    /** A failure at one table does not keep the rows of the others. */
    const sweep = Effect.fn("Retention.sweep")(function*() {
      const now = yield* Timestamp.now
      const [failures] = yield* Effect.partition(
        expiries,
        (expiry) =>
          Effect.tapError(
            deleteExpired(expiry, now),
            (error) => Effect.logError(`Expired rows of ${expiry.table} remain.`, error)
          )
      )
      if (failures[0] !== undefined) return yield* Effect.fail(failures[0])
    }, orDieOnSql)

    return { sweep, pruneOldAudit } as const
  })
}) {
  static readonly layer = this.Default

  /** Each once an hour. A chain that may not be pruned stays so until a person repairs it: its loop fails alone. */
  static readonly layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const retention = yield* Retention
    yield* loops.upkeep("retention", "1 hour", retention.sweep())
    yield* loops.upkeep("audit retention", "1 hour", retention.pruneOldAudit())
  })).pipe(Layer.provide(this.layer))
}
