import { HttpApiEndpoint } from "@effect/platform"
import { Schema } from "effect"
import { approvalCodes } from "../../../domain/approvalGate/Approval.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { FindDifferences, TaskComparison, TaskDifferences } from "../../../domain/tasks/Difference.ts"
import { RunningTasks } from "../../../domain/tasks/RunningTask.ts"
import { TaskDetail, TaskList, TaskTree } from "../../../domain/tasks/Task.ts"
import { TaskFacetCounts, TaskMatches } from "../../../domain/tasks/Task/Facets.ts"
import { BulkDelete, BulkDeleteResult, CountFacets, ListMatches, ListTasks } from "../../../domain/tasks/Task/Filter.ts"
import { TaskRuns } from "../../../domain/tasks/Task/Runs.ts"
import { TaskWhy } from "../../../domain/tasks/Task/WhyResponse.ts"
import { ListLogs, TaskLogs } from "../../../domain/tasks/TaskOutput.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const engine = pathParameter("engine", Schema.String, "The engine.", "celery")
/** Any characters; a slash in it is sent as %2F. */
const taskId = pathParameter(
  "task_id",
  Schema.String,
  "The engine's own id; a slash in it is sent as %2F.",
  "a3f1c2d4-5b6e-4f70-8a91-b2c3d4e5f607"
)

/** A thousand ids, also when they are printed one a line. */
const maxBulkDeleteBodyBytes = 128 * 1024

/** Tasks (interface, Tasks; bodies: tasks). With `format`, the list is a file: see docs/api.md. */
export class TasksApi extends projectGroup("tasks", "Tasks")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/tasks`
      .setUrlParams(ListTasks)
      .addSuccess(TaskList)
      .annotate(Access, { caller: "viewer", scope: "tasks:read", heavy: "by_query" })
      .annotateContext(operation(
        "List tasks",
        "Newest first, in pages; all terms must hold, and no character of a term is a wildcard. With " +
          "`format` it is a file of all matching tasks instead, and `cursor` and `limit` are ignored."
      ))
  )
  .add(
    HttpApiEndpoint.get("facets")`/projects/${slug}/task-facets`
      .setUrlParams(CountFacets)
      .addSuccess(TaskFacetCounts)
      .annotate(Access, { caller: "viewer", scope: "tasks:read", heavy: "always" })
      .annotateContext(operation(
        "Count the values of a filter's tasks",
        "How often each state, name, queue, worker and engine occurs among the matching tasks. Reads at most 10 000 " +
          "tasks, the newest first; states alone are always counted exactly."
      ))
  )
  .add(
    HttpApiEndpoint.get("matches")`/projects/${slug}/task-matches`
      .setUrlParams(ListMatches)
      .addSuccess(TaskMatches)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation(
        "Test tasks against a filter",
        "Which of the tasks match, for clients that follow the live stream beside a filtered list."
      ))
  )
  .add(
    HttpApiEndpoint.get("running")`/projects/${slug}/running-tasks`
      .addSuccess(RunningTasks)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation(
        "List what runs now",
        "The started tasks of all workers, oldest start first, without arguments. A worker that is offline ends none of " +
          "its tasks: compare with the list of workers."
      ))
  )
  .add(
    HttpApiEndpoint.get("get")`/projects/${slug}/tasks/${engine}/${taskId}`
      .addSuccess(TaskDetail)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation("Show a task", "By its engine and the engine's own id."))
  )
  .add(
    HttpApiEndpoint.get("tree")`/projects/${slug}/tasks/${engine}/${taskId}/tree`
      .addSuccess(TaskTree)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation(
        "Show a task's tree",
        "The tasks that share its root, oldest first, at most 500. Where a task has no `root_task_id`, its " +
          "parents are followed."
      ))
  )
  .add(
    HttpApiEndpoint.get("runs")`/projects/${slug}/tasks/${engine}/${taskId}/runs`
      .addSuccess(TaskRuns)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation(
        "List a task's runs",
        "Where an engine uses one id again and again, each use is a run; the task shows the latest. Latest first, at most " +
          "150; `total_count` counts older ones too."
      ))
  )
  .add(
    HttpApiEndpoint.get("logs")`/projects/${slug}/tasks/${engine}/${taskId}/logs`
      .setUrlParams(ListLogs)
      .addSuccess(TaskLogs)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation(
        "Read a task's log",
        "Lines that the task wrote while it ran, in the order of arrival, also of a task that is not known yet. Ask again " +
          "with `after` from `next_after` to follow it. Needs the project's `payload_role`; secrets are masked. At most " +
          "1000 lines and 256 KiB of a task are kept; a fifth of both is for warnings and errors alone."
      ))
  )
  .add(
    HttpApiEndpoint.get("why")`/projects/${slug}/tasks/${engine}/${taskId}/why`
      .addSuccess(TaskWhy)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation(
        "Explain why a task is not running",
        "The reasons that the brain's facts give, the likeliest first, each with its evidence. For a task that has " +
          "ended the only reason is its end; `unknown` when nothing explains it."
      ))
  )
  .add(
    HttpApiEndpoint.get("compare")`/projects/${slug}/tasks/${engine}/${taskId}/differences`
      .addSuccess(TaskComparison)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation(
        "Compare a task with the last success",
        "Worker, queue, version, run time and arguments that differ from those of the last task of its name that " +
          "succeeded before it."
      ))
  )
  .add(
    HttpApiEndpoint.get("differences")`/projects/${slug}/task-differences`
      .setUrlParams(FindDifferences)
      .addSuccess(TaskDifferences)
      .annotate(Access, { caller: "viewer", scope: "tasks:read", heavy: "always" })
      .annotateContext(operation(
        "Compare failed with succeeded tasks",
        "What is more frequent among the failed tasks of a name, or of a failure group, than among the succeeded ones of " +
          "the name. Compares at most 500 of each, chosen at random from the newest 10 000 rows of the window."
      ))
  )
  .add(
    HttpApiEndpoint.post("bulkDelete")`/projects/${slug}/tasks/bulk-delete`
      .setPayload(BulkDelete)
      .addSuccess(BulkDeleteResult)
      .annotate(Access, {
        caller: "admin",
        scope: "tasks:delete",
        mutates: true,
        stepUp: true,
        destructive: true,
        bucket: "bulk_write",
        failureCodes: approvalCodes,
        bodyLimit: maxBulkDeleteBodyBytes
      })
      .annotateContext(operation(
        "Delete many tasks",
        "Either `task_ids` or `filter_…` terms, which mean what they mean in the list; then at most 10,000 " +
          "tasks are deleted, the oldest first. An unknown field is refused, because a misspelt filter would " +
          "delete more than was meant."
      ))
  )
{}
