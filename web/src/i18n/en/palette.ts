import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const palette = {
  label: "Go to or run",
  placeholder: "A page, a name, or part of a task ID",
  searching: "Searching tasks",
  nothing: "Nothing matches.",
  tooShort: "Type at least four characters to search tasks.",
  noProject: "Open a project to search its tasks.",
  searchedBack: (time: string) => `Tasks before ${time} were not searched.`,
  found: (count: Count) => `${count.text} found`,
  copyId: "Copy the task ID",
  copyIds: "Copy the IDs of the selected tasks",
  copyLink: "Copy the link to the task",
  groups: {
    actions: "Selected or open",
    pages: "Pages",
    tasks: common.tasks,
    names: "Task names",
    failures: common.failures,
    projects: common.projects,
    schedules: common.schedules,
    rules: "Automation rules",
    queues: common.queues,
    workers: common.workers,
    agents: common.agents
  }
}
