import type { Texts } from "../en.ts"

export const home: Texts["home"] = {
  title: "Tous les projets",
  noProjects: "Vous ne faites encore partie d’aucun projet",
  noProjectsHint: "Demandez à un administrateur de vous ajouter à un projet.",
  agents: "Agents",
  workers: "Workers",
  tasks24h: "Tâches, 24 h",
  failed24h: "En échec, 24 h",
  lastActivity: "Dernière activité",
  recentFailures: "Échecs récents",
  noFailures: "Aucune tâche en échec",
  project: "Projet",
  health: "Santé",
  healths: { healthy: "Bonne", degraded: "Dégradée", critical: "Critique", idle: "Pas encore d’agent" }
}
