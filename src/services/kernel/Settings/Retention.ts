import { integer } from "./Kinds.ts"

/** How long rows are kept. */
export const retentionSettings = {
  tasksRetentionDays: integer(
    "SVC_TASKS_RETENTION_DAYS",
    { default: 30, min: 1, max: 3650 },
    "Tasks are deleted this long after their last event."
  ),
  failureGroupsRetentionDays: integer(
    "SVC_FAILURE_GROUPS_RETENTION_DAYS",
    { default: 90, min: 1, max: 3650 },
    "Failure groups without open tasks are deleted this many days after their last failure, and their hours after as many."
  ),
  rollupMinutesRetentionDays: integer(
    "SVC_ROLLUP_MINUTES_RETENTION_DAYS",
    { default: 4, min: 4, max: 365 },
    "Counts and durations by minute are deleted after this many days; those by hour and day are kept for longer."
  ),
  rollupHoursRetentionDays: integer(
    "SVC_ROLLUP_HOURS_RETENTION_DAYS",
    { default: 90, min: 8, max: 3650 },
    "Counts and durations by hour are deleted after this many days."
  ),
  rollupDaysRetentionDays: integer(
    "SVC_ROLLUP_DAYS_RETENTION_DAYS",
    { default: 1095, min: 31, max: 36_500 },
    "Counts and durations by day are deleted after this many days."
  ),
  commandsRetentionDays: integer(
    "SVC_COMMANDS_RETENTION_DAYS",
    { default: 90, min: 1, max: 3650 },
    "Finished commands are deleted this many days after they end."
  ),
  scheduleFiresRetentionDays: integer(
    "SVC_SCHEDULE_FIRES_RETENTION_DAYS",
    { default: 30, min: 1, max: 3650 },
    "Fires of schedules are deleted this many days after their tick."
  ),
  scheduleMisfiresRetentionDays: integer(
    "SVC_SCHEDULE_MISFIRES_RETENTION_DAYS",
    { default: 90, min: 1, max: 3650 },
    "Misfires of schedules are deleted this many days after they were detected."
  ),
  triggerEventsRetentionDays: integer(
    "SVC_TRIGGER_EVENTS_RETENTION_DAYS",
    { default: 3, min: 1, max: 365 },
    "Trigger events that nothing took out of the outbox are deleted this many days after they were due."
  ),
  deliveriesRetentionDays: integer(
    "SVC_DELIVERIES_RETENTION_DAYS",
    { default: 30, min: 1, max: 3650 },
    "Deliveries of notifications and their attempts are deleted this many days after they were enqueued."
  ),
  userNotificationsRetentionDays: integer(
    "SVC_USER_NOTIFICATIONS_RETENTION_DAYS",
    { default: 90, min: 1, max: 3650 },
    "Rows of users' inboxes are deleted this many days after they arrived."
  ),
  inboxRowsPerMember: integer(
    "SVC_INBOX_ROWS_PER_MEMBER",
    { default: 5000, min: 100, max: 100_000 },
    "Rows of a member's inbox that are kept for a project, the newest; up to 500 more for each replica."
  ),
  bulkRetryRetentionDays: integer(
    "SVC_BULK_RETRY_RETENTION_DAYS",
    { default: 30, min: 1, max: 3650 },
    "Bulk retries with their tasks' outcomes, and bulk jobs, are deleted this many days after they end."
  ),
  automationExecutionsRetentionDays: integer(
    "SVC_AUTOMATION_EXECUTIONS_RETENTION_DAYS",
    { default: 30, min: 7, max: 3650 },
    "The log of automation rules is deleted this many days after it was written. Breakers count up to 7 days back."
  ),
  deploysRetentionDays: integer(
    "SVC_DEPLOYS_RETENTION_DAYS",
    { default: 365, min: 1, max: 3650 },
    "Marks of deploys are deleted this many days after the deploy."
  ),
  exportJobsRetentionDays: integer(
    "SVC_EXPORT_JOBS_RETENTION_DAYS",
    { default: 7, min: 1, max: 3650 },
    "Exports in the background are deleted with their files this many days after they end."
  ),
  agentHealthRetentionDays: integer(
    "SVC_AGENT_HEALTH_RETENTION_DAYS",
    { default: 7, min: 1, max: 3650 },
    "Agents' health snapshots and ended outages are deleted after this many days."
  ),
  workersRetentionDays: integer(
    "SVC_WORKERS_RETENTION_DAYS",
    { default: 30, min: 1, max: 3650 },
    "Workers and agent processes not seen for this long are deleted."
  ),
  sessionsRetentionDays: integer(
    "SVC_SESSIONS_RETENTION_DAYS",
    { default: 30, min: 1, max: 3650 },
    "Ended sessions and trusted devices are deleted this many days after they end."
  ),
  apiKeysRetentionDays: integer(
    "SVC_API_KEYS_RETENTION_DAYS",
    { default: 90, min: 1, max: 3650 },
    "API keys are deleted this long after they were revoked or expired."
  ),
  approvalsRetentionDays: integer(
    "SVC_APPROVALS_RETENTION_DAYS",
    { default: 90, min: 1, max: 3650 },
    "Approvals are deleted this long after they were requested."
  ),
  invitationsRetentionDays: integer(
    "SVC_INVITATIONS_RETENTION_DAYS",
    { default: 30, min: 1, max: 3650 },
    "Invitations are deleted this long after they expired."
  ),
  alertsRetentionDays: integer(
    "SVC_ALERTS_RETENTION_DAYS",
    { default: 30, min: 1, max: 3650 },
    "Alerts and maintenance windows are deleted this many days after they end."
  ),
  alertsStaleAfterHours: integer(
    "SVC_ALERTS_STALE_AFTER_HOURS",
    { default: 72, min: 1, max: 720 },
    "An alert that is neither seen again nor known to have recovered ends after this long, without a message."
  ),
  auditRetentionDays: integer(
    "SVC_AUDIT_RETENTION_DAYS",
    { default: 0, min: 0, max: 36_500 },
    "Audit rows are kept this long; 0 keeps them for ever."
  )
} as const
