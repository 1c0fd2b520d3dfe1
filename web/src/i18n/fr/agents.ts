import type { Texts } from "../en.ts"

export const agents: Texts["agents"] = {
  title: "Agents",
  name: "Agent",
  state: "État",
  engines: "Moteurs",
  host: "Hôte",
  version: "Version",
  lastSeen: "Vu pour la dernière fois",
  refused: "Dernier refus",
  advice: "Conseils",
  none: "Pas encore d’agent",
  noneHint: "Créez-en un avec\u00a0: svc agents create NAME",
  states: { online: "En ligne", offline: "Hors ligne" },
  outdated: "utilise un protocole plus ancien"
}
