import { Effect } from "effect"
import type { ListTasks, TaskFilter } from "../../domain/Task/Filter.ts"
import { writeTask } from "../../domain/Task/Json.ts"
import { type TaskPage, Tasks } from "../../services/Tasks.ts"
import { TaskWhy } from "../../services/Tasks/Why.ts"
import { respondWithFile } from "../Download.ts"
import { implementGroup } from "../ImplementGroup.ts"
import { respondWithJsonText } from "../JsonText.ts"
import { makeLimitHeader } from "../LimitHeader.ts"

const filterOf = (query: ListTasks): TaskFilter => ({
  state: query.state ?? null,
  priority: query.priority ?? null,
  name: query.name ?? null,
  search: query.search ?? null,
  search_exceptions: query.search_exceptions ?? false,
  engine: query.engine ?? null,
  fingerprint: query.fingerprint ?? null,
  queue: query.queue ?? null,
  worker: query.worker ?? null,
  since: query.since ?? null,
  until: query.until ?? null
})

/** Written, never parsed again: the tasks' own numbers must keep their digits. */
const pageJson = ({ next_cursor, rows, searched_to, total_count }: TaskPage): string =>
  `{"items":[${rows.map(writeTask).join(",")}],"next_cursor":${JSON.stringify(next_cursor)}` +
  `${total_count === undefined ? "" : `,"total_count":${total_count}`}` +
  `${searched_to === null ? "" : `,"searched_to":${JSON.stringify(searched_to)}`}}`

export const layer = implementGroup(
  "tasks",
  Effect.fnUntraced(function*(handlers) {
    const tasks = yield* Tasks
    const why = yield* TaskWhy
    const withLimitHeader = yield* makeLimitHeader

    return handlers
      .handleRaw("list", ({ urlParams }) =>
        urlParams.format !== undefined
          ? Effect.flatMap(
            tasks.exportAs(filterOf(urlParams), urlParams.format, urlParams.fields ?? null),
            (file) => respondWithFile("tasks", file)
          )
          : tasks.list(filterOf(urlParams), {
            cursor: urlParams.cursor ?? null,
            limit: urlParams.limit ?? null,
            include_total: urlParams.include_total ?? false
          }).pipe(Effect.map((page) => withLimitHeader(urlParams, respondWithJsonText(pageJson(page))))))
      .handleRaw(
        "get",
        ({ path }) =>
          Effect.map(
            tasks.getDetail(path),
            ({ row, ...more }) => respondWithJsonText(`${writeTask(row).slice(0, -1)},${JSON.stringify(more).slice(1)}`)
          )
      )
      .handle("tree", ({ path }) => tasks.getTree(path))
      .handle("why", ({ path }) => why.explain(path))
      .handle(
        "bulkDelete",
        ({ payload }) => Effect.map(tasks.bulkDelete(payload), (deleted_count) => ({ deleted_count }))
      )
  })
)
