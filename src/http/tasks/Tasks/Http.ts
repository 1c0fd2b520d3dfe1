import { HttpServerResponse } from "@effect/platform"
import { Effect, Stream } from "effect"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { addQuery, type FilterParams, readQuery } from "../../../domain/tasks/Task/Filter.ts"
import { type TaskRow, writeTask } from "../../../domain/tasks/Task/Json.ts"
import { Differences } from "../../../services/tasks/Differences.ts"
import { progressAt } from "../../../services/tasks/Outputs.ts"
import { checkQuery } from "../../../services/tasks/QueryAccess.ts"
import { RunningTasks } from "../../../services/tasks/RunningTasks.ts"
import { type OpenTaskPage, Tasks } from "../../../services/tasks/Tasks.ts"
import { TaskWhy } from "../../../services/tasks/Why.ts"
import { respondWithFile } from "../../Download.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { respondWithJsonText } from "../../JsonText.ts"
import { makeLimitHeader } from "../../LimitHeader.ts"

const filterOf = (params: FilterParams) =>
  Effect.map(Effect.zipRight(checkQuery(params.query), Timestamp.now), (now) =>
    addQuery({
      state: params.state ?? null,
      priority: params.priority ?? null,
      name: params.name ?? null,
      search: params.search ?? null,
      search_exceptions: params.search_exceptions ?? false,
      engine: params.engine ?? null,
      fingerprint: params.fingerprint ?? null,
      ids: null,
      queue: params.queue ?? null,
      worker: params.worker ?? null,
      since: params.since ?? null,
      until: params.until ?? null,
      query: null
    }, readQuery(params.query, now)))

const writeListed = (row: TaskRow): string => `${writeTask(row).slice(0, -1)},"progress":${row[progressAt] ?? "null"}}`

/**
 * Written, never parsed again: the tasks' own numbers must keep their digits. The rows that are not read yet are read as
 * the connection takes those before.
 */
const respondWithPage = ({ index, later, next_cursor, rows, searched_to, total_count }: OpenTaskPage) => {
  const begin = `{"items":[${rows.map(writeListed).join(",")}`
  const end = `],"next_cursor":${JSON.stringify(next_cursor)}` +
    `${total_count === undefined ? "" : `,"total_count":${total_count}`}` +
    `${searched_to === null ? "" : `,"searched_to":${JSON.stringify(searched_to)}`}` +
    `${index === null ? "" : `,"index":${JSON.stringify(index)}`}}`
  if (later === null) return respondWithJsonText(begin + end)
  const slices = Stream.mapAccum(later, rows.length > 0, (hasRows, slice) => [
    hasRows || slice.length > 0,
    (hasRows && slice.length > 0 ? "," : "") + slice.map(writeListed).join(",")
  ])
  const texts = Stream.concat(Stream.make(begin), Stream.concat(slices, Stream.make(end)))
  return HttpServerResponse.stream(Stream.encodeText(texts), { contentType: "application/json" })
}

export const layer = implementGroup("tasks", function*(handlers) {
  const tasks = yield* Tasks
  const why = yield* TaskWhy
  const running = yield* RunningTasks
  const differences = yield* Differences
  const withLimitHeader = yield* makeLimitHeader

  return handlers
    .handleRaw(
      "list",
      ({ urlParams }) =>
        Effect.flatMap(filterOf(urlParams), (filter) =>
          urlParams.format !== undefined
            ? Effect.flatMap(
              tasks.exportAs(filter, urlParams.format, urlParams.fields ?? null),
              (file) => respondWithFile("tasks", file)
            )
            : tasks.openPage(filter, {
              cursor: urlParams.cursor ?? null,
              limit: urlParams.limit ?? null,
              include_total: urlParams.include_total ?? false
            }).pipe(Effect.map((page) => withLimitHeader(urlParams, respondWithPage(page)))))
    )
    .handle("running", () => running.list())
    .handle("facets", ({ urlParams }) => Effect.flatMap(filterOf(urlParams), tasks.countFacets))
    .handle(
      "matches",
      ({ urlParams }) => Effect.flatMap(filterOf(urlParams), (filter) => tasks.listMatches(filter, urlParams.ids))
    )
    .handleRaw(
      "get",
      ({ path }) =>
        Effect.map(
          tasks.getDetail(path),
          ({ progress, row, ...more }) =>
            respondWithJsonText(
              `${writeTask(row).slice(0, -1)},"progress":${progress},${JSON.stringify(more).slice(1)}`
            )
        )
    )
    .handle("tree", ({ path }) => tasks.getTree(path))
    .handle("runs", ({ path }) => tasks.listRuns(path))
    .handleRaw("logs", ({ path, urlParams }) =>
      Effect.map(
        tasks.listLogs(path, urlParams),
        ({ items, ...more }) => respondWithJsonText(`{"items":[${items.join(",")}],${JSON.stringify(more).slice(1)}`)
      ))
    .handle("why", ({ path }) => why.explain(path))
    .handle("compare", ({ path }) => differences.compare(path))
    .handle("differences", ({ urlParams }) => differences.find(urlParams))
    .handle(
      "bulkDelete",
      ({ payload }) => Effect.map(tasks.bulkDelete(payload), (deleted_count) => ({ deleted_count }))
    )
})
