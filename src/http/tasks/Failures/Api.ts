import { HttpApiEndpoint } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../../domain/kernel/Access.ts"
import {
  FailureGroup,
  FailureGroupDetail,
  FailureGroupList,
  FindFailureGroup,
  ListFailureGroups
} from "../../../domain/tasks/Failure/Group.ts"
import { Assignee, UpdateFailureGroup } from "../../../domain/tasks/Failure/Triage.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const fingerprint = pathParameter("fingerprint", Schema.String, "The group's fingerprint.", "9f2c41d07be5a836")

/** Failures in groups (bodies: issues), and what people decide about them. */
export class FailuresApi extends projectGroup("failures", "Tasks")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/issues`
      .setUrlParams(ListFailureGroups)
      .addSuccess(FailureGroupList)
      .annotate(Access, { caller: "viewer", scope: "tasks:read", heavy: "by_query" })
      .annotateContext(operation(
        "List failure groups",
        "Failures with one fingerprint are one group. Unless asked for, muted and resolved groups are left out."
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
  .add(
    HttpApiEndpoint.patch("update")`/projects/${slug}/issues/${fingerprint}`
      .setPayload(UpdateFailureGroup)
      .addSuccess(FailureGroup)
      .annotate(Access, { caller: "operator", scope: "tasks:write", mutates: true })
      .annotateContext(operation(
        "Triage a failure group",
        "Opens, mutes or resolves it, assigns it to a member, and changes its note. What is left out stays as it is."
      ))
  )
  .add(
    HttpApiEndpoint.get("assignees")`/projects/${slug}/issue-assignees`
      .addSuccess(Schema.Array(Assignee))
      .annotate(Access, { caller: "operator", scope: "tasks:read" })
      .annotateContext(operation(
        "List who can be assigned",
        "The members of the project and the global admins, by the name that others see. At most 500: the header " +
          "`X-SVC-Limit-Applied` says that there are more, whom `assignee` takes by their id."
      ))
  )
{}
