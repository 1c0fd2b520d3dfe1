import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { engine, json, page, project, taskFilters } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/tasks.ts"))

const list = Command.make("list", { ...taskFilters, ...page, project, json }, handler((module) => module.list)).pipe(
  Command.withDescription("List tasks, newest first.")
)

const file = Args.text({ name: "file" }).pipe(
  Args.withDescription("Path of a new file; its name ends in .csv, .json or .xlsx.")
)

const fields = Options.text("fields").pipe(
  Options.withDescription("Columns, separated by commas; default: all."),
  Options.optional
)

const exportTasks = Command.make(
  "export",
  { file, ...taskFilters, fields, project },
  handler((module) => module.exportTasks)
).pipe(
  Command.withDescription("Write all matching tasks into a file, newest first.")
)

const task = Args.text({ name: "task" }).pipe(Args.withDescription("The engine's id of the task."))

const show = Command.make("show", { task, engine, project, json }, handler((module) => module.show)).pipe(
  Command.withDescription("Show a task with its arguments, result and error.")
)

const why = Command.make("why", { task, engine, project, json }, handler((module) => module.why)).pipe(
  Command.withDescription("Explain why a task is not running, the likeliest reason first.")
)

const runs = Command.make("runs", { task, engine, project, json }, handler((module) => module.runs)).pipe(
  Command.withDescription("List the runs of a task whose engine uses its id again, latest first.")
)

const tail = Command.make(
  "tail",
  { project, json: Options.boolean("json").pipe(Options.withDescription("Print one JSON object a line.")) },
  handler((module) => module.tail)
).pipe(Command.withDescription("Print tasks as they change, until interrupted."))

export const tasks = Command.make("tasks").pipe(
  Command.withDescription("The tasks of a project."),
  Command.withSubcommands([list, show, why, runs, exportTasks, tail])
)
