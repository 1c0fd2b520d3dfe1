import { bindCommands, define, makeGroup } from "../program/Group.ts"
import {
  argument,
  engine,
  flag,
  integer,
  json,
  optionalChoice,
  optionalText,
  page,
  project,
  taskFilters
} from "../program/Options.ts"

const task = argument("task", "The engine's id of the task.")

export const definitions = {
  list: define("List tasks, newest first.", { ...taskFilters, ...page, project, json }),
  show: define("Show a task with its arguments, result and error.", { task, engine, project, json }),
  why: define("Explain why a task is not running, the likeliest reason first.", { task, engine, project, json }),
  compare: define("Compare a task with the last one of its name that succeeded before it.", {
    task,
    engine,
    project,
    json
  }),
  differ: define("Show what is more frequent among the failed tasks of a name than among the succeeded ones.", {
    name: optionalText("name", "The whole name of the tasks."),
    fingerprint: optionalText("fingerprint", "Failures of this failure group (svc failures list)."),
    hours: integer("hours", "How many hours of tasks, up to now: 1 to 2160.", 24),
    project,
    json
  }),
  runs: define("List the runs of a task whose engine uses its id again, latest first.", {
    task,
    engine,
    project,
    json
  }),
  export: define("Write all matching tasks into a file, newest first.", {
    file: argument("file", "Path of a new file; its name ends in .csv, .json or .xlsx."),
    ...taskFilters,
    fields: optionalText("fields", "Columns, separated by commas; default: all."),
    project
  }),
  logs: define("Print the lines that a task wrote while it ran.", {
    task,
    engine,
    follow: flag("follow", "Wait for further lines, until interrupted."),
    level: optionalChoice("level", ["debug", "info", "warning", "error"], "Only lines of this level and above."),
    search: optionalText("search", "Only lines with this text, in any case."),
    project,
    json: flag("json", "Print one JSON object a line.")
  }),
  tail: define("Print tasks as they change, until interrupted.", {
    project,
    json: flag("json", "Print one JSON object a line.")
  })
}

export const tasks = makeGroup(
  "tasks",
  "The tasks of a project.",
  bindCommands(definitions, () => import("./handlers/tasks.ts"))
)
