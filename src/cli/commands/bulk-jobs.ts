import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json, page, project, taskFilters, yes } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/bulk-jobs.ts"))

const id = Args.text({ name: "bulk-job" }).pipe(Args.withDescription("Id of the bulk job."))

const watch = Options.boolean("watch").pipe(
  Options.withDescription("Show its progress until it ends. Exit code 0: all done, 1: not all, 3: unknown.")
)

const { name, priority, query, queue, since, state, until, worker } = taskFilters

const creation = {
  filters: { state, priority, name, queue, worker, since, until, query },
  yes,
  watch,
  project,
  json
}

const remove = Command.make("delete", creation, handler((module) => module.deleteMatching)).pipe(
  Command.withDescription("Delete the records of all tasks that match; the engine is not notified.")
)

const cancel = Command.make("cancel", creation, handler((module) => module.cancelMatching)).pipe(
  Command.withDescription("Cancel all tasks that match and have not ended.")
)

const list = Command.make("list", { ...page, project, json }, handler((module) => module.list)).pipe(
  Command.withDescription("List bulk jobs, newest first.")
)

const show = Command.make("show", { id, watch, project, json }, handler((module) => module.show)).pipe(
  Command.withDescription("Show a bulk job and how far it is.")
)

const stop = Command.make("stop", { id, project, json }, handler((module) => module.stop)).pipe(
  Command.withDescription("Stop a bulk job, for good. Tasks that are left stay as they are.")
)

export const bulkJobs = Command.make("bulk-jobs").pipe(
  Command.withDescription("Delete or cancel all tasks that match a filter."),
  Command.withSubcommands([remove, cancel, list, show, stop])
)
