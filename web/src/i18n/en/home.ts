export const home = {
  title: "All projects",
  noProjects: "You are a member of no project",
  noProjectsHint: "Ask an admin to add you to one.",
  agents: "Agents",
  workers: "Workers",
  tasks24h: "Tasks, 24 h",
  failed24h: "Failed, 24 h",
  lastActivity: "Last activity",
  recentFailures: "Recent failures",
  noFailures: "No task is failed now",
  project: "Project",
  health: "Health",
  healths: { healthy: "Healthy", degraded: "Degraded", critical: "Critical", idle: "No agents yet" }
}
