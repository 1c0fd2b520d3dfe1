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
import type { ShownRow } from "./Rows.ts"

/** Rows of the audit log as a file, as tasks are exported. */
export class AuditExport extends Effect.Service<AuditExport>()("svc/audit/Export", {
  effect: Effect.gen(function*() {
    const settings = yield* Settings
    const xlsx = yield* Xlsx

    /** `found` are the rows, newest first, read anew each time; `fields` is a comma-separated list of names, null for all. */
    const file = Effect.fn("AuditExport.file")(function*<E>(
      found: Stream.Stream<ShownRow, E>,
      itemOf: (row: ShownRow) => ActivityItem,
      format: ExportFormat,
      given: string | null
    ) {
      const fields = yield* fieldsOf(given, activityFields, "an activity item")
      const most = settings.auditExportMaxRows
      const { count, newest } = yield* extent(found, format === "xlsx" ? mostXlsxRows : most)
      if (format === "xlsx" && count > mostXlsxRows) return yield* tooManyForXlsx
      const truncated = count > most
      // what came since the count would push out the last of the rows that were counted
      const counted = Stream.take(Stream.dropWhile(found, ({ seq }) => seq > newest), Math.min(count, most))
      const items = Stream.map(counted, itemOf)
      if (format !== "xlsx") {
        const form = format === "csv" ? csv(fields, cellsOf(fields)) : json(writer(fields))
        return { format, truncated, body: streamed(items, form) } satisfies ExportFile
      }
      const slices = Stream.map(Stream.chunks(items), (some) => Chunk.toReadonlyArray(some).map(cellsOf(fields)))
      return { format, truncated, body: Stream.make(yield* xlsx.make("Audit", fields, slices)) } satisfies ExportFile
    })

    return { file } as const
  })
}) {
  static readonly layer = this.Default
}

/** The newest row, and how many rows there are, counted to one more than `most`. */
const extent = <E>(found: Stream.Stream<ShownRow, E>, most: number) =>
  Stream.runFold(Stream.take(found, most + 1), { newest: 0, count: 0 }, ({ count, newest }, { seq }) => ({
    newest: count === 0 ? seq : newest,
    count: count + 1
  }))

const cellsOf = (fields: ReadonlyArray<ActivityField>) => (item: ActivityItem): ReadonlyArray<Cell> =>
  fields.map((field) => {
    const text = field === "metadata" ? JSON.stringify(item.metadata) : item[field]
    return text === null ? null : harmless(text)
  })

const writer = (fields: ReadonlyArray<ActivityField>) => (item: ActivityItem): string =>
  JSON.stringify(Object.fromEntries(fields.map((field) => [field, item[field]])))
