export const home = {
  title: "All projects",
  noProjects: "You aren't in any project yet",
  noProjectsHint: "Ask an admin to add you to a project.",
  agents: "Agents",
  workers: "Workers",
  tasks24h: "Tasks, 24 h",
  failed24h: "Failed, 24 h",
  lastActivity: "Last activity",
  recentFailures: "Recent failures",
  noFailures: "No failed tasks",
  project: "Project",
  health: "Health",
  healths: { healthy: "Healthy", degraded: "Degraded", critical: "Critical", idle: "No agents yet" }
}
