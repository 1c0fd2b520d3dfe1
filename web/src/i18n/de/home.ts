import type { Texts } from "../en.ts"

export const home: Texts["home"] = {
  title: "Alle Projekte",
  noProjects: "Sie sind in keinem Projekt Mitglied",
  noProjectsHint: "Bitten Sie einen Admin, Sie zu einem Projekt hinzuzufügen.",
  agents: "Agenten",
  workers: "Worker",
  tasks24h: "Tasks, 24 h",
  failed24h: "Fehlgeschlagen, 24 h",
  lastActivity: "Letzte Aktivität",
  recentFailures: "Letzte Fehler",
  noFailures: "Kein Task ist fehlgeschlagen",
  project: "Projekt",
  health: "Zustand",
  healths: { healthy: "In Ordnung", degraded: "Beeinträchtigt", critical: "Kritisch", idle: "Noch keine Agenten" }
}
