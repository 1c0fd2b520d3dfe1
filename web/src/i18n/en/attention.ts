import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"
export const attention = {
  title: common.needsAttention,
  calm: "Nothing needs attention",
  severities: { critical: common.critical, warning: common.warning },
  kinds: {
    agents_offline: (count: Count) => plural(count, "# agent is offline", "# agents are offline"),
    agents_refused: (count: Count) =>
      plural(
        count,
        "# agent had requests refused in the last 24 hours",
        "# agents had requests refused in the last 24 hours"
      ),
    alerts_open: (count: Count) =>
      plural(count, "# open alert is not acknowledged", "# open alerts are not acknowledged"),
    approvals_waiting: (count: Count) =>
      plural(count, "# action waits for a second person", "# actions wait for a second person"),
    failure_rate: (count: Count) => `At least 20% of tasks fail: ${count.text} in the last 24 hours`,
    queue_depth: (count: Count) =>
      plural(count, "# queue holds 1,000 tasks or more", "# queues hold 1,000 tasks or more"),
    queue_over_target: (count: Count) =>
      plural(
        count,
        "# queue has a task that waits for longer than its target",
        "# queues have tasks that wait for longer than their target"
      ),
    queue_growth: (count: Count) =>
      plural(count, "# queue has been growing for 15 minutes", "# queues have been growing for 15 minutes"),
    queue_unconsumed: (count: Count) =>
      plural(
        count,
        "# queue has waiting tasks and no worker that consumes it",
        "# queues have waiting tasks and no worker that consumes them"
      ),
    failure_groups_regressed: (count: Count) =>
      plural(count, "# resolved failure group failed again", "# resolved failure groups failed again"),
    failure_groups_new: (count: Count) =>
      plural(count, "# new failure group in the last 24 hours", "# new failure groups in the last 24 hours"),
    failure_groups_escalating: (count: Count) =>
      plural(
        count,
        "# failure group is escalating: twice its worst hour of the day before, or more",
        "# failure groups are escalating: twice their worst hour of the day before, or more"
      ),
    stuck_commands: (count: Count) =>
      plural(count, "# command stuck for over 5 minutes", "# commands stuck for over 5 minutes"),
    schedule_misfires: (count: Count) =>
      plural(count, "# missed schedule run in the last 24 hours", "# missed schedule runs in the last 24 hours"),
    channels_disabled: (count: Count) => plural(count, "# channel is disabled", "# channels are disabled"),
    breakers_tripped: (count: Count) => plural(count, "# rule has a tripped breaker", "# rules have a tripped breaker"),
    schedules_tripped: (count: Count) =>
      plural(count, "# schedule disabled by its circuit breaker", "# schedules disabled by their circuit breaker")
  },
  lastSeen: (name: string, time: string) => `${name}: last seen ${time}`,
  neverConnected: (name: string) => `${name}: has never connected`,
  refused: (name: string, reason: string) => `${name}: ${reason}`
}
