import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../domain/Access.ts"
import { BulkDelete, BulkDeleted, ListTasks } from "../../domain/Task/Filter.ts"
import { Task, TaskList, TaskTree } from "../../domain/Task.ts"
import { Authenticated, InProject } from "../Access.ts"
import { slug } from "../Projects/Api.ts"

const engine = HttpApiSchema.param("engine", Schema.String)
/** Any characters; a slash in it is sent as %2F. */
const taskId = HttpApiSchema.param("task_id", Schema.String)

/** A thousand ids, also when they are printed one a line. */
const bulkBodyLimit = 128 * 1024

/** Tasks (interface, Tasks; bodies: tasks). With `format`, the list is a file: see docs/api.md. */
export class TasksApi extends HttpApiGroup.make("tasks")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/tasks`
      .setUrlParams(ListTasks)
      .addSuccess(TaskList)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
  )
  .add(
    HttpApiEndpoint.get("get")`/projects/${slug}/tasks/${engine}/${taskId}`
      .addSuccess(Task)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
  )
  .add(
    HttpApiEndpoint.get("tree")`/projects/${slug}/tasks/${engine}/${taskId}/tree`
      .addSuccess(TaskTree)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
  )
  .add(
    HttpApiEndpoint.post("bulkDelete")`/projects/${slug}/tasks/bulk-delete`
      .setPayload(BulkDelete)
      .addSuccess(BulkDeleted)
      .annotate(Access, {
        caller: "admin",
        scope: "tasks:delete",
        mutates: true,
        destructive: true,
        bucket: "bulk_write",
        bodyLimit: bulkBodyLimit
      })
  )
  .middleware(InProject)
  .middleware(Authenticated)
{}
