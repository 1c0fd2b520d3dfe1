import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import type { ExportFormat, ListTasks, TaskFilter } from "../../domain/Task/Filter.ts"
import { write } from "../../domain/Task/Json.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { CurrentProject } from "../../services/CurrentActor.ts"
import { type TaskPage, Tasks } from "../../services/Tasks.ts"
import { Api } from "../Api.ts"

const filterOf = (query: ListTasks): TaskFilter => ({
  state: query.state ?? null,
  priority: query.priority ?? null,
  name: query.name ?? null,
  search: query.search ?? null,
  queue: query.queue ?? null,
  worker: query.worker ?? null,
  since: query.since ?? null,
  until: query.until ?? null
})

/** Text that is JSON already: the tasks' own numbers are in it and must not be parsed. */
const json = (text: string) => HttpServerResponse.text(text, { contentType: "application/json" })

const pageJson = ({ next_cursor, rows, total_count }: TaskPage): string =>
  `{"items":[${rows.map(write).join(",")}],"next_cursor":${JSON.stringify(next_cursor)}` +
  `${total_count === undefined ? "" : `,"total_count":${total_count}`}}`

const contentTypes: Readonly<Record<ExportFormat, string>> = {
  csv: "text/csv; charset=utf-8; header=present",
  json: "application/json",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
}

/** `tasks-<slug>-20260131T120000Z.csv`: a slug has no character that needs quoting. */
const fileName = (slug: string, now: Timestamp.Timestamp, format: ExportFormat): string =>
  `tasks-${slug}-${now.slice(0, 19).replace(/[-:]/g, "")}Z.${format}`

export const layer = HttpApiBuilder.group(Api, "tasks", Effect.fnUntraced(function*(handlers) {
  const tasks = yield* Tasks

  const download = Effect.fnUntraced(function*(query: ListTasks, format: ExportFormat) {
    const { body } = yield* tasks.exportAs(filterOf(query), format, query.fields ?? null)
    const { slug } = yield* CurrentProject
    const name = fileName(slug, yield* Timestamp.now, format)
    return HttpServerResponse.stream(body, {
      contentType: contentTypes[format],
      headers: { "content-disposition": `attachment; filename="${name}"` }
    })
  })

  return handlers
    .handleRaw("list", ({ urlParams }) =>
      urlParams.format !== undefined
        ? download(urlParams, urlParams.format)
        : tasks.list(filterOf(urlParams), {
          cursor: urlParams.cursor ?? null,
          limit: urlParams.limit ?? null,
          include_total: urlParams.include_total
        }).pipe(Effect.map((page) => json(pageJson(page)))))
    .handleRaw("get", ({ path }) => Effect.map(tasks.find(path), (row) => json(write(row))))
    .handle("tree", ({ path }) => tasks.tree(path))
    .handle("bulkDelete", ({ payload }) =>
      Effect.map(tasks.bulkDelete(payload), (deleted_count) => ({ deleted_count })))
}))
