import { Options } from "@effect/cli"
import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { argument, integer, json, optionalText, project, text } from "../program/Options.ts"

export const definitions = {
  mark: define("Mark that a version was deployed, for the project's charts.", {
    version: argument("version", "What was deployed, such as v1.4.2."),
    at: text("at", "When: now, 5m ago as 5m, or 2026-11-21T08:00:00Z.").pipe(Options.withDefault("now")),
    note: optionalText("note", "What else is known of it."),
    url: optionalText("url", "Where to read about it."),
    project,
    json
  }),
  list: define("List the project's deploys, the newest first.", {
    limit: integer("limit", "The most deploys: 20 unless given.", 20),
    project,
    json
  })
}

export const deploys = makeGroup(
  "deploys",
  "When which version was deployed.",
  bindCommands(definitions, () => import("./handlers/deploys.ts"))
)
