import type { SqlClient } from "@effect/sql"
import type * as Timestamp from "../../../domain/kernel/Timestamp.ts"

/**
 * The statements that end work in progress, by the name of what they change, in their order. Each returns a row for each
 * row that it changes. `when` is a sentence that says which backup was restored.
 */
export const closingStatements = (sql: SqlClient.SqlClient, when: string, now: Timestamp.Timestamp) => ({
  deliveries_suppressed: sql`UPDATE deliveries SET status = 'suppressed', due_at = NULL, claimed_until = NULL,
        error = ${`${when} Whether this message was sent since then is unknown.`}
        WHERE status = 'pending' RETURNING 1`,
  mails_deleted: sql`DELETE FROM mail_outbox RETURNING 1`,
  trigger_events_deleted: sql`DELETE FROM trigger_events RETURNING 1`,
  // no message is recorded: whether one was sent since the backup is unknown
  alerts_ended: sql`UPDATE alerts SET status = 'stale', unsent = 0, due_at = NULL, recovered_at = ${now},
        updated_at = ${now} WHERE recovered_at IS NULL AND messages = 0 RETURNING 1`,
  alerts_quieted: sql`UPDATE alerts SET unsent = 0, last_sent_at = ${now}, updated_at = ${now},
        escalated_at = coalesce(escalated_at, ${now}) WHERE recovered_at IS NULL RETURNING 1`,
  rule_messages_dropped:
    sql`UPDATE automation_messages SET due_at = NULL, unsent = 0 WHERE due_at IS NOT NULL RETURNING 1`,
  bulk_retries_paused: sql`UPDATE bulk_jobs SET control_state = 'paused'
        WHERE action = 'retry' AND finished_at IS NULL AND control_state = 'running' RETURNING 1`,
  // the tasks are there again: whether they are still to be deleted is for a person to decide
  bulk_jobs_stopped: sql`UPDATE bulk_jobs SET status = 'stopped', finished_at = ${now},
          resolved_at = CASE WHEN action = 'delete' THEN ${now} END -- commands of a cancellation may be open
        WHERE action <> 'retry' AND finished_at IS NULL RETURNING 1`,
  // whether one was approved and done, is unknown
  approvals_expired:
    sql`UPDATE approvals SET status = 'expired', decided_at = ${now} WHERE status = 'pending' RETURNING 1`,
  approval_messages_read:
    sql`UPDATE user_notifications SET read_at = ${now}, body = ${`${when} The approval has expired.`}
        WHERE trigger_key = 'approval.requested' AND read_at IS NULL RETURNING 1`,
  // a restored row would release a request that is executed a second time
  requests_unknown: sql`DELETE FROM idempotency_keys WHERE status IS NULL RETURNING 1`,
  sessions_revoked: sql`UPDATE sessions SET revoked_at = ${now} WHERE revoked_at IS NULL RETURNING 1`,
  trusted_devices_revoked: sql`UPDATE trusted_devices SET revoked_at = ${now} WHERE revoked_at IS NULL RETURNING 1`,
  password_resets_deleted: sql`DELETE FROM password_resets RETURNING 1`,
  password_reset_requests_deleted: sql`DELETE FROM password_reset_requests RETURNING 1`,
  setup_tokens_deleted: sql`DELETE FROM setup_tokens RETURNING 1`,
  verifications_deleted: sql`DELETE FROM audit_verification RETURNING 1`,
  // `updated_at` begins the time after which agent.offline is reported
  agents_offline: sql`UPDATE agents SET state = 'offline', updated_at = ${now} WHERE state = 'online' RETURNING 1`,
  agent_processes_offline:
    sql`UPDATE agent_workers SET state = 'offline', updated_at = ${now} WHERE state = 'online' RETURNING 1`,
  workers_offline: sql`UPDATE workers SET state = 'offline', updated_at = ${now} WHERE state = 'online' RETURNING 1`,
  // a mark keeps rules from retrying a task that may have ended since; the task's next event removes its effect
  tasks_unknown: sql`INSERT INTO task_orphans
          (project_id, engine, task_id, started_at, worker_name, detail, orphaned_at)
        SELECT project_id, engine, task_id, started_at, worker_name,
          ${`${when} Whether the task has ended since then is unknown.`}, ${now} FROM tasks
        WHERE state IN ('started', 'unknown') AND started_at IS NOT NULL
        ON CONFLICT (project_id, engine, task_id) DO UPDATE SET started_at = excluded.started_at,
          worker_name = excluded.worker_name, detail = excluded.detail, orphaned_at = excluded.orphaned_at
        RETURNING 1`
})
