import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../Load.ts"
import { json, page, project } from "../Options.ts"

const handler = lazyHandlers(() => import("../handlers/schedules.ts"))

const fileHandler = lazyHandlers(() => import("../handlers/schedule-files.ts"))

const schedule = Args.text({ name: "schedule" }).pipe(Args.withDescription("Name or id of the schedule."))
const file = Args.text({ name: "file" }).pipe(Args.withDescription("A snapshot of schedules, as YAML or JSON."))
const limit = page.limit

const list = Command.make("list", { ...page, project, json }, handler((module) => module.list)).pipe(
  Command.withDescription("List schedules by name, with the next tick of each.")
)

const show = Command.make("show", { schedule, project, json }, handler((module) => module.show)).pipe(
  Command.withDescription("Show a schedule.")
)

const preview = Command.make("preview", {
  expression: Args.text({ name: "expression" }).pipe(Args.withDescription("When it fires, such as '0 3 * * *'.")),
  kind: Options.choice("kind", ["cron", "interval", "clocked"]).pipe(
    Options.withDescription("Form of the expression."),
    Options.withDefault("cron" as const)
  ),
  timezone: Options.text("timezone").pipe(
    Options.withDescription("Time zone of the expression, such as Europe/Berlin."),
    Options.withDefault("UTC")
  ),
  from: Options.text("from").pipe(Options.withDescription("Ticks later than this; default now."), Options.optional),
  count: Options.integer("count").pipe(Options.withDescription("The most ticks."), Options.withDefault(10)),
  project,
  json
}, handler((module) => module.preview)).pipe(
  Command.withDescription("Show when an expression fires, in words and tick by tick.")
)

const trigger = Command.make("trigger", { schedule, project, json }, handler((module) => module.trigger)).pipe(
  Command.withDescription("Submit a schedule's task now.")
)

const enable = Command.make("enable", { schedule, project, json }, handler((module) => module.enable)).pipe(
  Command.withDescription("Let a schedule fire, from its next tick on.")
)

const disable = Command.make("disable", { schedule, project, json }, handler((module) => module.disable)).pipe(
  Command.withDescription("Stop a schedule until it is enabled.")
)

const pause = Command.make("pause", { schedule, project, json }, handler((module) => module.pause)).pipe(
  Command.withDescription("Hold a schedule; imports do not resume it.")
)

const resume = Command.make("resume", { schedule, project, json }, handler((module) => module.resume)).pipe(
  Command.withDescription("Resume a schedule; its catch_up decides about the ticks that passed.")
)

const importFile = Command.make("import", { file, project, json }, fileHandler((module) => module.importFile)).pipe(
  Command.withDescription("Make the project's schedules as a snapshot has them.")
)

const diff = Command.make("diff", { file, project, json }, fileHandler((module) => module.diff)).pipe(
  Command.withDescription("Show what an import would change. Exit code 0: nothing, 1: something.")
)

export const schedules = Command.make("schedules").pipe(
  Command.withDescription("The schedules of a project."),
  Command.withSubcommands([
    list,
    show,
    preview,
    trigger,
    enable,
    disable,
    pause,
    resume,
    importFile,
    diff
  ])
)

export const misfires = Command.make("misfires", {
  schedule: Options.text("schedule").pipe(
    Options.withDescription("Only of this schedule, by name or id."),
    Options.optional
  ),
  limit,
  project,
  json
}, handler((module) => module.misfires)).pipe(
  Command.withDescription("List ticks that did not fire in time, newest first.")
)
