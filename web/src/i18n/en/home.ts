import { common } from "./common.ts"

export const home = {
  title: common.allProjects,
  noProjects: "You aren't in any project yet",
  noProjectsHint: "Ask an admin to add you to a project.",
  agents: common.agents,
  workers: common.workers,
  tasks24h: "Tasks, 24 h",
  failed24h: "Failed, 24 h",
  lastActivity: "Last activity",
  recentFailures: "Recent failures",
  noFailures: "No failed tasks",
  project: common.project,
  health: common.health,
  healths: { healthy: "Healthy", degraded: "Degraded", critical: common.critical, idle: "No agents yet" }
}
