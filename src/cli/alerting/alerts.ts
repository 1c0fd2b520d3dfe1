import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json, page, project } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/alerts.ts"))

const alert = Args.text({ name: "alert" }).pipe(Args.withDescription("Id of the alert."))

const list = Command.make("list", {
  status: Options.choice("status", ["open", "recovered", "stale", "closed"]).pipe(
    Options.withDescription("Only alerts with this status."),
    Options.optional
  ),
  ...page,
  project,
  json
}, handler((module) => module.list)).pipe(
  Command.withDescription("List the project's alerts and your own, newest first.")
)

const show = Command.make("show", { alert, project, json }, handler((module) => module.show)).pipe(
  Command.withDescription("Show an alert: how often, since when, and what its occurrences share.")
)

const ack = Command.make("ack", {
  alert,
  undo: Options.boolean("undo").pipe(Options.withDescription("Take the acknowledgement back.")),
  project
}, handler((module) => module.ack)).pipe(
  Command.withDescription("Acknowledge an alert: no further message comes but its recovery.")
)

const snooze = Command.make("snooze", {
  alert,
  minutes: Options.integer("minutes").pipe(
    Options.withDescription("For how long; 0 ends a snooze."),
    Options.withDefault(60)
  ),
  project
}, handler((module) => module.snooze)).pipe(
  Command.withDescription("Snooze an alert: no message about it until the snooze ends.")
)

export const alerts = Command.make("alerts").pipe(
  Command.withDescription("What is wrong, as subscriptions see it."),
  Command.withSubcommands([list, show, ack, snooze])
)
