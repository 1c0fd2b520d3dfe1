import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const home: Texts["home"] = {
  title: common.allProjects,
  noProjects: "Todavía no está en ningún proyecto",
  noProjectsHint: "Pida a un administrador que le añada a un proyecto.",
  agents: common.agents,
  workers: common.workers,
  tasks24h: "Tareas, 24 h",
  failed24h: "Fallidas, 24 h",
  lastActivity: "Última actividad",
  recentFailures: "Fallos recientes",
  noFailures: "No hay tareas fallidas",
  project: common.project,
  health: common.health,
  healths: { healthy: "Correcto", degraded: "Degradado", critical: common.critical, idle: "Aún sin agentes" }
}
