import { secondsPerDay } from "../../../domain/kernel/Timestamp.ts"
import { integer, list } from "./Kinds.ts"

/** What agents send and receive: ingest, presence, commands, schedules. */
export const agentSettings = {
  ingestQueueEvents: integer(
    "SVC_INGEST_QUEUE_EVENTS",
    { default: 20_000, min: 100, max: 1_000_000 },
    "Events waiting for the writer before agents' sockets are paused."
  ),
  ingestBatchEvents: integer(
    "SVC_INGEST_BATCH_EVENTS",
    { default: 2000, min: 1, max: 50_000 },
    "Maximum events written in one transaction."
  ),
  redactExtraKeys: list(
    "SVC_REDACT_EXTRA_KEYS",
    "Additional key names whose values are masked in args, kwargs and results."
  ),
  agentHeartbeat: integer(
    "SVC_AGENT_HEARTBEAT_SECONDS",
    { default: 10, min: 1, max: 3600 },
    "Heartbeat interval that the brain sets for agents."
  ),
  agentOfflineAfter: integer(
    "SVC_AGENT_OFFLINE_AFTER_SECONDS",
    { default: 30, min: 2, max: secondsPerDay },
    "An agent is offline after this long without a message from it."
  ),
  agentOfflineConfirm: integer(
    "SVC_AGENT_OFFLINE_CONFIRM_SECONDS",
    { default: 60, min: 0, max: secondsPerDay },
    "Time that an agent must have been offline before agent.offline is notified."
  ),
  commandTimeout: integer(
    "SVC_COMMAND_TIMEOUT_SECONDS",
    { default: 60, min: 1, max: 3600 },
    "Time a command has to complete."
  ),
  bulkCommandTimeout: integer(
    "SVC_BULK_COMMAND_TIMEOUT_SECONDS",
    { default: 600, min: 1, max: 3600 },
    "Time a bulk command has to complete."
  ),
  bulkRetryDeadlineHours: integer(
    "SVC_BULK_RETRY_DEADLINE_HOURS",
    { default: 72, min: 1, max: 720 },
    "A bulk retry ends this many hours after it was created, whatever is left of it; a bulk cancellation skips what is left."
  ),
  bulkRetryOpenCommands: integer(
    "SVC_BULK_RETRY_OPEN_COMMANDS",
    { default: 100, min: 1, max: 500 },
    "Commands without a result of a bulk retry or a bulk cancellation for each engine; further tasks wait."
  ),

  scheduleBreakerThreshold: integer(
    "SVC_SCHEDULE_CIRCUIT_BREAKER_THRESHOLD",
    { default: 5, min: 0, max: 20 },
    "Failed fires in a row that disable a schedule; 0: never."
  ),
  scheduleCatchUpMax: integer(
    "SVC_SCHEDULE_CATCH_UP_MAX",
    { default: 100, min: 1, max: 1000 },
    "Maximum missed ticks that a schedule with catch_up fire_all_missed fires after an outage; the newest ones."
  ),
  scheduleReplayPerSecond: integer(
    "SVC_SCHEDULE_REPLAY_PER_SECOND",
    { default: 20, min: 1, max: 1000 },
    "Maximum fires a second and engine of a project that are sent late: missed ticks, and fires that waited for an agent."
  ),
  scheduleBufferSeconds: integer(
    "SVC_SCHEDULE_BUFFER_SECONDS",
    { default: 3600, min: 1, max: 604_800 },
    "Time that a fire waits for an agent of its engine."
  ),
  scheduleGraceSeconds: integer(
    "SVC_SCHEDULE_GRACE_SECONDS",
    { default: 60, min: 1, max: 604_800 },
    "A tick that fires later than this is a misfire, unless the schedule has its own grace."
  ),

  queuesPerProject: integer(
    "SVC_QUEUES_PER_PROJECT",
    { default: 10_000, min: 1, max: 1_000_000 },
    "Maximum queues of a project; reports of further ones are dropped."
  ),
  failureGroupsPerProject: integer(
    "SVC_FAILURE_GROUPS_PER_PROJECT",
    { default: 10_000, min: 1, max: 1_000_000 },
    "Maximum failure groups of a project; failures of further ones are not grouped."
  ),
  rollupSeriesPerProject: integer(
    "SVC_ROLLUP_SERIES_PER_PROJECT",
    { default: 5000, min: 100, max: 1_000_000 },
    "Maximum engines, queues and task names of a project with counts of their own; further ones are counted as `other`."
  ),
  workersPerProject: integer(
    "SVC_WORKERS_PER_PROJECT",
    { default: 50_000, min: 1, max: 1_000_000 },
    "Maximum workers of a project; reports of further ones are dropped."
  ),
  agentProcessesPerProject: integer(
    "SVC_AGENT_PROCESSES_PER_PROJECT",
    { default: 50_000, min: 1, max: 1_000_000 },
    "Maximum agent processes stored per project; beyond it, the least recently seen offline ones are deleted."
  ),
  reconcileAfter: integer(
    "SVC_RECONCILE_AFTER_SECONDS",
    { default: 600, min: 0, max: 30 * secondsPerDay },
    "The agent is asked about a task that has not ended and whose last event is this old, unless a worker lists it; 0: never."
  )
} as const
