import type { Texts } from "../en.ts"

export const home: Texts["home"] = {
  title: "Alle Projekte",
  noProjects: "Sie sind noch in keinem Projekt",
  noProjectsHint: "Bitten Sie einen Administrator, Sie zu einem Projekt hinzuzufügen.",
  agents: "Agenten",
  workers: "Worker",
  tasks24h: "Tasks, 24 h",
  failed24h: "Fehlgeschlagen, 24 h",
  lastActivity: "Letzte Aktivität",
  recentFailures: "Letzte Fehler",
  noFailures: "Keine fehlgeschlagenen Tasks",
  project: "Projekt",
  health: "Zustand",
  healths: { healthy: "In Ordnung", degraded: "Eingeschränkt", critical: "Kritisch", idle: "Noch keine Agenten" }
}
