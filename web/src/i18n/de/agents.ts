import type { Texts } from "../en.ts"

export const agents: Texts["agents"] = {
  title: "Agenten",
  name: "Agent",
  state: "Status",
  engines: "Engines",
  host: "Host",
  version: "Version",
  lastSeen: "Zuletzt gesehen",
  refused: "Zuletzt abgewiesen",
  advice: "Hinweise",
  none: "Noch keine Agenten",
  noneHint: "Legen Sie einen an mit: svc agents create NAME",
  states: { online: "Online", offline: "Offline" },
  outdated: "spricht ein älteres Protokoll"
}
