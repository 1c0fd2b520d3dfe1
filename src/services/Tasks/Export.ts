import { stringify } from "csv-stringify/sync"
import { Chunk, Effect, Option, Stream } from "effect"
import { ValidationFailed } from "../../domain/Errors.ts"
import type { ExportFormat, TaskFilter } from "../../domain/Task/Filter.ts"
import { type TaskRow, writer } from "../../domain/Task/Json.ts"
import { isTaskField, type TaskField, taskFields } from "../../domain/Task.ts"
import { orDieOnSql } from "../Database.ts"
import { turn } from "../EventLoop.ts"
import { Settings } from "../Settings.ts"
import { TasksRepo } from "./Repo.ts"
import { TaskSearch } from "./Search.ts"
import { cellsOf } from "./Table.ts"
import { Xlsx } from "./Xlsx.ts"

/** Rows of an xlsx file (interface, Limits). */
const mostXlsxRows = 25_000
const idsAtOnce = 5000
/** Rows that are read and written between two turns of the event loop: two to three milliseconds of work. */
const rowsAtOnce = 100

/** How rows become text, slice by slice; `begun` after the first one. */
interface Form {
  readonly head: string
  readonly slice: (rows: ReadonlyArray<TaskRow>, begun: boolean) => string
  readonly tail: string
}

/** A file on its way to the caller. */
export interface ExportFile {
  readonly format: ExportFormat
  readonly body: Stream.Stream<Uint8Array>
}

/** The fields that a caller named, or all of them. */
export const fieldsOf = (given: string | null): Effect.Effect<ReadonlyArray<TaskField>, ValidationFailed> => {
  if (given === null) return Effect.succeed(taskFields)
  const names = [...new Set(given.split(",").map((name) => name.trim()))]
  const unknown = names.find((name) => !isTaskField(name))
  return unknown === undefined
    ? Effect.succeed(names.filter(isTaskField))
    : Effect.fail(ValidationFailed.at("fields", `"${unknown}" is not a field of a task`))
}

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

    const csv = (fields: ReadonlyArray<TaskField>): Form => {
      const cells = cellsOf(fields)
      const print = (rows: ReadonlyArray<ReadonlyArray<unknown>>) =>
        // record_delimiter alone would leave a lone line feed inside a cell without quotes
        stringify([...rows], { record_delimiter: "windows", quoted_match: /[\r\n]/ })
      return {
        head: print([fields]),
        slice: (rows) => print(rows.map(cells)),
        tail: ""
      }
    }

    const json = (fields: ReadonlyArray<TaskField>): Form => {
      const write = writer(fields)
      return {
        head: "[",
        slice: (rows, begun) => (begun ? ",\n" : "") + rows.map(write).join(",\n"),
        tail: "]\n"
      }
    }

    const streamed = (projectId: string, filter: TaskFilter, { head, slice, tail }: Form) => {
      const ids = Stream.take(idsBeyond(projectId, filter), settings.tasksExportMaxRows)
      const slices = Stream.mapAccum(
        Stream.filter(Stream.chunks(rowsOf(projectId, ids)), Chunk.isNonEmpty),
        false,
        (begun, rows) => [true, slice(Chunk.toReadonlyArray(rows), begun)]
      )
      return Stream.concat(Stream.make(head), Stream.concat(slices, Stream.make(tail))).pipe(
        Stream.encodeText,
        Stream.catchAll(Effect.die) // a broken database ends the download; the answer has begun already
      )
    }

    /** Counts first, which finds the ids; the file is made on a thread of its own. */
    const spreadsheet = Effect.fnUntraced(function*(
      projectId: string,
      filter: TaskFilter,
      fields: ReadonlyArray<TaskField>
    ) {
      const ids = yield* Stream.runCollect(Stream.take(idsBeyond(projectId, filter), mostXlsxRows + 1))
      if (ids.length > mostXlsxRows) {
        const detail = `xlsx holds at most ${mostXlsxRows} rows; narrow the filter, or take csv`
        return yield* ValidationFailed.at("format", detail)
      }
      const rows = rowsOf(projectId, Stream.take(Stream.fromChunk(ids), settings.tasksExportMaxRows))
      const cells = cellsOf(fields)
      return yield* xlsx.make(fields, Stream.map(Stream.chunks(rows), (some) => Chunk.toReadonlyArray(some).map(cells)))
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
      const text = format === "csv" ? csv(fields) : json(fields)
      return { format, body: streamed(projectId, filter, text) } satisfies ExportFile
    }, orDieOnSql)

    return { file } as const
  })
}) {
  static readonly layer = this.Default
}
