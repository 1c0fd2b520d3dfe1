export const agents = {
  title: "Agents",
  name: "Agent",
  state: "State",
  engines: "Engines",
  host: "Host",
  version: "Version",
  lastSeen: "Last seen",
  refused: "Last refused",
  advice: "Advice",
  none: "No agent yet",
  noneHint: "Create one with: svc agents create NAME",
  states: { online: "Online", offline: "Offline" },
  outdated: "speaks an older protocol"
}
