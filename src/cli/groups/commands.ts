import { Args, Command, Options } from "@effect/cli"
import { CommandStatus } from "../../domain/Command.ts"
import { lazyHandlers } from "../Load.ts"
import { engine, issue, json, page, project, yes } from "../Options.ts"

const handler = lazyHandlers(() => import("../handlers/commands.ts"))

const task = Args.text({ name: "task" }).pipe(Args.withDescription("The engine's id of the task."))
const queue = Args.text({ name: "queue" }).pipe(Args.withDescription("Name of the queue."))
const worker = Args.text({ name: "worker" }).pipe(Args.withDescription("Name of the worker."))
const commandId = Args.text({ name: "command" }).pipe(Args.withDescription("Id of the command."))

const override = (name: string, line: string) => Options.text(name).pipe(Options.withDescription(line), Options.optional)

const retry = Command.make("retry", {
  task,
  engine,
  args: override("args", "Other positional arguments, as a JSON array; give --kwargs too."),
  kwargs: override("kwargs", "Other named arguments, as a JSON object; give --args too."),
  etaSeconds: Options.integer("eta-seconds").pipe(Options.withDescription("Run it so much later."), Options.optional),
  ...issue
}, handler((module) => module.retry)).pipe(Command.withDescription("Run a task again."))

const bulkRetry = Command.make("bulk-retry", {
  tasks: Args.text({ name: "task" }).pipe(Args.withDescription("The engine's ids of the tasks."), Args.repeated),
  tasksStdin: Options.boolean("tasks-stdin").pipe(Options.withDescription("Read more ids from standard input, one a line.")),
  engine,
  max: Options.integer("max").pipe(Options.withDescription("Most tasks that are run again."), Options.withDefault(1000)),
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
    Options.withDescription("How many messages are thought to wait; the agent purges only when it finds as many."),
    Options.optional
  ),
  force: Options.boolean("force").pipe(Options.withDescription("Purge however many there are.")),
  yes,
  ...issue
}, handler((module) => module.actions.purge)).pipe(Command.withDescription("Delete every message that waits in a queue."))

const restart = Command.make("restart", { worker, engine, ...issue }, handler((module) => module.actions.restart)).pipe(
  Command.withDescription("Restart a worker.")
)

const poolResize = Command.make("pool-resize", {
  worker,
  grow: Options.integer("grow").pipe(Options.withDescription("So many processes or threads more."), Options.optional),
  shrink: Options.integer("shrink").pipe(Options.withDescription("So many fewer."), Options.optional),
  engine,
  ...issue
}, handler((module) => module.actions.poolResize)).pipe(Command.withDescription("Grow or shrink a worker's pool."))

const addConsumer = Command.make("add-consumer", { worker, queue, engine, ...issue }, handler((module) => module.actions.addConsumer)).pipe(
  Command.withDescription("Let a worker take tasks from a queue.")
)

const cancelConsumer = Command.make("cancel-consumer", { worker, queue, engine, ...issue }, handler((module) => module.actions.cancelConsumer)).pipe(
  Command.withDescription("Let a worker take no more tasks from a queue.")
)

const rateLimit = Command.make("rate-limit", {
  taskName: Args.text({ name: "task-name" }).pipe(Args.withDescription("Name of the tasks that are limited.")),
  rate: Args.text({ name: "rate" }).pipe(Args.withDescription("Such as 10, 100/m or 5/s; 0 clears the limit.")),
  worker: Options.text("worker").pipe(Options.withDescription("Only at this worker."), Options.optional),
  engine,
  ...issue
}, handler((module) => module.actions.rateLimit)).pipe(Command.withDescription("Limit how often tasks of a name start."))

const withdraw = Command.make("withdraw", { commandId, project, json }, handler((module) => module.withdraw)).pipe(
  Command.withDescription("Cancel a command that no agent has been given yet.")
)

const list = Command.make("list", {
  status: Options.choice("status", CommandStatus.literals).pipe(Options.withDescription("In this status."), Options.optional),
  ...page,
  project,
  json
}, handler((module) => module.list)).pipe(Command.withDescription("List commands, newest first."))

const show = Command.make("show", { commandId, project, json }, handler((module) => module.show)).pipe(
  Command.withDescription("Show a command, how it ended, and what the agent said.")
)

export const commands = Command.make("commands").pipe(
  Command.withDescription("What is asked of agents: run again, cancel, purge, steer workers."),
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
