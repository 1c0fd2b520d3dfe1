import { integer, oneOf } from "./Kinds.ts"

/** What requests and responses may hold. */
export const limitSettings = {
  maxPayloadSizeBytes: integer(
    "SVC_MAX_PAYLOAD_SIZE_BYTES",
    { default: 8192, min: 1024, max: 67_108_864 },
    "Largest request body, unless the endpoint declares more."
  ),
  restMaxPageSize: integer("SVC_REST_MAX_PAGE_SIZE", { default: 500, min: 1, max: 5000 }, "Largest page of a list."),
  tasksMaxValueBytes: integer(
    "SVC_TASKS_MAX_VALUE_BYTES",
    { default: 262_144, min: 1024, max: 1_048_576 },
    "Maximum bytes of a task's args, kwargs, result, exception, traceback (each); longer values are truncated and marked."
  ),
  answersMaxBytes: integer(
    "SVC_ANSWERS_MAX_BYTES",
    { default: 67_108_864, min: 4_194_304, max: 17_179_869_184 },
    "Bytes of responses that one process prepares or sends at once; further reads wait. It holds about three times as much memory."
  ),
  answersMaxBytesPerUser: integer(
    "SVC_ANSWERS_MAX_BYTES_PER_USER",
    { default: 16_777_216, min: 2_097_152, max: 17_179_869_184 },
    "The same of one user, with all keys and sessions."
  ),
  heavyReads: integer(
    "SVC_HEAVY_READS",
    { default: 4, min: 1, max: 1000 },
    "Heavy reads in flight of one API key, or of a user's sessions; a user has twice as many in all. Further ones wait, then get 429."
  ),
  slowReaderSeconds: integer(
    "SVC_SLOW_READER_SECONDS",
    { default: 30, min: 2, max: 3600 },
    "A connection that takes less than 64 KiB of a waiting response within this time is closed."
  ),
  liveStreams: integer(
    "SVC_LIVE_STREAMS",
    { default: 2000, min: 1, max: 100_000 },
    "Open live streams of one process; more are refused."
  ),
  liveStreamsPerUser: integer(
    "SVC_LIVE_STREAMS_PER_USER",
    { default: 50, min: 1, max: 100_000 },
    "Open live streams of one user and process; more are refused."
  ),
  channelFailureBudgetHours: integer(
    "SVC_CHANNEL_FAILURE_BUDGET_HOURS",
    { default: 72, min: 1, max: 720 },
    "A notification channel that accepts no message for this long, in at least 10 attempts, is disabled."
  ),
  automationActionsPerMinute: integer(
    "SVC_AUTOMATION_ACTIONS_PER_MINUTE",
    { default: 60, min: 1, max: 100_000 },
    "Commands and messages of all automation rules of a project within a minute; rules do nothing beyond it."
  ),
  tasksExportMaxRows: integer(
    "SVC_TASKS_EXPORT_MAX_ROWS",
    { default: 100_000, min: 1, max: 10_000_000 },
    "Maximum rows of one task export (csv, json)."
  ),
  tasksExportJobMaxRows: integer(
    "SVC_TASKS_EXPORT_JOB_MAX_ROWS",
    { default: 1_000_000, min: 1, max: 100_000_000 },
    "Maximum rows of an export of tasks in the background (csv, json)."
  ),

  auditExportMaxRows: integer(
    "SVC_AUDIT_EXPORT_MAX_ROWS",
    { default: 100_000, min: 1, max: 10_000_000 },
    "Maximum rows of one export of a project's audit log (csv, json)."
  ),
  auditExportJobMaxRows: integer(
    "SVC_AUDIT_EXPORT_JOB_MAX_ROWS",
    { default: 1_000_000, min: 1, max: 100_000_000 },
    "Maximum rows of an export of a project's audit log in the background (csv, json)."
  ),
  auditTaskFailures: oneOf(
    "SVC_AUDIT_TASK_FAILURES",
    { default: "on", values: ["on", "off"] },
    "Whether the audit log has a row for each task that failed."
  )
} as const
