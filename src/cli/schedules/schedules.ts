import { Options } from "@effect/cli"
import { bindCommands, define, makeGroup } from "../program/Group.ts"
import {
  argument,
  flag,
  integer,
  json,
  optionalChoice,
  optionalInteger,
  optionalText,
  page,
  project,
  text,
  yes
} from "../program/Options.ts"

const schedule = argument("schedule", "Name or id of the schedule.")
const expression = argument("expression", "When it fires, such as '0 3 * * *'.")
const file = argument("file", "A snapshot of schedules, as YAML or JSON.")
const limit = page.limit

const kinds = ["cron", "interval", "clocked"] as const

/** What a new schedule may have, and a change may change. */
export const fields = {
  kind: optionalChoice("kind", kinds, "Form of the expression; a new schedule is cron."),
  timezone: optionalText("timezone", "Time zone of the expression, such as Europe/Berlin; UTC by default."),
  queue: optionalText("queue", "Queue of its tasks; by default the task's own."),
  args: optionalText("args", "Arguments as a JSON array."),
  kwargs: optionalText("kwargs", "Named arguments as a JSON object."),
  catchUp: optionalChoice(
    "catch-up",
    ["skip", "fire_one_missed", "fire_all_missed"],
    "What happens with ticks that nothing could fire."
  ),
  jitterSeconds: optionalInteger("jitter-seconds", "Fire each tick up to this many seconds late."),
  graceSeconds: optionalInteger("grace-seconds", "A tick that fires later than this is a misfire."),
  project,
  json
}

export const definitions = {
  list: define("List schedules by name, with the next tick of each.", { ...page, project, json }),
  show: define("Show a schedule.", { schedule, project, json }),
  history: define("List a schedule's fires, newest first.", { schedule, limit, project, json }),
  preview: define("Show when an expression fires, in words and tick by tick.", {
    expression,
    kind: Options.choice("kind", kinds).pipe(
      Options.withDescription("Form of the expression."),
      Options.withDefault("cron" as const)
    ),
    timezone: text("timezone", "Time zone of the expression, such as Europe/Berlin.").pipe(Options.withDefault("UTC")),
    from: optionalText("from", "Ticks later than this; default now."),
    count: integer("count", "The most ticks.", 10),
    project,
    json
  }),
  trigger: define("Submit a schedule's task now.", { schedule, project, json }),
  enable: define("Let a schedule fire, from its next tick on.", { schedule, project, json }),
  disable: define("Stop a schedule until it is enabled.", { schedule, project, json }),
  delete: define("Delete a schedule.", { schedule, yes, project, json }),
  pause: define("Hold a schedule; imports do not resume it.", { schedule, project, json }),
  resume: define("Resume a schedule; its catch_up decides about the ticks that passed.", { schedule, project, json }),
  resync: define("Ask agents for the schedules of engines' own schedulers.", { project, json }),
  schedulers: define(
    "List what fires schedules: the brain or scheduler programs, and the schedulers of engines.",
    { project, json }
  ),
  misfires: define("List ticks that did not fire in time, newest first.", {
    schedule: optionalText("schedule", "Only of this schedule, by name or id."),
    limit,
    project,
    json
  })
}

export const editDefinitions = {
  add: define("Create a schedule that svc fires.", {
    name: argument("name", "Its name, unique in the project."),
    expression,
    engine: text("engine", "Engine that runs its task, such as celery."),
    task: text("task", "Name of the task that it submits."),
    disabled: flag("disabled", "It does not fire until it is enabled."),
    ...fields
  }),
  edit: define("Change a schedule. A changed cadence begins with the next tick after now.", {
    schedule,
    expression: optionalText("expression", "When it fires."),
    engine: optionalText("engine", "Engine that runs its task."),
    task: optionalText("task", "Name of the task that it submits."),
    ...fields
  })
}

export const fileDefinitions = {
  import: define("Change the project's schedules to those of a snapshot.", { file, project, json }),
  export: define("Print the project's schedules as a snapshot that import reads.", {
    source: optionalText("source", "Only the schedules of this source."),
    project
  }),
  diff: define("Show what an import would change. Exit code 0: nothing, 1: something, 2: an error.", {
    file,
    project,
    json
  })
}

const { list, misfires, show, ...commands } = bindCommands(definitions, () => import("./handlers/schedules.ts"))

export { misfires }

export const scheduleCommands = {
  list,
  show,
  ...bindCommands(editDefinitions, () => import("./handlers/schedule-edits.ts")),
  ...commands,
  ...bindCommands(fileDefinitions, () => import("./handlers/schedule-files.ts"))
}

export const schedules = makeGroup("schedules", "The schedules of a project.", scheduleCommands)
