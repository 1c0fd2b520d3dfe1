import { Chunk, Effect, Stream } from "effect"
import { toCodeUnits } from "../../../domain/kernel/CanonicalJson/CodeUnits.ts"
import type { Cell } from "../../../domain/kernel/Cell.ts"
import { ValidationFailed } from "../../../domain/kernel/Errors.ts"
import type { ExportFormat } from "../../../domain/kernel/Query.ts"
import { replaceEach } from "../../../domain/kernel/Text.ts"

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
  const counted = Stream.mapChunks(rows, (chunk) => {
    count += chunk.length
    return chunk
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
    rows.map((row) => `${row.map(quoteCell).join(",")}\r\n`).join("")
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
    (begun, chunk) => [true, slice(Chunk.toReadonlyArray(chunk), begun)]
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

const [blankUnit, separatorUnit, formulaUnit] = [1, 2, 3]
const apostrophe = 0x27

/** What each UTF-16 unit is to a reader that splits at other separators. Plain code: a cell may have a megabyte of them. */
const kinds = new Uint8Array(0x10000)
for (
  const [characters, kind] of [
    [" \"\v\f\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a", blankUnit],
    ["\u2028\u2029\u202f\u205f\u3000\ufeff", blankUnit],
    [";\t\r\n", separatorUnit],
    ["=+-@＝＋－＠", formulaUnit]
  ] as const
) {
  for (const character of characters) kinds[character.charCodeAt(0)] = kind
}

/**
 * A csv cell that no reader evaluates as a formula (OWASP, CSV injection). A reader that splits at semicolons or tabs
 * ignores the quotes around the cell, so for it the text after each such separator, and after blanks, begins a cell.
 */
const escapeCell = (cell: string): string => {
  if (!separator.test(cell)) return cell
  const units = toCodeUnits(cell)
  const escaped = new Uint16Array(2 * cell.length)
  let [length, isBegin] = [0, false]
  for (let index = 0; index < cell.length; index++) {
    const unit = units[index]!
    const kind = kinds[unit]
    if (kind === separatorUnit) isBegin = true
    else if (kind !== blankUnit) {
      if (isBegin && kind === formulaUnit) escaped[length++] = apostrophe
      isBegin = false
    }
    escaped[length++] = unit
  }
  return length === cell.length ? cell : Buffer.from(escaped.buffer, 0, 2 * length).toString("utf16le")
}

/** A cell as RFC 4180 has it: all texts in quotes. */
const quoteCell = (cell: Cell): Cell =>
  typeof cell === "string" ? `"${replaceEach(escapeCell(cell), "\"", "\"\"")}"` : cell
