import type { Texts } from "../en.ts"

export const home: Texts["home"] = {
  title: "Todos los proyectos",
  noProjects: "No es miembro de ningún proyecto",
  noProjectsHint: "Pida a un administrador que le añada a uno.",
  agents: "Agentes",
  workers: "Workers",
  tasks24h: "Tareas, 24 h",
  failed24h: "Fallidas, 24 h",
  lastActivity: "Última actividad",
  recentFailures: "Fallos recientes",
  noFailures: "Ninguna tarea ha fallado",
  project: "Proyecto",
  health: "Salud",
  healths: { healthy: "Correcto", degraded: "Degradado", critical: "Crítico", idle: "Aún sin agentes" }
}
