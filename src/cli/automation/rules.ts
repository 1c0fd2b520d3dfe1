import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json, project } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/rules.ts"))

const rule = Args.text({ name: "rule" }).pipe(Args.withDescription("Name or id of the rule."))

const list = Command.make("list", { project, json }, handler((module) => module.list)).pipe(
  Command.withDescription("List the project's automation rules.")
)

const show = Command.make("show", { rule, project, json }, handler((module) => module.show)).pipe(
  Command.withDescription("Show a rule, its breaker and what it did last.")
)

const enable = Command.make("enable", {
  rule,
  dryRun: Options.choice("dry-run", ["on", "off"]).pipe(
    Options.withDescription("on: the rule only records what it would do; off: it acts. As it was unless given."),
    Options.optional
  ),
  project,
  json
}, handler((module) => module.enable)).pipe(Command.withDescription("Enable a rule."))

const disable = Command.make("disable", { rule, project, json }, handler((module) => module.disable)).pipe(
  Command.withDescription("Disable a rule: it does nothing until it is enabled.")
)

const reset = Command.make("reset", { rule, project, json }, handler((module) => module.reset)).pipe(
  Command.withDescription("Arm a rule's breaker: earlier executions no longer count.")
)

const backtest = Command.make("backtest", {
  rule: rule.pipe(Args.optional),
  days: Options.integer("days").pipe(
    Options.withDescription("How many days of history, up to now: 1 to 90."),
    Options.withDefault(7)
  ),
  project,
  json
}, handler((module) => module.backtest)).pipe(
  Command.withDescription(
    "Show what a rule would have done in the last days. Without a name, standard input has a rule as JSON."
  )
)

export const rules = Command.make("rules").pipe(
  Command.withDescription("Automation rules of a project."),
  Command.withSubcommands([list, show, enable, disable, reset, backtest])
)
