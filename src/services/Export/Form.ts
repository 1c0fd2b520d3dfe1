import { stringify } from "csv-stringify/sync"
import { Chunk, Effect, Stream } from "effect"
import { ValidationFailed } from "../../domain/Errors.ts"
import type { ExportFormat } from "../../domain/Task/Filter.ts"
import type { Cell } from "../../domain/Task/Json.ts"

/** A file on its way to the caller. */
export interface ExportFile {
  readonly format: ExportFormat
  readonly body: Stream.Stream<Uint8Array>
}

/** How rows become text, slice by slice; `begun` after the first one. */
export interface Form<Row> {
  readonly head: string
  readonly slice: (rows: ReadonlyArray<Row>, begun: boolean) => string
  readonly tail: string
}

export const csv = <Row>(heading: ReadonlyArray<string>, cells: (row: Row) => ReadonlyArray<Cell>): Form<Row> => {
  const print = (rows: ReadonlyArray<ReadonlyArray<unknown>>) =>
    // record_delimiter alone would leave a lone line feed inside a cell without quotes
    stringify([...rows], { record_delimiter: "windows", quoted_match: /[\r\n]/ })
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

/** What a spreadsheet takes for a formula or swallows: = + - @ (also their wide forms) and control characters. */
const risky = /^[=+\-@＝＋－＠\p{Cc}]/u

/** Text that a spreadsheet shows and never runs: an apostrophe goes before a risky beginning. */
export const harmless = (text: string): string => (risky.test(text) ? `'${text}` : text)
