export const queues = {
  title: "Queues",
  name: "Queue",
  engine: "Engine",
  depth: "Waiting",
  broker: "Broker",
  lastSeen: "Last report",
  none: "No queue yet",
  noneHint: "An agent reports the queues of its engine."
}
