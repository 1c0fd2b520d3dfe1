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
    search: "Go to the filter",
    next: "Next task",
    previous: "Previous task",
    open: "Open the task",
    select: "Select the task",
    retry: "Retry (asks first)",
    cancel: "Cancel (asks first)"
  }
}
