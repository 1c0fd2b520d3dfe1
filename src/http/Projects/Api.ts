import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../domain/Access.ts"
import { CreateProject, Project, UpdateProject } from "../../domain/Project.ts"
import { Authenticated, InProject } from "../Access.ts"

/** The projects themselves (interface, Other paths; bodies: projects). */
export class ProjectsApi extends HttpApiGroup.make("projects")
  .add(
    HttpApiEndpoint.get("list", "/projects")
      .addSuccess(Schema.Array(Project))
      .annotate(Access, { caller: "authenticated", scope: "projects:read" })
  )
  .add(
    HttpApiEndpoint.post("create", "/projects")
      .setPayload(CreateProject)
      .addSuccess(Project, { status: 201 })
      .annotate(Access, { caller: "global_admin", scope: "projects:write", mutates: true, creates: true })
  )
  .middleware(Authenticated)
{}

export const slug = HttpApiSchema.param("slug", Schema.String)

/** One project. */
export class ProjectApi extends HttpApiGroup.make("project")
  .add(
    HttpApiEndpoint.get("get")`/projects/${slug}`
      .addSuccess(Project)
      .annotate(Access, { caller: "viewer", scope: "projects:read" })
  )
  .add(
    HttpApiEndpoint.patch("update")`/projects/${slug}`
      .setPayload(UpdateProject)
      .addSuccess(Project)
      .annotate(Access, { caller: "admin", scope: "projects:write", mutates: true })
  )
  .add(
    HttpApiEndpoint.del("delete")`/projects/${slug}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "global_admin", scope: "projects:write", mutates: true, stepUp: true, destructive: true })
  )
  .middleware(InProject)
  .middleware(Authenticated)
{}
