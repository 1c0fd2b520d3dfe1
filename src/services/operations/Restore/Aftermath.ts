import { SqlClient, type SqlError } from "@effect/sql"
import { Effect, Layer } from "effect"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { CommandStatusRepo } from "../../commands/StatusRepo.ts"
import type { Manifest } from "../Backup/Archive.ts"
import { RestoredSchedules } from "./Schedules.ts"

/**
 * Ends the work in progress that a restored database contains. What happened after the backup is unknown, so nothing is
 * sent, fired or retried again, and every sign-in ends (docs/backup.md, After a restore).
 */
export class RestoreAftermath extends Effect.Service<RestoreAftermath>()("svc/RestoreAftermath", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const commands = yield* CommandStatusRepo
    const schedules = yield* RestoredSchedules

    const countRows = <E>(statement: Effect.Effect<ReadonlyArray<unknown>, E>) =>
      Effect.map(statement, (rows) => rows.length)

    const deleteAll = (table: string) => countRows(sql`DELETE FROM ${sql(table)} RETURNING 1`)

    /** Each statement returns a row for each row it changed. In their order. */
    const steps = (
      { archive, before, now }: {
        readonly archive: Manifest
        /** The revision of schedules that this database had before. */
        readonly before: number
        readonly now: Timestamp.Timestamp
      }
    ): ReadonlyArray<readonly [string, Effect.Effect<number, SqlError.SqlError>]> => {
      const when = `The database was restored from a backup of ${archive.created_at}.`
      return [
        [
          "commands_unknown",
          countRows(
            commands.endRestored(now, `${when} Whether this command was sent and executed since then is unknown.`)
          )
        ],
        [
          "deliveries_suppressed",
          countRows(sql`UPDATE deliveries SET status = 'suppressed', due_at = NULL, claimed_until = NULL,
            error = ${`${when} Whether this message was sent since then is unknown.`}
            WHERE status = 'pending' RETURNING 1`)
        ],
        ["mails_deleted", deleteAll("mail_outbox")],
        ["trigger_events_deleted", deleteAll("trigger_events")],
        // no message is recorded: whether one was sent since the backup is unknown
        [
          "alerts_ended",
          countRows(sql`UPDATE alerts SET status = 'stale', unsent = 0, due_at = NULL, recovered_at = ${now},
            updated_at = ${now} WHERE recovered_at IS NULL AND messages = 0 RETURNING 1`)
        ],
        [
          "alerts_quieted",
          countRows(sql`UPDATE alerts SET unsent = 0, last_sent_at = ${now}, updated_at = ${now},
            escalated_at = coalesce(escalated_at, ${now}) WHERE recovered_at IS NULL RETURNING 1`)
        ],
        [
          "rule_messages_dropped",
          countRows(
            sql`UPDATE automation_messages SET due_at = NULL, unsent = 0 WHERE due_at IS NOT NULL RETURNING 1`
          )
        ],
        [
          "bulk_retries_paused",
          countRows(sql`UPDATE bulk_jobs SET control_state = 'paused'
            WHERE action = 'retry' AND finished_at IS NULL AND control_state = 'running' RETURNING 1`)
        ],
        // the tasks are there again: whether they are still to be deleted is for a person to decide
        [
          "bulk_jobs_stopped",
          countRows(sql`UPDATE bulk_jobs SET status = 'stopped', finished_at = ${now},
              resolved_at = CASE WHEN action = 'delete' THEN ${now} END -- commands of a cancellation may be open
            WHERE action <> 'retry' AND finished_at IS NULL RETURNING 1`)
        ],
        // whether one was approved and done, is unknown
        [
          "approvals_expired",
          countRows(
            sql`UPDATE approvals SET status = 'expired', decided_at = ${now} WHERE status = 'pending' RETURNING 1`
          )
        ],
        // a restored row would release a request that is executed a second time
        ["requests_unknown", countRows(sql`DELETE FROM idempotency_keys WHERE status IS NULL RETURNING 1`)],
        [
          "sessions_revoked",
          countRows(sql`UPDATE sessions SET revoked_at = ${now} WHERE revoked_at IS NULL RETURNING 1`)
        ],
        [
          "trusted_devices_revoked",
          countRows(sql`UPDATE trusted_devices SET revoked_at = ${now} WHERE revoked_at IS NULL RETURNING 1`)
        ],
        ["password_resets_deleted", deleteAll("password_resets")],
        ["password_reset_requests_deleted", deleteAll("password_reset_requests")],
        ["setup_tokens_deleted", deleteAll("setup_tokens")],
        ["verifications_deleted", deleteAll("audit_verification")],
        // `updated_at` begins the time after which agent.offline is reported
        [
          "agents_offline",
          countRows(sql`UPDATE agents SET state = 'offline', updated_at = ${now} WHERE state = 'online' RETURNING 1`)
        ],
        [
          "agent_processes_offline",
          countRows(
            sql`UPDATE agent_workers SET state = 'offline', updated_at = ${now} WHERE state = 'online' RETURNING 1`
          )
        ],
        [
          "workers_offline",
          countRows(sql`UPDATE workers SET state = 'offline', updated_at = ${now} WHERE state = 'online' RETURNING 1`)
        ],
        // a mark keeps rules from retrying a task that may have ended since; the task's next event removes its effect
        [
          "tasks_unknown",
          countRows(sql`INSERT INTO task_orphans
              (project_id, engine, task_id, started_at, worker_name, detail, orphaned_at)
            SELECT project_id, engine, task_id, started_at, worker_name,
              ${`${when} Whether the task has ended since then is unknown.`}, ${now} FROM tasks
            WHERE state IN ('started', 'unknown') AND started_at IS NOT NULL
            ON CONFLICT (project_id, engine, task_id) DO UPDATE SET started_at = excluded.started_at,
              worker_name = excluded.worker_name, detail = excluded.detail, orphaned_at = excluded.orphaned_at
            RETURNING 1`)
        ],
        ["streams_ended", Effect.as(schedules.endStreams(now), 0)],
        ["schedule_revisions", Effect.as(schedules.raiseRevisions(before), 0)],
        ["schedules_moved", schedules.moveCursors(now)]
      ]
    }

    /** In the restoring transaction. Writes audit rows, so it is called after everything but the restore's own row. */
    const closeOpenWork = Effect.fn("RestoreAftermath.closeOpenWork")(function*(archive: Manifest, before: number) {
      const now = yield* Timestamp.now
      const counts: Record<string, number> = {}
      for (const [name, step] of steps({ archive, before, now })) {
        const count = yield* step
        if (count > 0) counts[name] = count
      }
      const fires = yield* schedules.endFires(
        `The database was restored from a backup of ${archive.created_at}. Whether this tick fired since then is unknown.`
      )
      if (fires.length > 0) counts.fires_unknown = fires.length
      const quarantined = yield* schedules.quarantineUnknown(fires, now)
      if (quarantined > 0) counts.schedules_quarantined = quarantined
      return counts
    })

    return { closeOpenWork } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([CommandStatusRepo.layer, RestoredSchedules.layer]))
}
