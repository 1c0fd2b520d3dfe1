export const palette = {
  label: "Go to or do",
  failed: "The palette could not be loaded",
  failedHint: "Reload the page. svc may have been updated since you opened it.",
  placeholder: "A page, a name, or part of a task id",
  searching: "Searching tasks",
  nothing: "Nothing matches.",
  tooShort: "Tasks are searched from four characters.",
  noProject: "Open a project to search its tasks.",
  searchedBack: (time: string) => `Tasks before ${time} were not searched.`,
  found: (count: string) => `${count} found`,
  copyId: "Copy the id of the task",
  copyIds: "Copy the ids of the selected tasks",
  copyLink: "Copy the link to the task",
  groups: {
    actions: "Selected or open",
    pages: "Pages",
    tasks: "Tasks",
    failures: "Failures",
    projects: "Projects",
    schedules: "Schedules",
    rules: "Automation rules",
    queues: "Queues",
    workers: "Workers",
    agents: "Agents"
  }
}
