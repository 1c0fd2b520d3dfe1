import { Options } from "@effect/cli"
import { ItemStatus } from "../../domain/commands/BulkRetry/Item.ts"
import { TaskOutcome } from "../../domain/commands/BulkRetry/TaskOutcome.ts"
import { bindCommands, define, makeGroup } from "../program/Group.ts"
import {
  argument,
  flag,
  json,
  optionalChoice,
  optionalInteger,
  optionalText,
  page,
  project,
  taskFilters
} from "../program/Options.ts"

const id = argument("bulk-retry", "Id of the bulk retry.")

const watch = flag("watch", "Show its progress until it ends. Exit code 0: all retried, 1: not all, 3: unknown.")

const rate = (line: string) => Options.float("rate").pipe(Options.withDescription(line), Options.optional)

export const definitions = {
  create: define("Retry all tasks that match; without --state, failed ones.", {
    ...taskFilters,
    max: optionalInteger("max", "The most tasks, the oldest first; at most 10000. Default: 1000."),
    all: flag("all", "All tasks that match, instead of --max."),
    rate: rate("The most retries a second; default: no limit."),
    agent: optionalText(
      "agent",
      "Name or id of the agent for all tasks; default: one that serves the task's engine."
    ),
    idempotencyKey: optionalText(
      "idempotency-key",
      "A repeated key returns the first bulk retry and creates no other."
    ),
    dryRun: flag("dry-run", "Only show how many tasks match, by engine, name and exception."),
    watch,
    project,
    json
  }),
  list: define("List bulk retries, newest first.", { ...page, project, json }),
  show: define("Show a bulk retry and how far it is.", { id, watch, project, json }),
  items: define("List the tasks of a bulk retry, with the outcome of each.", {
    id,
    status: optionalChoice("status", ItemStatus.literals, "Only tasks in this status."),
    outcome: optionalChoice(
      "outcome",
      TaskOutcome.literals,
      "Only retried tasks with this outcome; failed: those that failed again."
    ),
    ...page,
    project,
    json
  }),
  pause: define("Stop retrying, until it is resumed.", {
    id,
    watch: flag("watch", "Show its progress until the commands that were sent have their outcomes."),
    project,
    json
  }),
  resume: define("Resume retrying.", {
    id,
    rate: rate("The most retries a second from now on; 0: no limit."),
    watch,
    project,
    json
  }),
  cancel: define("Stop retrying, for good.", { id, project, json })
}

export const bulkRetry = makeGroup(
  "bulk-retry",
  "Retry all tasks that match a filter, one by one, at a rate.",
  bindCommands(definitions, () => import("./handlers/bulk-retry.ts"))
)
