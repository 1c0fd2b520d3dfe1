import { Chunk, Effect, Option, Stream } from "effect"
import type { ExportFormat, TaskFilter } from "../../domain/Task/Filter.ts"
import { writer } from "../../domain/Task/Json.ts"
import type { TaskField } from "../../domain/Task.ts"
import { orDieOnSql } from "../Database.ts"
import { turn } from "../EventLoop.ts"
import { csv, type ExportFile, json, mostXlsxRows, streamed, tooManyForXlsx } from "../Export/Form.ts"
import { Xlsx } from "../Export/Xlsx.ts"
import { Settings } from "../Settings.ts"
import { TasksRepo } from "./Repo.ts"
import { TaskSearch } from "./Search.ts"
import { cellsOf } from "./Table.ts"

const idsAtOnce = 5000
/** Rows that are read and written between two turns of the event loop: two to three milliseconds of work. */
const rowsAtOnce = 100

/** Exports of tasks (interface, Task export): newest first, in slices, as fast as the caller reads. */
export class TaskExport extends Effect.Service<TaskExport>()("svc/tasks/Export", {
  effect: Effect.gen(function*() {
    const repo = yield* TasksRepo
    const search = yield* TaskSearch
    const settings = yield* Settings
    const xlsx = yield* Xlsx

    const idsBeyond = (projectId: string, filter: TaskFilter) =>
      Stream.paginateChunkEffect(Option.none<string>(), (after) =>
        Effect.map(
          search.ids(projectId, filter, { direction: "newest", after: Option.getOrNull(after), limit: idsAtOnce }),
          (ids) => [
            Chunk.unsafeFromArray(ids),
            ids.length < idsAtOnce ? Option.none() : Option.some(Option.fromNullable(ids[ids.length - 1]))
          ]
        ))

    const rowsOf = <E>(projectId: string, ids: Stream.Stream<string, E>) =>
      ids.pipe(
        Stream.rechunk(rowsAtOnce),
        Stream.mapChunksEffect((some) =>
          Effect.map(
            Effect.zipRight(turn, repo.byIds(projectId, Chunk.toReadonlyArray(some))),
            Chunk.unsafeFromArray
          )
        )
      )

    /** Counts first, which finds the ids; the file is made on a thread of its own. */
    const spreadsheet = Effect.fnUntraced(function*(
      projectId: string,
      filter: TaskFilter,
      fields: ReadonlyArray<TaskField>
    ) {
      const ids = yield* Stream.runCollect(Stream.take(idsBeyond(projectId, filter), mostXlsxRows + 1))
      if (ids.length > mostXlsxRows) return yield* tooManyForXlsx
      const rows = rowsOf(projectId, Stream.take(Stream.fromChunk(ids), settings.tasksExportMaxRows))
      const cells = cellsOf(fields)
      return yield* xlsx.make("Tasks", fields, Stream.map(Stream.chunks(rows), (some) => Chunk.toReadonlyArray(some).map(cells)))
    })

    /** The file of a project's matching tasks. */
    const file = Effect.fn("TaskExport.file")(function*(
      projectId: string,
      filter: TaskFilter,
      format: ExportFormat,
      fields: ReadonlyArray<TaskField>
    ) {
      if (format === "xlsx") {
        return { format, body: Stream.make(yield* spreadsheet(projectId, filter, fields)) } satisfies ExportFile
      }
      const rows = rowsOf(projectId, Stream.take(idsBeyond(projectId, filter), settings.tasksExportMaxRows))
      const form = format === "csv" ? csv(fields, cellsOf(fields)) : json(writer(fields))
      return { format, body: streamed(rows, form) } satisfies ExportFile
    }, orDieOnSql)

    return { file } as const
  })
}) {
  static readonly layer = this.Default
}
