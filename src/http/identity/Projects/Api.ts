import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { approvalCodes } from "../../../domain/approvalGate/Approval.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { CreateProject, Project, UpdateProject } from "../../../domain/kernel/Project.ts"
import { operation } from "../../Docs/Tags.ts"
import { actorGroup, projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

/** The projects themselves (interface, Other paths; bodies: projects). */
export class ProjectsApi extends actorGroup("projects", "Projects")
  .add(
    HttpApiEndpoint.get("list", "/projects")
      .addSuccess(Schema.Array(Project))
      .annotate(Access, { caller: "authenticated", scope: "projects:read" })
      .annotateContext(operation("List projects", "Those that the caller is a member of; a global admin sees all."))
  )
  .add(
    HttpApiEndpoint.post("create", "/projects")
      .setPayload(CreateProject)
      .addSuccess(Project, { status: 201 })
      .annotate(Access, {
        caller: "global_admin",
        scope: "projects:write",
        mutates: true,
        creates: true,
        failureCodes: ["slug_taken"]
      })
      .annotateContext(operation("Create a project", "Its slug is its name in paths."))
  )
{}

/** One project. */
export class ProjectApi extends projectGroup("project", "Projects")
  .add(
    HttpApiEndpoint.get("get")`/projects/${slug}`
      .addSuccess(Project)
      .annotate(Access, { caller: "viewer", scope: "projects:read" })
      .annotateContext(operation("Show a project", "By its slug."))
  )
  .add(
    HttpApiEndpoint.patch("update")`/projects/${slug}`
      .setPayload(UpdateProject)
      .addSuccess(Project)
      .annotate(Access, {
        caller: "admin",
        scope: "projects:write",
        mutates: true,
        failureCodes: ["slug_taken", "no_second_person", "mfa_reverify_required", ...approvalCodes]
      })
      .annotateContext(operation("Change a project", "Absent fields stay. A new slug changes the project's paths."))
  )
  .add(
    HttpApiEndpoint.del("delete")`/projects/${slug}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, {
        caller: "global_admin",
        scope: "projects:write",
        mutates: true,
        stepUp: true,
        destructive: true,
        failureCodes: ["conflict"]
      })
      .annotateContext(operation(
        "Delete a project",
        "It vanishes at once, and its tasks, agents and commands are deleted in the background. There is no " +
          "way back."
      ))
  )
{}
