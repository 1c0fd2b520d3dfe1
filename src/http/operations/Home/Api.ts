import { HttpApiEndpoint } from "@effect/platform"
import { Access } from "../../../domain/kernel/Access.ts"
import { HomeSummary, ListRecentFailures, RecentFailures } from "../../../domain/operations/Home.ts"
import { FindHomeTrends, Trends } from "../../../domain/tasks/Rollup/Trends.ts"
import { operation } from "../../Docs/Tags.ts"
import { actorGroup } from "../../Groups.ts"

/** All projects of the caller (bodies: home). */
export class HomeApi extends actorGroup("home", "Projects")
  .add(
    HttpApiEndpoint.get("summary", "/home/summary")
      .addSuccess(HomeSummary)
      .annotate(Access, { caller: "authenticated", scope: "home:read" })
      .annotateContext(operation(
        "Show all projects at a glance",
        "The projects that the caller sees, with the last 24 hours in numbers and what needs attention."
      ))
  )
  .add(
    HttpApiEndpoint.get("recentFailures", "/home/recent-failures")
      .setUrlParams(ListRecentFailures)
      .addSuccess(RecentFailures)
      .annotate(Access, { caller: "authenticated", scope: "home:read" })
      .annotateContext(operation(
        "List failed tasks of all projects",
        "Tasks that are failed now, the newest tasks first, of the projects that the caller sees."
      ))
  )
  .add(
    HttpApiEndpoint.get("trends", "/home/trends")
      .setUrlParams(FindHomeTrends)
      .addSuccess(Trends)
      .annotate(Access, { caller: "authenticated", scope: "home:read" })
      .annotateContext(operation(
        "Show tasks of all projects over time",
        "Counts and durations of each bucket of a window, of the projects that the caller sees together."
      ))
  )
{}
