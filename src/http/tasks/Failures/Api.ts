import { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../../domain/kernel/Access.ts"
import {
  FailureGroupDetail,
  FailureGroupList,
  FindFailureGroup,
  ListFailureGroups
} from "../../../domain/tasks/Failure/Group.ts"
import { ProvideActor, ProvideProject } from "../../Access.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { inChapter, operation } from "../../Docs/Tags.ts"
import { slug } from "../../ProjectPath.ts"

const fingerprint = pathParameter("fingerprint", Schema.String, "The group's fingerprint.", "9f2c41d07be5a836")

/** Failures in groups (bodies: issues). */
export class FailuresApi extends HttpApiGroup.make("failures")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/issues`
      .setUrlParams(ListFailureGroups)
      .addSuccess(FailureGroupList)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation(
        "List failure groups",
        "Failures with one fingerprint are one group. Most recently failed first."
      ))
  )
  .add(
    HttpApiEndpoint.get("get")`/projects/${slug}/issues/${fingerprint}`
      .setUrlParams(FindFailureGroup)
      .addSuccess(FailureGroupDetail)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation(
        "Show a failure group",
        "With its failures per hour and a sample. `GET …/tasks?fingerprint=` lists its tasks."
      ))
  )
  .middleware(ProvideProject)
  .middleware(ProvideActor)
  .annotateContext(inChapter("Tasks"))
{}
