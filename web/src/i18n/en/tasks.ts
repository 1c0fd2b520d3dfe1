export const tasks = {
  title: "Tasks",
  query: "Filter tasks",
  queryHint: "state:failure name:mail queue:slow engine:celery worker:box-1 since:1h \"timeout\"",
  queryHelp:
    "Terms: state, name, queue, engine, worker, priority, fingerprint, since, until. Other words are searched for in names, ids and errors.",
  queryErrors: {
    term: (term: string) => `There is no term “${term}”.`,
    value: (term: string, value: string) => `“${value}” is no value of ${term}.`,
    quote: "A quotation mark is missing."
  },
  columns: {
    state: "State",
    name: "Name",
    queue: "Queue",
    worker: "Worker",
    received: "Received",
    runtime: "Run time",
    retries: "Retries",
    id: "Id"
  },
  allStates: "All states",
  newTasks: (count: string) => `${count} new`,
  showNew: "Show them",
  noTasks: "No task yet",
  noTasksHint: "Connect an agent; the first task appears here within a second.",
  noMatch: "No task matches",
  noMatchHint: "Remove a term, or look further back.",
  clear: "Clear the filter",
  loadingMore: "Loading older tasks",
  end: "These are all",
  density: "Row height",
  densities: { compact: "Compact", comfortable: "Comfortable" },
  selected: (count: string) => `${count} selected`,
  select: (name: string) => `Select ${name}`,
  selectColumn: "Selected",
  actionColumn: "Actions",
  clearSelection: "Clear the selection",
  retry: "Retry",
  cancel: "Cancel the task"
}
