import { Chunk, Effect, Option, Stream } from "effect"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import type { ExportFormat } from "../../domain/kernel/Query.ts"
import type { TaskField } from "../../domain/tasks/Task.ts"
import type { TaskFilter } from "../../domain/tasks/Task/Filter.ts"
import { hidePayload, makeTaskWriter } from "../../domain/tasks/Task/Json.ts"
import { yieldToEventLoop } from "../kernel/concurrency/EventLoop.ts"
import {
  type CountedFile,
  countRead,
  csvFormat,
  encodeRows,
  jsonFormat,
  maxXlsxRows,
  tooManyXlsxRows
} from "../kernel/Export/Formats.ts"
import { Xlsx } from "../kernel/Export/Xlsx.ts"
import { groupWithin, sliceBytes } from "../kernel/PageBytes.ts"
import { Settings } from "../kernel/Settings.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { cellsOf } from "./Cells.ts"
import { TasksRepo } from "./Repo.ts"
import { TaskSearch } from "./Search.ts"

const idsAtOnce = 5000
/** Rows between two turns of the event loop: two to three milliseconds of work. */
const rowsAtOnce = 100

/** Exports tasks (interface, Task export): newest first, in slices, as fast as the caller reads. */
export class TaskExport extends Effect.Service<TaskExport>()("svc/tasks/Export", {
  effect: Effect.gen(function*() {
    const repo = yield* TasksRepo
    const search = yield* TaskSearch
    const settings = yield* Settings
    const xlsx = yield* Xlsx

    /** The ids of matches, newest first, those before an id if it is given. */
    const streamIds = (projectId: ProjectId, filter: TaskFilter, before: string | null) =>
      Stream.paginateChunkEffect(before, (after: string | null) =>
        Effect.map(
          search.listIds(projectId, filter, { direction: "newest", after, limit: idsAtOnce }),
          (ids) => [
            Chunk.unsafeFromArray(ids),
            ids.length < idsAtOnce ? Option.none() : Option.fromNullable(ids.at(-1))
          ]
        ))

    /** The newest match and the number of matches, at most `most` + 1. Keeps no ids in memory. */
    const countMatches = (ids: ReturnType<typeof streamIds>, most: number) =>
      Stream.runFold(
        Stream.take(ids, most + 1),
        { newest: "", count: 0 },
        ({ count, newest }, id) => ({ newest: count === 0 ? id : newest, count: count + 1 })
      )

    /** Each chunk is one read: few rows, and few bytes unless a single row has more. */
    const streamRows = <E>(projectId: ProjectId, ids: Stream.Stream<string, E>) =>
      ids.pipe(
        Stream.rechunk(rowsAtOnce),
        Stream.chunks,
        Stream.mapEffect((chunk) => repo.listSizes(projectId, Chunk.toReadonlyArray(chunk))),
        Stream.flatMap((sizes) => Stream.fromIterable(groupWithin(sizes, sliceBytes))),
        Stream.mapEffect((group) =>
          Effect.zipRight(yieldToEventLoop, repo.listByIds(projectId, group.map(({ id }) => id)))
        ),
        Stream.map(Chunk.unsafeFromArray),
        Stream.flattenChunks
      )

    /** The file of a project's matching tasks: the newest `most` of those whose ids are before `before`. */
    const exportFile = Effect.fn("TaskExport.exportFile")(function*(
      projectId: ProjectId,
      filter: TaskFilter,
      format: ExportFormat,
      fields: ReadonlyArray<TaskField>,
      hasPayload: boolean,
      { before = null, most = settings.tasksExportMaxRows }: {
        readonly before?: string | null
        readonly most?: number
      } = {}
    ) {
      const allIds = streamIds(projectId, filter, before)
      const { count, newest } = yield* countMatches(allIds, format === "xlsx" ? maxXlsxRows : most)
      if (format === "xlsx" && count > maxXlsxRows) return yield* tooManyXlsxRows
      const truncated = count > most
      // skips tasks newer than the count: they would displace the last rows that were counted
      const ids = Stream.dropWhile(allIds, (id) => id > newest)
      const rowCount = Math.min(count, most)
      const { readRows, rows: storedRows } = countRead(streamRows(projectId, Stream.take(ids, rowCount)))
      const counts = { truncated, rowCount, readRows }
      const rows = hasPayload ? storedRows : Stream.map(storedRows, hidePayload)
      if (format !== "xlsx") {
        const form = format === "csv" ? csvFormat(fields, cellsOf(fields)) : jsonFormat(makeTaskWriter(fields))
        return { format, ...counts, body: encodeRows(rows, form) } satisfies CountedFile
      }
      const slices = Stream.map(Stream.chunks(rows), (chunk) => Chunk.toReadonlyArray(chunk).map(cellsOf(fields)))
      return { format, ...counts, body: Stream.make(yield* xlsx.make("Tasks", fields, slices)) } satisfies CountedFile
    }, orDieOnSql)

    return { exportFile } as const
  })
}) {
  static readonly layer = this.Default
}
