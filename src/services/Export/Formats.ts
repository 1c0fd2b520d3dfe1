import { stringify } from "csv-stringify/sync"
import { Chunk, Effect, Stream } from "effect"
import { ValidationFailed } from "../../domain/Errors.ts"
import type { ExportFormat } from "../../domain/Query.ts"
import type { Cell } from "../../domain/Task/Json.ts"

/** A file that streams to the caller. */
export interface ExportFile {
  readonly format: ExportFormat
  /** Whether more rows match than the file may hold. */
  readonly truncated: boolean
  readonly body: Stream.Stream<Uint8Array>
}

/** A file whose rows were counted before its first byte. */
export interface CountedFile extends ExportFile {
  /** Rows that were counted, at most the cap: those that the file is to have. */
  readonly rowCount: number
  /** Rows that were read for the body so far. In the end fewer than were counted, where rows were deleted since. */
  readonly readRows: () => number
}

/** The rows, and how many of them were read so far. */
export const countRead = <Row, E, R>(rows: Stream.Stream<Row, E, R>) => {
  let count = 0
  const counted = Stream.mapChunks(rows, (some) => {
    count += some.length
    return some
  })
  return { rows: counted, readRows: () => count }
}

/** How rows become text, slice by slice; `begun` is true after the first slice. */
export interface TextFormat<Row> {
  readonly head: string
  readonly slice: (rows: ReadonlyArray<Row>, begun: boolean) => string
  readonly tail: string
}

export const csvFormat = <Row>(
  heading: ReadonlyArray<string>,
  cells: (row: Row) => ReadonlyArray<Cell>
): TextFormat<Row> => {
  const print = (rows: ReadonlyArray<ReadonlyArray<Cell>>) =>
    stringify(rows.map((row) => row.map(escapeCell)), { record_delimiter: "windows", quoted_string: true })
  return { head: print([heading]), slice: (rows) => print(rows.map(cells)), tail: "" }
}

/** One JSON array; `write` gives an object's text. */
export const jsonFormat = <Row>(write: (row: Row) => string): TextFormat<Row> => ({
  head: "[",
  slice: (rows, begun) => (begun ? ",\n" : "") + rows.map(write).join(",\n"),
  tail: "]\n"
})

/** The bytes of the rows in this format, chunk by chunk as the rows are read. */
export const encodeRows = <Row, E>(
  rows: Stream.Stream<Row, E>,
  { head, slice, tail }: TextFormat<Row>
): Stream.Stream<Uint8Array> => {
  const slices = Stream.mapAccum(
    Stream.filter(Stream.chunks(rows), Chunk.isNonEmpty),
    false,
    (begun, some) => [true, slice(Chunk.toReadonlyArray(some), begun)]
  )
  return Stream.concat(Stream.make(head), Stream.concat(slices, Stream.make(tail))).pipe(
    Stream.encodeText,
    Stream.catchAll(Effect.die) // the response has begun, so a database failure can only end the download
  )
}

/** Maximum rows of an xlsx file (interface, Limits). */
export const maxXlsxRows = 25_000

export const tooManyXlsxRows = ValidationFailed.at(
  "format",
  `xlsx holds at most ${maxXlsxRows} rows; narrow the filter, or take csv`
)

/** Maximum characters of all texts of an xlsx file, which is built in memory. */
export const maxXlsxCharacters = 32 * 1024 * 1024

export const tooMuchXlsxText = ValidationFailed.at(
  "format",
  `xlsx holds at most ${
    maxXlsxCharacters / 1024 / 1024
  } million characters; narrow the filter, name fewer fields, or take csv`
)

/**
 * The comma-separated fields that the caller requested, or all of them. `what` names the exported thing in the error.
 */
export const parseFields = <Field extends string>(
  fieldList: string | null,
  all: ReadonlyArray<Field>,
  what: string
): Effect.Effect<ReadonlyArray<Field>, ValidationFailed> => {
  if (fieldList === null) return Effect.succeed(all)
  const names = [...new Set(fieldList.split(",").map((name) => name.trim()))]
  const isField = (name: string): name is Field => all.some((field) => field === name)
  const unknown = names.find((name) => !isField(name))
  return unknown === undefined
    ? Effect.succeed(names.filter(isField))
    : Effect.fail(ValidationFailed.at("fields", `"${unknown}" is not a field of ${what}`))
}

/**
 * What a spreadsheet evaluates as a formula or drops: = + - @ (also their full-width forms), also after blanks and
 * quotes, and control characters.
 */
const formulaStart = /^(?:[\s"]*[=+\-@＝＋－＠]|\p{Cc})/u

/** Text that a spreadsheet shows and never evaluates: an apostrophe precedes a risky first character. */
export const escapeFormula = (text: string): string => (formulaStart.test(text) ? `'${text}` : text)

/** The characters at which readers of other separators split cells or rows. */
const separator = /[;\t\r\n]/
/** Matches a whole run instead of a lookahead, so a megabyte of tabs takes one pass. */
const separatorRun = /[;\s"]+/g
const formula = /[=+\-@＝＋－＠]/

/**
 * A csv cell that no reader evaluates as a formula (OWASP, CSV injection). A reader that splits at semicolons or tabs
 * ignores the quotes around the cell, so for it the text after each such separator begins a cell.
 */
const escapeCell = (cell: Cell): Cell => {
  if (typeof cell !== "string" || !separator.test(cell)) return cell
  return cell.replace(separatorRun, (run, at: number) => {
    const next = cell.charAt(at + run.length)
    return formula.test(next) && separator.test(run) ? `${run}'` : run
  })
}
