import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../../domain/kernel/Access.ts"
import { exampleId } from "../../../domain/kernel/Describe.ts"
import { caseInsensitiveId, SavedViewId } from "../../../domain/kernel/Id.ts"
import { SavedView, SavedViewWrite } from "../../../domain/tasks/SavedView.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const viewId = pathParameter("view_id", caseInsensitiveId(SavedViewId), "The view's id.", exampleId)

/** Named filters of the task list (bodies: saved-views). */
export class SavedViewsApi extends projectGroup("saved_views", "Tasks")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/saved-views`
      .addSuccess(Schema.Array(SavedView))
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation("List saved views", "The caller's own and the shared ones, by name."))
  )
  .add(
    HttpApiEndpoint.post("create")`/projects/${slug}/saved-views`
      .setPayload(SavedViewWrite)
      .addSuccess(SavedView, { status: 201 })
      .annotate(Access, {
        caller: "viewer",
        scope: "tasks:write",
        mutates: true,
        creates: true,
        failureCodes: ["saved_view_name_taken", "too_many_saved_views"]
      })
      .annotateContext(operation(
        "Save a view",
        "Personal, unless `is_shared` is true, which needs the role operator. A user has at most 100 views in a " +
          "project, and a project shares at most 500."
      ))
  )
  .add(
    HttpApiEndpoint.put("update")`/projects/${slug}/saved-views/${viewId}`
      .setPayload(SavedViewWrite)
      .addSuccess(SavedView)
      .annotate(Access, {
        caller: "viewer",
        scope: "tasks:write",
        mutates: true,
        failureCodes: ["saved_view_name_taken", "too_many_saved_views"]
      })
      .annotateContext(operation(
        "Replace a saved view",
        "Of the caller's own views, and of shared ones for admins of the project. A view that is shared afterwards " +
          "needs the role operator. Without `is_shared` a shared view remains shared. A view whose owner was deleted " +
          "becomes the caller's when it is no longer shared."
      ))
  )
  .add(
    HttpApiEndpoint.del("remove")`/projects/${slug}/saved-views/${viewId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "viewer", scope: "tasks:write", mutates: true })
      .annotateContext(operation(
        "Delete a saved view",
        "Of the caller's own views, and of shared ones for admins of the project."
      ))
  )
{}
