import { common } from "./common.ts"

export const notifications = {
  title: common.notifications,
  parts: {
    alerts: common.alerts,
    channels: common.channels,
    defaults: "Default subscriptions",
    deliveries: common.deliveries,
    maintenance: common.maintenanceWindows
  },
  own: common.myNotifications,
  triggers: {
    "task.failed": "A task failed",
    "task.succeeded": "A task succeeded",
    "task.retried": "A task is retried",
    "task.retries_exhausted": "The last retry failed",
    "task.failure_rate": common.failureRate,
    "task.orphaned": "A task was orphaned",
    "failure_group.regressed": "A resolved failure came back",
    "agent.offline": "An agent is offline",
    "agent.online": "An agent is back",
    "worker.offline": "A worker is offline",
    "schedule.misfired": "A schedule missed a run",
    "schedule.fire.succeeded": "A fire succeeded",
    "schedule.fire.failed": "A fire failed",
    "schedule.task_failed": "A scheduled task failed",
    "schedule.circuit_breaker.tripped": "A schedule was disabled after failures",
    "approval.requested": "Approval requested",
    "test.dispatch": "Test",
    "channel.failing": "A channel is failing",
    "channel.disabled": "A channel was disabled"
  },
  severities: { critical: common.critical, error: common.error, warning: common.warning, info: "Info" }
}
