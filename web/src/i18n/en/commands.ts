import { common } from "./common.ts"

export const commands = {
  title: common.commands,
  action: common.action,
  target: common.target,
  agent: common.agent,
  status: common.outcome,
  issued: "Issued",
  took: common.took,
  error: common.error,
  none: "No commands yet",
  noneOfStatus: "No commands with this outcome",
  noneHint: "Retry or cancel a task, then follow its command here.",
  statuses: {
    pending: common.pending,
    dispatched: "Dispatched",
    completed: common.completed,
    failed: common.failed,
    timeout: common.outcomeUnknown,
    cancelled: common.cancelled
  },
  statusHelp: "What the outcomes mean",
  statusHints: {
    pending: "No agent has taken it yet.",
    dispatched: "An agent has it but has not answered yet.",
    completed: "The agent has executed it.",
    failed: "The agent could not execute it.",
    timeout: "The agent did not answer in time. It may have executed the command.",
    cancelled: "It was cancelled before an agent took it."
  },
  actions: {
    retry_task: "Retry a task",
    cancel_task: "Cancel a task",
    requeue_dead_letter: "Requeue a dead letter",
    bulk_retry: "Retry many tasks",
    purge_queue: "Purge a queue",
    pause_queue: "Pause a queue",
    resume_queue: "Resume a queue",
    restart_worker: "Restart a worker",
    pool_grow: common.addSlots,
    pool_shrink: common.removeSlots,
    add_consumer: "Consume from a queue",
    cancel_consumer: "Stop consuming from a queue",
    rate_limit: common.setRateLimit,
    reconcile_task: "Reconcile a task",
    "dlq.list": "List dead letters",
    "schedule.fire": "Fire a schedule",
    "schedule.trigger_now": "Trigger a schedule now",
    "schedule.delete": "Delete a schedule",
    "schedule.resync": "Publish schedules again",
    "schedule.external.activate": "Publish schedules",
    "schedule.external.control": "Enable or disable a schedule",
    "schedule.external.mutate": "Change a schedule"
  },
  allStatuses: "All outcomes"
}
