import { shortId } from "./ShortId.ts"
import { escapeText } from "./TerminalText.ts"

const colours = { red: 31, green: 32, yellow: 33, blue: 34, dim: 2, bold: 1 } as const
type Colour = keyof typeof colours

/** Colours of states and statuses. `Console.ts` removes them where no terminal shows them. */
const stateColours: Readonly<Record<string, Colour>> = {
  success: "green",
  completed: "green",
  online: "green",
  failure: "red",
  failed: "red",
  timeout: "red",
  rejected: "red",
  retry: "yellow",
  revoked: "yellow",
  cancelled: "yellow",
  offline: "yellow",
  started: "blue",
  dispatched: "blue"
}

const applyColour = (text: string, colour: Colour | undefined): string =>
  colour === undefined ? text : `\u001b[${colours[colour]}m${text}\u001b[0m`

/** A state in its colour, padded to `width`. */
export const formatState = (text: string, width = 0): string =>
  applyColour(escapeText(text).padEnd(width), stateColours[text])

const isState = (name: string): boolean => ["state", "status"].includes(name.toLowerCase())

/** The current time, for ages, and the number of characters that fit into a line. */
export interface View {
  readonly nowMillis: number
  readonly columns: number
}

export interface Column<A> {
  readonly head: string
  readonly cell: (row: A, view: View) => string | number | null
  /** Longer cells are truncated to this; default: no limit. */
  readonly maxLength?: number
  /** On a narrow line the column may shrink to this; default: it keeps its width. */
  readonly minLength?: number
  /** On a still narrower line, columns of the highest rank are dropped first. A column without a rank stays. */
  readonly dropRank?: number
  /** Dropped where every cell is empty. */
  readonly hidesEmpty?: true
}

/** A column of ids, the last of a table: on a terminal eight characters of each (`ShortId.ts`), in a pipe all. */
export const idColumn = <A>(
  head: string,
  idOf: (row: A) => string | null,
  options: Pick<Column<A>, "dropRank" | "hidesEmpty"> = {}
): Column<A> => ({
  head,
  cell: (row, { columns }) => {
    const id = idOf(row)
    return id === null || columns === Infinity ? id : shortId(id)
  },
  ...options
})

const units = [["w", 604_800], ["d", 86_400], ["h", 3600], ["m", 60]] as const

/** How long ago a time was, in its largest whole unit: `42s`, `3m`, `5h`, `2d`, `12w`. */
export const formatAge = (at: string | null, { nowMillis }: Pick<View, "nowMillis">): string | null => {
  if (at === null) return null
  const seconds = Math.max(0, Math.floor((nowMillis - Date.parse(at)) / 1000))
  const [unit, length] = units.find(([, length]) => seconds >= length) ?? ["s", 1]
  return `${Math.floor(seconds / length)}${unit}`
}

/** About how long, in one unit: `90 s`, `12 min`, `5 h`. `formatDuration` is exact. */
export const formatSeconds = (seconds: number): string =>
  seconds < 120
    ? `${Math.round(seconds)} s`
    : seconds < 7200
    ? `${Math.round(seconds / 60)} min`
    : `${Math.round(seconds / 3600)} h`

const truncate = (
  text: string,
  limit: number
): string => (text.length <= limit ? text : `${text.slice(0, Math.max(limit - 1, 0)).toWellFormed()}…`)

interface ColumnLayout {
  readonly column: Pick<Column<never>, "head" | "minLength" | "dropRank" | "hidesEmpty">
  readonly cells: ReadonlyArray<string>
  width: number
}

const gap = 2
const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0)
const minWidthOf = ({ column: { head, minLength }, width }: ColumnLayout): number =>
  Math.min(width, Math.max(minLength ?? width, head.length))

/** Drops columns, then truncates the widest of the shrinkable ones, until a row fits. */
const fitColumns = (all: ReadonlyArray<ColumnLayout>, available: number): ReadonlyArray<ColumnLayout> => {
  const total = (layouts: ReadonlyArray<ColumnLayout>, width: (one: ColumnLayout) => number) =>
    sum(layouts.map(width)) + gap * (layouts.length - 1)
  let kept = all.filter(({ cells, column }) => column.hidesEmpty !== true || cells.some((cell) => cell !== "-"))
  while (total(kept, minWidthOf) > available) {
    const rank = Math.max(...kept.map(({ column }) => column.dropRank ?? 0))
    if (rank === 0) break
    kept = kept.filter(({ column }) => column.dropRank !== rank)
  }
  while (total(kept, ({ width }) => width) > available) {
    const [widest] = kept.filter((one) => one.width > minWidthOf(one)).toSorted((a, b) => b.width - a.width)
    if (widest === undefined) break
    widest.width--
  }
  return kept
}

/** Rows under a head, each column as wide as its widest cell where the line has room; `-` for nothing. States are coloured. */
export const formatTable = <A>(columns: ReadonlyArray<Column<A>>, rows: ReadonlyArray<A>, view: View): string => {
  const layouts = columns.map((column): ColumnLayout => {
    const cells = rows.map((row) => {
      const value = column.cell(row, view)
      return value === null || value === "" ? "-" : truncate(escapeText(String(value)), column.maxLength ?? Infinity)
    })
    return { column, cells, width: Math.max(column.head.length, ...cells.map(({ length }) => length)) }
  })
  const kept = fitColumns(layouts, view.columns)
  const line = (text: (one: ColumnLayout) => string, paint: (text: string, head: string) => string) =>
    kept.map((one, index) =>
      paint(truncate(text(one), one.width).padEnd(index === kept.length - 1 ? 0 : one.width), one.column.head)
    ).join(" ".repeat(gap))
  return [
    line(({ column }) => column.head, (text) => applyColour(text, "bold")),
    ...rows.map((_, index) =>
      line(
        ({ cells }) => cells[index] ?? "",
        (text, head) => (isState(head) ? applyColour(text, stateColours[text.trim()]) : text)
      )
    )
  ].join("\n")
}

/** Names and values, one a line, without null values. */
export const formatFields = (pairs: ReadonlyArray<readonly [string, string | number | null]>): string => {
  const filled = pairs.filter(([, value]) => value !== null && value !== "")
  const width = Math.max(0, ...filled.map(([name]) => name.length))
  return filled.map(([name, value]) => {
    const text = escapeText(String(value))
    return `${applyColour(name.padEnd(width), "dim")}  ${isState(name) ? formatState(text) : text}`
  }).join("\n")
}

/** The rows of a list: all of them, or a page. */
export type Rows<A> = ReadonlyArray<A> | { readonly items: ReadonlyArray<A>; readonly next_cursor?: string | null }

/** A list: its rows under the columns and, of a page that is not the last, the option for the next one. */
export const formatList =
  <A>(columns: ReadonlyArray<Column<A>>) => (rows: Rows<A>, _text: string, view: View): string => {
    if (!("items" in rows)) return formatTable(columns, rows, view)
    const { items, next_cursor = null } = rows
    return formatTable(columns, items, view) +
      (next_cursor === null ? "" : `\nmore: --cursor ${escapeText(next_cursor)}`)
  }
