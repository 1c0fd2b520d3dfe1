import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json, page, project, yes } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/schedules.ts"))

const editHandler = lazyHandlers(() => import("./handlers/schedule-edits.ts"))

const fileHandler = lazyHandlers(() => import("./handlers/schedule-files.ts"))

const schedule = Args.text({ name: "schedule" }).pipe(Args.withDescription("Name or id of the schedule."))
const file = Args.text({ name: "file" }).pipe(Args.withDescription("A snapshot of schedules, as YAML or JSON."))
const limit = page.limit

export const list = Command.make("list", { ...page, project, json }, handler((module) => module.list)).pipe(
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

const kinds = ["cron", "interval", "clocked"] as const

/** What a new schedule may have, and a change may change. */
const fields = {
  kind: Options.choice("kind", kinds).pipe(
    Options.withDescription("Form of the expression; a new schedule is cron."),
    Options.optional
  ),
  timezone: Options.text("timezone").pipe(
    Options.withDescription("Time zone of the expression, such as Europe/Berlin; UTC by default."),
    Options.optional
  ),
  queue: Options.text("queue").pipe(
    Options.withDescription("Queue of its tasks; by default the task's own."),
    Options.optional
  ),
  args: Options.text("args").pipe(Options.withDescription("Arguments as a JSON array."), Options.optional),
  kwargs: Options.text("kwargs").pipe(Options.withDescription("Named arguments as a JSON object."), Options.optional),
  catchUp: Options.choice("catch-up", ["skip", "fire_one_missed", "fire_all_missed"]).pipe(
    Options.withDescription("What happens with ticks that nothing could fire."),
    Options.optional
  ),
  jitterSeconds: Options.integer("jitter-seconds").pipe(
    Options.withDescription("Fire each tick up to this many seconds late."),
    Options.optional
  ),
  graceSeconds: Options.integer("grace-seconds").pipe(
    Options.withDescription("A tick that fires later than this is a misfire."),
    Options.optional
  ),
  project,
  json
}

export const add = Command.make("add", {
  name: Args.text({ name: "name" }).pipe(Args.withDescription("Its name, unique in the project.")),
  expression: Args.text({ name: "expression" }).pipe(Args.withDescription("When it fires, such as '0 3 * * *'.")),
  engine: Options.text("engine").pipe(Options.withDescription("Engine that runs its task, such as celery.")),
  task: Options.text("task").pipe(Options.withDescription("Name of the task that it submits.")),
  disabled: Options.boolean("disabled").pipe(Options.withDescription("It does not fire until it is enabled.")),
  ...fields
}, editHandler((module) => module.add)).pipe(Command.withDescription("Create a schedule that svc fires."))

export const edit = Command.make("edit", {
  schedule,
  expression: Options.text("expression").pipe(Options.withDescription("When it fires."), Options.optional),
  engine: Options.text("engine").pipe(Options.withDescription("Engine that runs its task."), Options.optional),
  task: Options.text("task").pipe(Options.withDescription("Name of the task that it submits."), Options.optional),
  ...fields
}, editHandler((module) => module.edit)).pipe(
  Command.withDescription("Change a schedule. A changed cadence begins with the next tick after now.")
)

export const history = Command.make(
  "history",
  { schedule, limit, project, json },
  handler((module) => module.history)
).pipe(Command.withDescription("List a schedule's fires, newest first."))

export const trigger = Command.make("trigger", { schedule, project, json }, handler((module) => module.trigger)).pipe(
  Command.withDescription("Submit a schedule's task now.")
)

export const enable = Command.make("enable", { schedule, project, json }, handler((module) => module.enable)).pipe(
  Command.withDescription("Let a schedule fire, from its next tick on.")
)

export const disable = Command.make("disable", { schedule, project, json }, handler((module) => module.disable)).pipe(
  Command.withDescription("Stop a schedule until it is enabled.")
)

const remove = Command.make("delete", { schedule, yes, project, json }, handler((module) => module.remove)).pipe(
  Command.withDescription("Delete a schedule.")
)

const pause = Command.make("pause", { schedule, project, json }, handler((module) => module.pause)).pipe(
  Command.withDescription("Hold a schedule; imports do not resume it.")
)

const resume = Command.make("resume", { schedule, project, json }, handler((module) => module.resume)).pipe(
  Command.withDescription("Resume a schedule; its catch_up decides about the ticks that passed.")
)

const resync = Command.make("resync", { project, json }, handler((module) => module.resync)).pipe(
  Command.withDescription("Ask agents for the schedules of engines' own schedulers.")
)

const schedulers = Command.make("schedulers", { project, json }, handler((module) => module.schedulers)).pipe(
  Command.withDescription("List what fires schedules: the brain or scheduler programs, and the schedulers of engines.")
)

export const importFile = Command.make("import", { file, project, json }, fileHandler((module) => module.importFile))
  .pipe(
    Command.withDescription("Change the project's schedules to those of a snapshot.")
  )

export const exportFile = Command.make("export", {
  source: Options.text("source").pipe(Options.withDescription("Only the schedules of this source."), Options.optional),
  project
}, fileHandler((module) => module.exportFile)).pipe(
  Command.withDescription("Print the project's schedules as a snapshot that import reads.")
)

const diff = Command.make("diff", { file, project, json }, fileHandler((module) => module.diff)).pipe(
  Command.withDescription("Show what an import would change. Exit code 0: nothing, 1: something, 2: an error.")
)

export const schedules = Command.make("schedules").pipe(
  Command.withDescription("The schedules of a project."),
  Command.withSubcommands([
    list,
    show,
    add,
    edit,
    history,
    preview,
    trigger,
    enable,
    disable,
    remove,
    pause,
    resume,
    resync,
    schedulers,
    importFile,
    exportFile,
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
