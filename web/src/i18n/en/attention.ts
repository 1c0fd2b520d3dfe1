export const attention = {
  title: "Needs attention",
  calm: "Nothing needs attention",
  severities: { critical: "Critical", warning: "Warning" },
  kinds: {
    agents_offline: (count: string) => `Agents offline: ${count}`,
    agents_refused: (count: string) => `Agents of which something was refused in the last 24 hours: ${count}`,
    failure_rate: (count: string) => `At least 20% of the tasks fail. In the last 24 hours: ${count}`,
    queue_depth: (count: string) => `Queues with 1,000 tasks or more: ${count}`,
    queue_growth: (count: string) => `Queues that have only grown for 15 minutes: ${count}`,
    stuck_commands: (count: string) => `Commands without an outcome for 5 minutes: ${count}`,
    schedule_misfires: (count: string) => `Misfires of schedules in the last 24 hours: ${count}`,
    channels_disabled: (count: string) => `Disabled channels: ${count}`,
    breakers_tripped: (count: string) => `Rules whose breaker has tripped: ${count}`,
    schedules_tripped: (count: string) => `Schedules that the circuit breaker has disabled: ${count}`
  },
  lastSeen: (name: string, time: string) => `${name}: last seen ${time}`,
  neverConnected: (name: string) => `${name}: has never connected`,
  refused: (name: string, reason: string) => `${name}: ${reason}`
}
