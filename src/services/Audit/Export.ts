import { Chunk, Effect, Stream } from "effect"
import { type ActivityField, activityFields, type ActivityItem } from "../../domain/Activity.ts"
import type { ExportFormat } from "../../domain/Task/Filter.ts"
import type { Cell } from "../../domain/Task/Json.ts"
import {
  csv,
  type ExportFile,
  fieldsOf,
  harmless,
  json,
  mostXlsxRows,
  streamed,
  tooManyForXlsx
} from "../Export/Form.ts"
import { Xlsx } from "../Export/Xlsx.ts"
import { Settings } from "../Settings.ts"

/** Rows of the audit log as a file, as tasks are exported. */
export class AuditExport extends Effect.Service<AuditExport>()("svc/audit/Export", {
  effect: Effect.gen(function*() {
    const settings = yield* Settings
    const xlsx = yield* Xlsx

    /** Rows are read once the thread is ours, and go to it as they are read: who waits for it holds none. */
    const spreadsheet = <E>(items: Stream.Stream<ActivityItem, E>, fields: ReadonlyArray<ActivityField>) => {
      const cells = cellsOf(fields)
      const slices = Stream.chunks(Stream.rechunk(Stream.take(items, mostXlsxRows + 1), 1000))
      return xlsx.make("Audit", fields, Stream.mapAccumEffect(slices, 0, (before, slice) => {
        const count = before + slice.length
        if (count > mostXlsxRows) return Effect.fail(tooManyForXlsx)
        const some = Chunk.take(slice, settings.auditExportMaxRows - before)
        return Effect.succeed([count, Chunk.toReadonlyArray(Chunk.map(some, cells))])
      }))
    }

    /** `fields` is a comma-separated list of names, null for all. */
    const file = Effect.fn("AuditExport.file")(function*<E>(
      items: Stream.Stream<ActivityItem, E>,
      format: ExportFormat,
      given: string | null
    ) {
      const fields = yield* fieldsOf(given, activityFields, "an activity item")
      if (format === "xlsx") return { format, body: Stream.make(yield* spreadsheet(items, fields)) } satisfies ExportFile
      const rows = Stream.take(items, settings.auditExportMaxRows)
      const form = format === "csv" ? csv(fields, cellsOf(fields)) : json(writer(fields))
      return { format, body: streamed(rows, form) } satisfies ExportFile
    })

    return { file } as const
  })
}) {
  static readonly layer = this.Default
}

const cellsOf = (fields: ReadonlyArray<ActivityField>) => (item: ActivityItem): ReadonlyArray<Cell> =>
  fields.map((field) => {
    const text = field === "metadata" ? JSON.stringify(item.metadata) : item[field]
    return text === null ? null : harmless(text)
  })

const writer = (fields: ReadonlyArray<ActivityField>) => (item: ActivityItem): string =>
  JSON.stringify(Object.fromEntries(fields.map((field) => [field, item[field]])))
