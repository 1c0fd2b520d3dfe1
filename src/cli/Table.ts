import { visible } from "./Visible.ts"

const colours = { red: 31, green: 32, yellow: 33, blue: 34, dim: 2, bold: 1 } as const
type Colour = keyof typeof colours

/** Colours of states and statuses; `Console.ts` takes them away where no terminal shows them. */
const ofState: Readonly<Record<string, Colour>> = {
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

const painted = (text: string, colour: Colour | undefined): string =>
  colour === undefined ? text : `\u001b[${colours[colour]}m${text}\u001b[0m`

/** A state in its colour, as wide as told. */
export const state = (text: string, width = 0): string => painted(visible(text).padEnd(width), ofState[text])

const isState = (name: string): boolean => ["state", "status"].includes(name.toLowerCase())

export interface Column<A> {
  readonly head: string
  readonly cell: (row: A) => string | number | null
  /** The longest that is shown; all of it unless said. */
  readonly most?: number
}

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`)

/** Rows under a head, each column as wide as its widest cell; `-` for nothing. States are coloured. */
export const table = <A>(columns: ReadonlyArray<Column<A>>, rows: ReadonlyArray<A>): string => {
  const cells = rows.map((row) =>
    columns.map(({ cell, most = Infinity }) => {
      const value = cell(row)
      return value === null || value === "" ? "-" : cut(visible(String(value)), most)
    }))
  const widths = columns.map(({ head }, at) => Math.max(head.length, ...cells.map((row) => row[at]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>, paint: (text: string, at: number) => string) =>
    row.map((text, at) => paint(text.padEnd(at === row.length - 1 ? 0 : widths[at] ?? 0), at)).join("  ")
  return [
    line(columns.map(({ head }) => head), (text) => painted(text, "bold")),
    ...cells.map((row) => line(row, (text, at) => (isState(columns[at]?.head ?? "") ? painted(text, ofState[text.trim()]) : text)))
  ].join("\n")
}

/** Names and values, one a line; what is null is left out. */
export const fields = (pairs: ReadonlyArray<readonly [string, string | number | null]>): string => {
  const shown = pairs.filter(([, value]) => value !== null && value !== "")
  const width = Math.max(0, ...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => {
    const text = visible(String(value))
    return `${painted(name.padEnd(width), "dim")}  ${isState(name) ? state(text) : text}`
  }).join("\n")
}

/** A page of a list: its rows, and under one that is not the last how to ask for the next. */
export const page = <A>(columns: ReadonlyArray<Column<A>>) =>
  ({ items, next_cursor }: { readonly items: ReadonlyArray<A>; readonly next_cursor: string | null }): string =>
    table(columns, items) + (next_cursor === null ? "" : `\nmore: --cursor ${visible(next_cursor)}`)
