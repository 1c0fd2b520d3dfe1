import { Args } from "@effect/cli"
import { CommandStatus } from "../../domain/commands/Command.ts"
import { bindCommands, define, makeGroup } from "../program/Group.ts"
import {
  argument,
  engine,
  flag,
  integer,
  issue,
  json,
  optionalChoice,
  optionalInteger,
  optionalText,
  page,
  project,
  yes
} from "../program/Options.ts"

const task = argument("task", "The engine's id of the task.")
const queue = argument("queue", "Name of the queue.")
const worker = argument("worker", "Name of the worker.")
const commandId = argument("command", "Id of the command.")

export const definitions = {
  list: define("List commands, newest first.", {
    status: optionalChoice("status", CommandStatus.literals, "Only commands in this status."),
    ...page,
    project,
    json
  }),
  show: define("Show a command, its outcome and the agent's answer.", { commandId, project, json }),
  withdraw: define("Cancel a command that is still pending.", { commandId, project, json }),
  retry: define("Run a task again.", {
    task,
    engine,
    args: optionalText("args", "Positional arguments instead of the task's own, as a JSON array; requires --kwargs."),
    kwargs: optionalText("kwargs", "Named arguments instead of the task's own, as a JSON object; requires --args."),
    etaSeconds: optionalInteger("eta-seconds", "Run it after this many seconds."),
    force: flag("force", "Retry although the same retry was sent in the last 10 seconds."),
    ...issue
  }),
  cancel: define("Cancel a task.", { task, engine, ...issue }),
  requeue: define("Put a dead letter back into its queue.", { task, engine, ...issue }),
  "bulk-retry": define("Run many tasks again.", {
    tasks: Args.repeated(argument("task", "The engine's ids of the tasks.")),
    tasksStdin: flag("tasks-stdin", "Read more ids from standard input, one a line."),
    engine,
    max: integer("max", "The most tasks to run again, at most 10000.", 1000),
    ...issue
  }),
  purge: define("Delete every message that waits in a queue.", {
    queue,
    engine,
    observedDepth: optionalInteger(
      "observed-depth",
      "The expected number of waiting messages; the agent purges only if it finds exactly as many."
    ),
    force: flag("force", "Purge any number of messages."),
    yes,
    ...issue
  }),
  restart: define("Restart a worker.", { worker, engine, ...issue }),
  "pool-resize": define("Grow or shrink a worker's pool.", {
    worker,
    grow: optionalInteger("grow", "Add this many processes or threads."),
    shrink: optionalInteger("shrink", "Remove this many processes or threads."),
    engine,
    ...issue
  }),
  "add-consumer": define("Let a worker consume a queue.", { worker, queue, engine, ...issue }),
  "cancel-consumer": define("Stop a worker from consuming a queue.", { worker, queue, engine, ...issue }),
  "rate-limit": define("Limit how often tasks of a name start.", {
    taskName: argument("task-name", "Name of the tasks to limit."),
    rate: argument("rate", "The rate, such as 10, 100/m or 5/s; 0 clears the limit."),
    worker: optionalText("worker", "Only at this worker."),
    engine,
    ...issue
  })
}

export const commands = makeGroup(
  "commands",
  "Commands to agents: retry, cancel, purge, control workers.",
  bindCommands(definitions, () => import("./handlers/commands.ts"))
)
