import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json, project, yes } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/windows.ts"))

const window = Args.text({ name: "window" }).pipe(Args.withDescription("Name or id of the window."))

const list = Command.make("list", { project, json }, handler((module) => module.list)).pipe(
  Command.withDescription("List the project's maintenance windows, the latest start first.")
)

const create = Command.make("create", {
  name: Args.text({ name: "name" }).pipe(Args.withDescription("What is done, such as 'Database upgrade'.")),
  start: Options.text("start").pipe(
    Options.withDescription("When it begins: now, or 2026-11-21T08:00:00Z."),
    Options.withDefault("now")
  ),
  minutes: Options.integer("minutes").pipe(Options.withDescription("How long it lasts."), Options.withDefault(60)),
  project,
  json
}, handler((module) => module.create)).pipe(
  Command.withDescription("Plan a window in which alerts are recorded and no message is sent.")
)

const end = Command.make("end", { window, project, json }, handler((module) => module.end)).pipe(
  Command.withDescription("End a window now; alerts that are still open are sent.")
)

const remove = Command.make("delete", { window, project, yes }, handler((module) => module.remove)).pipe(
  Command.withDescription("Delete a window; one that lasts ends at once.")
)

export const windows = Command.make("windows").pipe(
  Command.withDescription("Times in which a project sends no message."),
  Command.withSubcommands([list, create, end, remove])
)
