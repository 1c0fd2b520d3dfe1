import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const home: Texts["home"] = {
  title: common.allProjects,
  noProjects: "Sie sind noch in keinem Projekt",
  noProjectsHint: "Bitten Sie einen Administrator, Sie zu einem Projekt hinzuzufügen.",
  agents: common.agents,
  workers: common.workers,
  tasks24h: "Tasks, 24 h",
  failed24h: "Fehlgeschlagen, 24 h",
  lastActivity: "Letzte Aktivität",
  recentFailures: "Letzte Fehler",
  noFailures: "Keine fehlgeschlagenen Tasks",
  project: common.project,
  health: common.health,
  healths: {
    healthy: "In Ordnung",
    degraded: "Eingeschränkt",
    critical: common.critical,
    idle: "Noch keine Agenten"
  }
}
