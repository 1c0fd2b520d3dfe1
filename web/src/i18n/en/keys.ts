import { common } from "./common.ts"

export const keys = {
  title: "Keyboard shortcuts",
  places: {
    everywhere: "Everywhere",
    tasks: "In the list of tasks",
    task: "On the selected tasks, or else on the focused or open one"
  },
  go: "Go to a page",
  does: {
    palette: "Open the palette, also while typing",
    help: "Show keyboard shortcuts",
    search: "Go to the filter, else open the palette",
    next: "Next task",
    previous: "Previous task",
    open: common.openTheTask,
    select: "Select the task",
    retry: "Retry (asks first)",
    cancel: "Cancel (asks first)"
  }
}
