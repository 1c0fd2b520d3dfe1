import { Args, Command, Options } from "@effect/cli"
import { TaskPriority, TaskState } from "../../domain/TaskState.ts"
import { lazyHandlers } from "../Load.ts"
import { engine, json, page, project } from "../Options.ts"

const handler = lazyHandlers(() => import("../handlers/tasks.ts"))

const filter = (name: string, line: string) => Options.text(name).pipe(Options.withDescription(line), Options.optional)

const filters = {
  state: Options.choice("state", TaskState.literals).pipe(
    Options.withDescription("Only tasks in this state."),
    Options.optional
  ),
  priority: Options.choice("priority", TaskPriority.literals).pipe(
    Options.withDescription("Only tasks of this priority."),
    Options.optional
  ),
  name: filter("name", "Only tasks whose name contains this; case-sensitive."),
  search: filter("search", "Only tasks whose name, queue, worker, task id or error contains this; ignores case."),
  queue: filter("queue", "Only tasks of this queue."),
  worker: filter("worker", "Only tasks of this worker."),
  since: filter("since", "Received at this time or later: 1h, today, or 2026-11-21T08:00:00Z."),
  until: filter("until", "Received at this time or earlier.")
}

const list = Command.make("list", { ...filters, ...page, project, json }, handler((module) => module.list)).pipe(
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
  { file, ...filters, fields, project },
  handler((module) => module.exportTasks)
).pipe(
  Command.withDescription("Write all matching tasks into a file, newest first.")
)

const task = Args.text({ name: "task" }).pipe(Args.withDescription("The engine's id of the task."))

const show = Command.make("show", { task, engine, project, json }, handler((module) => module.show)).pipe(
  Command.withDescription("Show a task with its arguments, result and error.")
)

const tail = Command.make(
  "tail",
  { project, json: Options.boolean("json").pipe(Options.withDescription("Print one JSON object a line.")) },
  handler((module) => module.tail)
).pipe(Command.withDescription("Print tasks as they change, until interrupted."))

export const tasks = Command.make("tasks").pipe(
  Command.withDescription("The tasks of a project."),
  Command.withSubcommands([list, show, exportTasks, tail])
)
