export const palette = {
  label: "Go to or do",
  failed: "The palette could not be loaded",
  failedHint: "Reload the page. svc may have been updated since you opened it.",
  placeholder: "A page, a name, or part of a task id",
  searching: "Searching tasks",
  nothing: "Nothing matches. Tasks are searched from four characters.",
  found: (count: string) => `${count} found`,
  copyId: "Copy the id of the task",
  copyIds: "Copy the ids of the selected tasks",
  copyLink: "Copy the link to the task",
  groups: {
    actions: "Selected or open",
    pages: "Pages",
    tasks: "Tasks",
    projects: "Projects",
    schedules: "Schedules",
    queues: "Queues",
    workers: "Workers",
    agents: "Agents"
  }
}
