import { Options } from "@effect/cli"
import { NamesSort, TrendWindow } from "../../domain/tasks/Rollup/Trends.ts"
import { bindCommands, define } from "../program/Group.ts"
import { integer, json, optionalText, project } from "../program/Options.ts"

export const definitions = {
  stats: define("A project in numbers, with the counts and durations of each task name.", {
    window: Options.choice("window", TrendWindow.literals).pipe(
      Options.withDescription("How far back: 24h unless given."),
      Options.withDefault("24h" as const)
    ),
    sort: Options.choice("sort", NamesSort.literals).pipe(
      Options.withDescription("The order of the task names, the largest first: count unless given."),
      Options.withDefault("count" as const)
    ),
    search: optionalText("search", "Only task names with this part, in either case."),
    limit: integer("limit", "The most task names: 20 unless given.", 20),
    project,
    json
  })
}

export const { stats } = bindCommands(definitions, () => import("./handlers/stats.ts"))
