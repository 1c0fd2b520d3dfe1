export const queues = {
  title: "Queues",
  name: "Queue",
  engine: "Engine",
  depth: "Waiting",
  oldest: "Oldest waits since",
  received: "Received, 1 h",
  ended: "Ended, 1 h",
  consumers: "Consumers",
  noConsumer: "No worker consumes it",
  broker: "Broker",
  lastSeen: "Last report",
  actions: "Actions",
  none: "No queue yet",
  noneHint: "An agent reports the queues of its engine.",
  purge: "Purge",
  purgeLabel: (name: string) => `Purge ${name}`,
  purgeQuestion: (name: string) => `Purge the queue ${name}?`,
  purgeNotice: (name: string) => `Purge: ${name}`,
  purgeDepth: (depth: string) => `${depth} messages wait. All of them are deleted, and this cannot be undone.`,
  purgeUnknown:
    "The agent does not report how many messages wait. All of them are deleted, however many they are, and this cannot be undone.",
  purgeHint: (agent: string) =>
    `The agent ${agent} counts the messages again, and refuses when their number has changed.`,
  purgeForce: "Purge any number",
  purgeForceHint: "Also needed above the agent's limit, which is 1000 unless it was set."
}
