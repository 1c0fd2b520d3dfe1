import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const home: Texts["home"] = {
  title: common.allProjects,
  noProjects: "Vous ne faites encore partie d’aucun projet",
  noProjectsHint: "Demandez à un administrateur de vous ajouter à un projet.",
  agents: common.agents,
  workers: common.workers,
  tasks24h: "Tâches, 24 h",
  failed24h: "En échec, 24 h",
  lastActivity: "Dernière activité",
  recentFailures: "Échecs récents",
  noFailures: "Aucune tâche en échec",
  project: common.project,
  health: common.health,
  healths: { healthy: "Bonne", degraded: "Dégradée", critical: common.critical, idle: "Pas encore d’agent" }
}
