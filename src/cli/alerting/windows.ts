import { Options } from "@effect/cli"
import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { argument, integer, json, project, text, yes } from "../program/Options.ts"

const window = argument("window", "Name or id of the window.")

export const definitions = {
  list: define("List the project's maintenance windows, the latest start first.", { project, json }),
  create: define("Plan a window in which alerts are recorded and no message is sent.", {
    name: argument("name", "What is done, such as 'Database upgrade'."),
    start: text("start", "When it begins: now, or 2026-11-21T08:00:00Z.").pipe(Options.withDefault("now")),
    minutes: integer("minutes", "How long it lasts.", 60),
    project,
    json
  }),
  end: define("End a window now; alerts that are still open are sent.", { window, project, json }),
  delete: define("Delete a window; one that lasts ends at once.", { window, project, yes })
}

export const windows = makeGroup(
  "windows",
  "Times in which a project sends no message.",
  bindCommands(definitions, () => import("./handlers/windows.ts"))
)
