import { Chunk, Effect, Stream } from "effect"
import { type ActivityField, activityFields, type ActivityItem } from "../../domain/audit/Activity.ts"
import type { Cell } from "../../domain/kernel/Cell.ts"
import type { ExportFormat } from "../../domain/kernel/Query.ts"
import {
  type CountedFile,
  countRead,
  csvFormat,
  encodeRows,
  escapeFormula,
  jsonFormat,
  maxXlsxRows,
  parseFields,
  tooManyXlsxRows
} from "../kernel/Export/Formats.ts"
import { Xlsx } from "../kernel/Export/Xlsx.ts"
import { Settings } from "../kernel/Settings.ts"
import type { AuditLogRow } from "./Rows.ts"

/** Rows of the audit log as a file, as tasks are exported. */
export class AuditExport extends Effect.Service<AuditExport>()("svc/audit/Export", {
  effect: Effect.gen(function*() {
    const settings = yield* Settings
    const xlsx = yield* Xlsx

    /** `rows`: newest first, read again by each run. `fields`: a comma-separated list of names, null for all. */
    const makeFile = Effect.fn("AuditExport.makeFile")(function*<E>(
      rows: Stream.Stream<AuditLogRow, E>,
      itemOf: (row: AuditLogRow) => ActivityItem,
      format: ExportFormat,
      fieldNames: string | null,
      maxRows = settings.auditExportMaxRows
    ) {
      const fields = yield* parseFields(fieldNames, activityFields, "an activity item")
      const { count, newest } = yield* countRows(rows, format === "xlsx" ? maxXlsxRows : maxRows)
      if (format === "xlsx" && count > maxXlsxRows) return yield* tooManyXlsxRows
      const truncated = count > maxRows
      const rowCount = Math.min(count, maxRows)
      // rows since the count would displace the last rows that were counted
      const countedRows = Stream.take(Stream.dropWhile(rows, ({ seq }) => seq > newest), rowCount)
      const { readRows, rows: readItems } = countRead(Stream.map(countedRows, itemOf))
      const counts = { truncated, rowCount, readRows }
      if (format !== "xlsx") {
        const textFormat = format === "csv" ? csvFormat(fields, cellsOf(fields)) : jsonFormat(jsonWriterOf(fields))
        return { format, ...counts, body: encodeRows(readItems, textFormat) } satisfies CountedFile
      }
      const slices = Stream.map(Stream.chunks(readItems), (items) => Chunk.toReadonlyArray(items).map(cellsOf(fields)))
      return { format, ...counts, body: Stream.make(yield* xlsx.make("Audit", fields, slices)) } satisfies CountedFile
    })

    return { makeFile } as const
  })
}) {
  static readonly layer = this.Default
}

/** The newest row, and how many rows there are, counted to one more than `most`. */
const countRows = <E>(rows: Stream.Stream<AuditLogRow, E>, maxRows: number) =>
  Stream.runFold(Stream.take(rows, maxRows + 1), { newest: 0, count: 0 }, ({ count, newest }, { seq }) => ({
    newest: count === 0 ? seq : newest,
    count: count + 1
  }))

const cellsOf = (fields: ReadonlyArray<ActivityField>) => (item: ActivityItem): ReadonlyArray<Cell> =>
  fields.map((field) => {
    const text = field === "metadata" ? JSON.stringify(item.metadata) : item[field]
    return text === null ? null : escapeFormula(text)
  })

const jsonWriterOf = (fields: ReadonlyArray<ActivityField>) => (item: ActivityItem): string =>
  JSON.stringify(Object.fromEntries(fields.map((field) => [field, item[field]])))
