import { integer } from "./Kinds.ts"

/** How long rows are kept. */
export const retentionSettings = {
  tasksRetentionDays: integer(
    "SVC_TASKS_RETENTION_DAYS",
    { default: 30, min: 1, max: 3650 },
    "Tasks are deleted this long after their last event."
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
  agentHealthRetentionDays: integer(
    "SVC_AGENT_HEALTH_RETENTION_DAYS",
    { default: 7, min: 1, max: 3650 },
    "Agents' health snapshots are deleted this many days after they arrive."
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
  invitationsRetentionDays: integer(
    "SVC_INVITATIONS_RETENTION_DAYS",
    { default: 30, min: 1, max: 3650 },
    "Invitations are deleted this long after they expired."
  ),
  auditRetentionDays: integer(
    "SVC_AUDIT_RETENTION_DAYS",
    { default: 0, min: 0, max: 36_500 },
    "Audit rows are kept this long; 0 keeps them for ever."
  )
} as const
