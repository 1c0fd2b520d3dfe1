export const workers = {
  title: "Workers",
  name: "Worker",
  state: "State",
  engine: "Engine",
  host: "Host",
  queues: "Queues",
  active: "Running",
  processed: "Processed",
  failed: "Failed",
  heartbeat: "Last heartbeat",
  none: "No worker yet",
  noneHint: "Workers appear when an agent beside them reports them.",
  states: { online: "Online", offline: "Offline", draining: "Draining", unknown: "Unknown" }
}
