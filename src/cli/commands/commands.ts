import { Args, Command, Options } from "@effect/cli"
import { CommandStatus } from "../../domain/commands/Command.ts"
import { lazyHandlers } from "../program/Load.ts"
import { engine, issue, json, page, project, yes } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/commands.ts"))

const task = Args.text({ name: "task" }).pipe(Args.withDescription("The engine's id of the task."))
const queue = Args.text({ name: "queue" }).pipe(Args.withDescription("Name of the queue."))
const worker = Args.text({ name: "worker" }).pipe(Args.withDescription("Name of the worker."))
const commandId = Args.text({ name: "command" }).pipe(Args.withDescription("Id of the command."))

const override = (name: string, line: string) =>
  Options.text(name).pipe(Options.withDescription(line), Options.optional)

const retry = Command.make("retry", {
  task,
  engine,
  args: override("args", "Positional arguments instead of the task's own, as a JSON array; requires --kwargs."),
  kwargs: override("kwargs", "Named arguments instead of the task's own, as a JSON object; requires --args."),
  etaSeconds: Options.integer("eta-seconds").pipe(
    Options.withDescription("Run it after this many seconds."),
    Options.optional
  ),
  force: Options.boolean("force").pipe(
    Options.withDescription("Retry although the same retry was sent in the last 10 seconds.")
  ),
  ...issue
}, handler((module) => module.retry)).pipe(Command.withDescription("Run a task again."))

const bulkRetry = Command.make("bulk-retry", {
  tasks: Args.text({ name: "task" }).pipe(Args.withDescription("The engine's ids of the tasks."), Args.repeated),
  tasksStdin: Options.boolean("tasks-stdin").pipe(
    Options.withDescription("Read more ids from standard input, one a line.")
  ),
  engine,
  max: Options.integer("max").pipe(
    Options.withDescription("The most tasks to run again, at most 10000."),
    Options.withDefault(1000)
  ),
  ...issue
}, handler((module) => module.actions.bulkRetry)).pipe(Command.withDescription("Run many tasks again."))

const cancel = Command.make("cancel", { task, engine, ...issue }, handler((module) => module.actions.cancel)).pipe(
  Command.withDescription("Cancel a task.")
)

const requeue = Command.make("requeue", { task, engine, ...issue }, handler((module) => module.actions.requeue)).pipe(
  Command.withDescription("Put a dead letter back into its queue.")
)

const purge = Command.make("purge", {
  queue,
  engine,
  observedDepth: Options.integer("observed-depth").pipe(
    Options.withDescription(
      "The expected number of waiting messages; the agent purges only if it finds exactly as many."
    ),
    Options.optional
  ),
  force: Options.boolean("force").pipe(Options.withDescription("Purge any number of messages.")),
  yes,
  ...issue
}, handler((module) => module.actions.purge)).pipe(
  Command.withDescription("Delete every message that waits in a queue.")
)

const restart = Command.make("restart", { worker, engine, ...issue }, handler((module) => module.actions.restart)).pipe(
  Command.withDescription("Restart a worker.")
)

const poolResize = Command.make("pool-resize", {
  worker,
  grow: Options.integer("grow").pipe(Options.withDescription("Add this many processes or threads."), Options.optional),
  shrink: Options.integer("shrink").pipe(
    Options.withDescription("Remove this many processes or threads."),
    Options.optional
  ),
  engine,
  ...issue
}, handler((module) => module.actions.poolResize)).pipe(Command.withDescription("Grow or shrink a worker's pool."))

const addConsumer = Command.make(
  "add-consumer",
  { worker, queue, engine, ...issue },
  handler((module) => module.actions.addConsumer)
).pipe(
  Command.withDescription("Let a worker consume a queue.")
)

const cancelConsumer = Command.make(
  "cancel-consumer",
  { worker, queue, engine, ...issue },
  handler((module) => module.actions.cancelConsumer)
).pipe(
  Command.withDescription("Stop a worker from consuming a queue.")
)

const rateLimit = Command.make("rate-limit", {
  taskName: Args.text({ name: "task-name" }).pipe(Args.withDescription("Name of the tasks to limit.")),
  rate: Args.text({ name: "rate" }).pipe(
    Args.withDescription("The rate, such as 10, 100/m or 5/s; 0 clears the limit.")
  ),
  worker: Options.text("worker").pipe(Options.withDescription("Only at this worker."), Options.optional),
  engine,
  ...issue
}, handler((module) => module.actions.rateLimit)).pipe(
  Command.withDescription("Limit how often tasks of a name start.")
)

const withdraw = Command.make("withdraw", { commandId, project, json }, handler((module) => module.withdraw)).pipe(
  Command.withDescription("Cancel a command that is still pending.")
)

const list = Command.make("list", {
  status: Options.choice("status", CommandStatus.literals).pipe(
    Options.withDescription("Only commands in this status."),
    Options.optional
  ),
  ...page,
  project,
  json
}, handler((module) => module.list)).pipe(Command.withDescription("List commands, newest first."))

const show = Command.make("show", { commandId, project, json }, handler((module) => module.show)).pipe(
  Command.withDescription("Show a command, its outcome and the agent's answer.")
)

export const commands = Command.make("commands").pipe(
  Command.withDescription("Commands to agents: retry, cancel, purge, control workers."),
  Command.withSubcommands([
    list,
    show,
    withdraw,
    retry,
    cancel,
    requeue,
    bulkRetry,
    purge,
    restart,
    poolResize,
    addConsumer,
    cancelConsumer,
    rateLimit
  ])
)
