import type { Texts } from "../en.ts"

export const home: Texts["home"] = {
  title: "Todos los proyectos",
  noProjects: "Todavía no está en ningún proyecto",
  noProjectsHint: "Pida a un administrador que le añada a un proyecto.",
  agents: "Agentes",
  workers: "Workers",
  tasks24h: "Tareas, 24 h",
  failed24h: "Fallidas, 24 h",
  lastActivity: "Última actividad",
  recentFailures: "Fallos recientes",
  noFailures: "No hay tareas fallidas",
  project: "Proyecto",
  health: "Salud",
  healths: { healthy: "Correcto", degraded: "Degradado", critical: "Crítico", idle: "Aún sin agentes" }
}
