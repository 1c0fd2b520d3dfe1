import { Args, Command, Options } from "@effect/cli"
import { ItemStatus } from "../../domain/commands/BulkRetry/Item.ts"
import { lazyHandlers } from "../program/Load.ts"
import { json, page, project, taskFilters } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/bulk-retry.ts"))

const id = Args.text({ name: "bulk-retry" }).pipe(Args.withDescription("Id of the bulk retry."))

const watch = Options.boolean("watch").pipe(
  Options.withDescription("Show its progress until it ends. Exit code 0: all retried, 1: not all, 3: unknown.")
)

const rate = (line: string) => Options.float("rate").pipe(Options.withDescription(line), Options.optional)

const create = Command.make("create", {
  ...taskFilters,
  max: Options.integer("max").pipe(
    Options.withDescription("The most tasks, the oldest first; at most 10000. Default: 1000."),
    Options.optional
  ),
  all: Options.boolean("all").pipe(Options.withDescription("All tasks that match, instead of --max.")),
  rate: rate("The most retries a second; default: no limit."),
  agent: Options.text("agent").pipe(
    Options.withDescription("Name or id of the agent for all tasks; default: one that serves the task's engine."),
    Options.optional
  ),
  idempotencyKey: Options.text("idempotency-key").pipe(
    Options.withDescription("A repeated key returns the first bulk retry and creates no other."),
    Options.optional
  ),
  dryRun: Options.boolean("dry-run").pipe(
    Options.withDescription("Only show how many tasks match, by engine, name and exception.")
  ),
  watch,
  project,
  json
}, handler((module) => module.create)).pipe(
  Command.withDescription("Retry all tasks that match; without --state, failed ones.")
)

const list = Command.make("list", { ...page, project, json }, handler((module) => module.list)).pipe(
  Command.withDescription("List bulk retries, newest first.")
)

const show = Command.make("show", { id, watch, project, json }, handler((module) => module.show)).pipe(
  Command.withDescription("Show a bulk retry and how far it is.")
)

const items = Command.make("items", {
  id,
  status: Options.choice("status", ItemStatus.literals).pipe(
    Options.withDescription("Only tasks in this status."),
    Options.optional
  ),
  ...page,
  project,
  json
}, handler((module) => module.items)).pipe(
  Command.withDescription("List the tasks of a bulk retry, with the outcome of each.")
)

const watchPause = Options.boolean("watch").pipe(
  Options.withDescription("Show its progress until the commands that were sent have their outcomes.")
)

const pause = Command.make("pause", { id, watch: watchPause, project, json }, handler((module) => module.pause)).pipe(
  Command.withDescription("Stop retrying, until it is resumed.")
)

const resume = Command.make("resume", {
  id,
  rate: rate("The most retries a second from now on; 0: no limit."),
  watch,
  project,
  json
}, handler((module) => module.resume)).pipe(Command.withDescription("Resume retrying."))

const cancel = Command.make("cancel", { id, project, json }, handler((module) => module.cancel)).pipe(
  Command.withDescription("Stop retrying, for good.")
)

export const bulkRetry = Command.make("bulk-retry").pipe(
  Command.withDescription("Retry all tasks that match a filter, one by one, at a rate."),
  Command.withSubcommands([create, list, show, items, pause, resume, cancel])
)
