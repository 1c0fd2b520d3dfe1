import { Command } from "@effect/cli"
import { version } from "../../domain/kernel/Version.ts"
import { printVersion } from "../operations/serve.ts"
import { makeCompletion } from "../program/completion.ts"
import { makeGroup } from "../program/Group.ts"
import { makeProgram } from "../program/Program.ts"
import { scheduleCommands } from "../schedules/schedules.ts"
import { check, doctor, info, restart, serve, status } from "./serve.ts"

const name = "svc-scheduler"

const { add, disable, edit, enable, export: exportFile, history, import: importFile, list, trigger } = scheduleCommands

const schedules = makeGroup("schedules", "The schedules of a project, as svc schedules has them.", {
  add,
  list,
  trigger,
  disable,
  enable,
  edit,
  history
})

const sections = [
  {
    heading: "Run a scheduler",
    commands: [serve, check, doctor, status, info, restart, makeCompletion(name), printVersion]
  },
  { heading: "Schedules, over the brain's API with an API key", commands: [schedules, importFile, exportFile] }
] as const

/** The program `svc-scheduler`. */
export const cli = makeProgram({
  name,
  summary: "fires the schedules of a brain, also while the brain is away.",
  examples: [
    ["svc-scheduler check", "settings, certificate, connection"],
    ["svc-scheduler serve", "fire schedules until it is stopped"],
    ["svc-scheduler status", "does it fire or stand by, what waits"]
  ],
  sections,
  run: Command.make(name).pipe(
    Command.withDescription("Fires the schedules of a brain, also while the brain is away."),
    Command.withSubcommands([...sections[0].commands, ...sections[1].commands]),
    Command.run({ name, version })
  )
})
