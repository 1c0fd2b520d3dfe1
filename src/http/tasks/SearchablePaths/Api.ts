import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../../domain/kernel/Access.ts"
import { exampleId } from "../../../domain/kernel/Describe.ts"
import { caseInsensitiveId, SearchablePathId } from "../../../domain/kernel/Id.ts"
import { SearchablePath, SearchablePathCreate } from "../../../domain/tasks/SearchablePath.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const pathId = pathParameter("path_id", caseInsensitiveId(SearchablePathId), "The searchable path's id.", exampleId)

/** Places in arguments and results whose values are in an index (docs/api.md, Searchable paths). */
export class SearchablePathsApi extends projectGroup("searchable_paths", "Tasks")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/searchable-paths`
      .addSuccess(Schema.Array(SearchablePath))
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation("List searchable paths", "By task name and path, at most 16."))
  )
  .add(
    HttpApiEndpoint.post("create")`/projects/${slug}/searchable-paths`
      .setPayload(SearchablePathCreate)
      .addSuccess(SearchablePath, { status: 201 })
      .annotate(Access, {
        caller: "operator",
        scope: "tasks:write",
        mutates: true,
        creates: true,
        failureCodes: ["too_many_searchable_paths"]
      })
      .annotateContext(operation(
        "Make a path searchable",
        "New tasks are in its index at once, and the stored ones in the background, the newest first. A path that is " +
          "searchable already is the response. Masked values are not in the index."
      ))
  )
  .add(
    HttpApiEndpoint.del("remove")`/projects/${slug}/searchable-paths/${pathId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "operator", scope: "tasks:write", mutates: true })
      .annotateContext(operation("Remove a searchable path", "Queries of its values read the tasks again."))
  )
{}
