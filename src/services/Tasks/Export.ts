import { Chunk, Effect, Option, Stream } from "effect"
import type { ExportFormat, TaskFilter } from "../../domain/Task/Filter.ts"
import { writer } from "../../domain/Task/Json.ts"
import type { TaskField } from "../../domain/Task.ts"
import { orDieOnSql } from "../Database.ts"
import { turn } from "../EventLoop.ts"
import { csv, type ExportFile, json, mostXlsxRows, streamed, tooManyForXlsx } from "../Export/Form.ts"
import { Xlsx } from "../Export/Xlsx.ts"
import { groupsWithin, sliceBytes } from "../PageBytes.ts"
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

    /** The newest match, and how many there are, counted to one more than `most`: no id is kept. */
    const extent = (projectId: string, filter: TaskFilter, most: number) =>
      Stream.runFold(
        Stream.take(idsBeyond(projectId, filter), most + 1),
        { newest: "", count: 0 },
        ({ count, newest }, id) => ({ newest: count === 0 ? id : newest, count: count + 1 })
      )

    /** Each chunk is what was read at once: few rows, and few bytes unless one row alone has more. */
    const rowsOf = <E>(projectId: string, ids: Stream.Stream<string, E>) =>
      ids.pipe(
        Stream.rechunk(rowsAtOnce),
        Stream.chunks,
        Stream.mapEffect((some) => repo.sizes(projectId, Chunk.toReadonlyArray(some))),
        Stream.flatMap((sizes) => Stream.fromIterable(groupsWithin(sizes, sliceBytes))),
        Stream.mapEffect((group) => Effect.zipRight(turn, repo.byIds(projectId, group.map(({ id }) => id)))),
        Stream.map(Chunk.unsafeFromArray),
        Stream.flattenChunks
      )

    /** The file of a project's matching tasks. */
    const file = Effect.fn("TaskExport.file")(function*(
      projectId: string,
      filter: TaskFilter,
      format: ExportFormat,
      fields: ReadonlyArray<TaskField>
    ) {
      const most = settings.tasksExportMaxRows
      const { count, newest } = yield* extent(projectId, filter, format === "xlsx" ? mostXlsxRows : most)
      if (format === "xlsx" && count > mostXlsxRows) return yield* tooManyForXlsx
      const truncated = count > most
      // what came since the count would push out the last of the rows that were counted
      const ids = Stream.dropWhile(idsBeyond(projectId, filter), (id) => id > newest)
      const rows = rowsOf(projectId, Stream.take(ids, Math.min(count, most)))
      if (format !== "xlsx") {
        const form = format === "csv" ? csv(fields, cellsOf(fields)) : json(writer(fields))
        return { format, truncated, body: streamed(rows, form) } satisfies ExportFile
      }
      const slices = Stream.map(Stream.chunks(rows), (some) => Chunk.toReadonlyArray(some).map(cellsOf(fields)))
      return { format, truncated, body: Stream.make(yield* xlsx.make("Tasks", fields, slices)) } satisfies ExportFile
    }, orDieOnSql)

    return { file } as const
  })
}) {
  static readonly layer = this.Default
}
