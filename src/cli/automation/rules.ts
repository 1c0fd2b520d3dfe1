import { Args } from "@effect/cli"
import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { argument, integer, json, optionalChoice, project } from "../program/Options.ts"

const rule = argument("rule", "Name or id of the rule.")

export const definitions = {
  list: define("List the project's automation rules.", { project, json }),
  show: define("Show a rule, its breaker and what it did last.", { rule, project, json }),
  enable: define("Enable a rule.", {
    rule,
    dryRun: optionalChoice(
      "dry-run",
      ["on", "off"],
      "on: the rule only records what it would do; off: it acts. As it was unless given."
    ),
    project,
    json
  }),
  disable: define("Disable a rule: it does nothing until it is enabled.", { rule, project, json }),
  reset: define("Arm a rule's breaker: earlier executions no longer count.", { rule, project, json }),
  backtest: define(
    "Show what a rule would have done in the last days. Without a name, standard input has a rule as JSON.",
    {
      rule: Args.optional(rule),
      days: integer("days", "How many days of history, up to now: 1 to 90.", 7),
      project,
      json
    }
  )
}

export const rules = makeGroup(
  "rules",
  "Automation rules of a project.",
  bindCommands(definitions, () => import("./handlers/rules.ts"))
)
