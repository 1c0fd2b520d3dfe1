import { HttpApiEndpoint } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../../domain/kernel/Access.ts"
import { BurnRates, FindBurnRates } from "../../../domain/tasks/Rollup/Slo.ts"
import { FindStats, Stats } from "../../../domain/tasks/Rollup/Stats.ts"
import {
  FindTaskName,
  FindTrends,
  ListTaskNames,
  TaskNameDetail,
  TaskNames,
  Trends
} from "../../../domain/tasks/Rollup/Trends.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

/** Any characters; a slash in it is sent as %2F. */
const taskName = pathParameter("name", Schema.String, "The task's name; a slash in it is sent as %2F.", "shop.pay")

/** Counts and durations of a project (bodies: stats, trends). */
export class TrendsApi extends projectGroup("trends", "Tasks")
  .add(
    HttpApiEndpoint.get("stats")`/projects/${slug}/stats`
      .setUrlParams(FindStats)
      .addSuccess(Stats)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation(
        "Show a project at a glance",
        "Tasks, agents, workers, commands and queues in numbers. About a second behind."
      ))
  )
  .add(
    HttpApiEndpoint.get("trends")`/projects/${slug}/trends`
      .setUrlParams(FindTrends)
      .addSuccess(Trends)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation(
        "Show tasks over time",
        "Counts and durations of each bucket of a window. A task counts in the bucket in which it ended."
      ))
  )
  .add(
    HttpApiEndpoint.get("names")`/projects/${slug}/task-names`
      .setUrlParams(ListTaskNames)
      .addSuccess(TaskNames)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation(
        "List task names",
        "Counts, failure rate and durations of each name over a window: which tasks are slow, and which fail."
      ))
  )
  .add(
    HttpApiEndpoint.get("name")`/projects/${slug}/task-names/${taskName}`
      .setUrlParams(FindTaskName)
      .addSuccess(TaskNameDetail)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation(
        "Show a task name",
        "What ended by queue, and how run time and queue time are distributed over a window."
      ))
  )
  .add(
    HttpApiEndpoint.get("slo")`/projects/${slug}/slo`
      .setUrlParams(FindBurnRates)
      .addSuccess(BurnRates)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation(
        "Show burn rates of an objective",
        "How fast failures, or tasks that run too long, use up an error budget, over six windows."
      ))
  )
{}
