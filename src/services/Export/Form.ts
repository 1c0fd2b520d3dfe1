import { stringify } from "csv-stringify/sync"
import { Chunk, Effect, Stream } from "effect"
import { ValidationFailed } from "../../domain/Errors.ts"
import type { ExportFormat } from "../../domain/Task/Filter.ts"
import type { Cell } from "../../domain/Task/Json.ts"

/** A file on its way to the caller. */
export interface ExportFile {
  readonly format: ExportFormat
  /** Whether more rows match than the file may hold. */
  readonly truncated: boolean
  readonly body: Stream.Stream<Uint8Array>
}

/** How rows become text, slice by slice; `begun` after the first one. */
export interface Form<Row> {
  readonly head: string
  readonly slice: (rows: ReadonlyArray<Row>, begun: boolean) => string
  readonly tail: string
}

export const csv = <Row>(heading: ReadonlyArray<string>, cells: (row: Row) => ReadonlyArray<Cell>): Form<Row> => {
  const print = (rows: ReadonlyArray<ReadonlyArray<Cell>>) =>
    stringify(rows.map((row) => row.map(inert)), { record_delimiter: "windows", quoted_string: true })
  return { head: print([heading]), slice: (rows) => print(rows.map(cells)), tail: "" }
}

/** One array; `write` makes an object's text. */
export const json = <Row>(write: (row: Row) => string): Form<Row> => ({
  head: "[",
  slice: (rows, begun) => (begun ? ",\n" : "") + rows.map(write).join(",\n"),
  tail: "]\n"
})

/** The bytes of the rows in this form, chunk by chunk as they are read. */
export const streamed = <Row, E>(
  rows: Stream.Stream<Row, E>,
  { head, slice, tail }: Form<Row>
): Stream.Stream<Uint8Array> => {
  const slices = Stream.mapAccum(
    Stream.filter(Stream.chunks(rows), Chunk.isNonEmpty),
    false,
    (begun, some) => [true, slice(Chunk.toReadonlyArray(some), begun)]
  )
  return Stream.concat(Stream.make(head), Stream.concat(slices, Stream.make(tail))).pipe(
    Stream.encodeText,
    Stream.catchAll(Effect.die) // a broken database ends the download; the answer has begun already
  )
}

/** Rows of an xlsx file (interface, Limits). */
export const mostXlsxRows = 25_000

export const tooManyForXlsx = ValidationFailed.at(
  "format",
  `xlsx holds at most ${mostXlsxRows} rows; narrow the filter, or take csv`
)

/** Characters of all texts of an xlsx file: it is made in memory. */
export const mostXlsxText = 32 * 1024 * 1024

export const tooLargeForXlsx = ValidationFailed.at(
  "format",
  `xlsx holds at most ${mostXlsxText / 1024 / 1024} million characters; narrow the filter, name fewer fields, or take csv`
)

/** The fields of `all` that a caller named, with commas between them, or all of them. `what` has these fields. */
export const fieldsOf = <Field extends string>(
  given: string | null,
  all: ReadonlyArray<Field>,
  what: string
): Effect.Effect<ReadonlyArray<Field>, ValidationFailed> => {
  if (given === null) return Effect.succeed(all)
  const names = [...new Set(given.split(",").map((name) => name.trim()))]
  const isField = (name: string): name is Field => all.some((field) => field === name)
  const unknown = names.find((name) => !isField(name))
  return unknown === undefined
    ? Effect.succeed(names.filter(isField))
    : Effect.fail(ValidationFailed.at("fields", `"${unknown}" is not a field of ${what}`))
}

/**
 * What a spreadsheet takes for a formula or swallows: = + - @ (also their wide forms), also behind blanks and quotes,
 * and control characters.
 */
const risky = /^(?:[\s"]*[=+\-@＝＋－＠]|\p{Cc})/u

/** Text that a spreadsheet shows and never runs: an apostrophe goes before a risky beginning. */
export const harmless = (text: string): string => (risky.test(text) ? `'${text}` : text)

/** What splits cells or rows for a reader of semicolons or tabs. */
const separator = /[;\t\r\n]/
/** A whole run, and not a lookahead: a megabyte of tabs takes one pass. */
const runs = /[;\s"]+/g
const formula = /[=+\-@＝＋－＠]/

/**
 * A cell of a csv file that no reader takes for a formula (OWASP, CSV injection). A reader that splits at semicolons or
 * tabs does not find our quotes at both ends of a cell: for it the text behind such a separator begins one.
 */
const inert = (cell: Cell): Cell => {
  if (typeof cell !== "string" || !separator.test(cell)) return cell
  return cell.replace(runs, (run, at: number) => {
    const next = cell.charAt(at + run.length)
    return formula.test(next) && separator.test(run) ? `${run}'` : run
  })
}
