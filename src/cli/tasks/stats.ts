import { Command, Options } from "@effect/cli"
import { NamesSort, TrendWindow } from "../../domain/tasks/Rollup/Trends.ts"
import { lazyHandlers } from "../program/Load.ts"
import { json, project } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/stats.ts"))

export const stats = Command.make(
  "stats",
  {
    window: Options.choice("window", TrendWindow.literals).pipe(
      Options.withDescription("How far back: 24h unless given."),
      Options.withDefault("24h" as const)
    ),
    sort: Options.choice("sort", NamesSort.literals).pipe(
      Options.withDescription("The order of the task names, the largest first: count unless given."),
      Options.withDefault("count" as const)
    ),
    search: Options.text("search").pipe(
      Options.withDescription("Only task names with this part, in either case."),
      Options.optional
    ),
    limit: Options.integer("limit").pipe(
      Options.withDescription("The most task names: 20 unless given."),
      Options.withDefault(20)
    ),
    project,
    json
  },
  handler((module) => module.stats)
).pipe(Command.withDescription("A project in numbers, with the counts and durations of each task name."))
