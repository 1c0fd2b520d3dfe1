export const keys = {
  title: "Keys",
  places: {
    everywhere: "Everywhere",
    tasks: "In the list of tasks",
    task: "On the selected tasks, else the one with the focus, or the open one"
  },
  go: "Go to a page",
  does: {
    palette: "Open the palette, also while typing",
    help: "List the keys",
    search: "Go to the filter",
    next: "Next task",
    previous: "Previous task",
    open: "Open the task",
    select: "Select the task",
    retry: "Retry, after a question",
    cancel: "Cancel, after a question"
  }
}
