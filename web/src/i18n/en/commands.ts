export const commands = {
  title: "Commands",
  action: "Action",
  target: "Target",
  status: "Outcome",
  issued: "Issued",
  took: "Took",
  error: "Error",
  none: "No command yet",
  noneOfStatus: "No command with this outcome",
  noneHint: "Retry or cancel a task, and see here what became of it.",
  statuses: {
    pending: "Pending",
    dispatched: "Dispatched",
    completed: "Completed",
    failed: "Failed",
    timeout: "Outcome unknown",
    cancelled: "Cancelled"
  },
  statusHints: {
    pending: "No agent has taken it yet.",
    dispatched: "An agent has it, and has not answered yet.",
    completed: "The agent did it.",
    failed: "The agent could not do it.",
    timeout: "The agent did not answer in time. It may have done it.",
    cancelled: "It was cancelled before an agent took it."
  },
  actions: {
    retry_task: "Retry a task",
    cancel_task: "Cancel a task",
    requeue_dead_letter: "Requeue a dead letter",
    bulk_retry: "Retry many tasks",
    purge_queue: "Purge a queue",
    restart_worker: "Restart a worker",
    pool_grow: "Grow a pool",
    pool_shrink: "Shrink a pool",
    add_consumer: "Consume from a queue",
    cancel_consumer: "Stop consuming from a queue",
    rate_limit: "Limit a rate",
    reconcile_task: "Reconcile a task",
    "dlq.list": "List dead letters"
  },
  allStatuses: "All outcomes"
}
