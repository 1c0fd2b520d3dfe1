import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { argument, flag, json, page, project, taskFilters, yes } from "../program/Options.ts"

const id = argument("bulk-job", "Id of the bulk job.")

const watch = flag("watch", "Show its progress until it ends. Exit code 0: all done, 1: not all, 3: unknown.")

const { name, priority, query, queue, since, state, until, worker } = taskFilters

const creation = {
  filters: { state, priority, name, queue, worker, since, until, query },
  yes,
  watch,
  project,
  json
}

export const definitions = {
  delete: define("Delete the records of all tasks that match; the engine is not notified.", creation),
  cancel: define("Cancel all tasks that match and have not ended.", creation),
  list: define("List bulk jobs, newest first.", { ...page, project, json }),
  show: define("Show a bulk job and how far it is.", { id, watch, project, json }),
  stop: define("Stop a bulk job, for good. Tasks that are left stay as they are.", { id, project, json })
}

export const bulkJobs = makeGroup(
  "bulk-jobs",
  "Delete or cancel all tasks that match a filter.",
  bindCommands(definitions, () => import("./handlers/bulk-jobs.ts"))
)
