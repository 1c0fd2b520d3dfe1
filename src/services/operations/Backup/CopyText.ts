/**
 * Rows as lines of PostgreSQL's COPY text format (https://www.postgresql.org/docs/current/sql-copy.html): values apart by
 * tabs, `\N` for null, and a backslash before what would be taken for either. Both databases write and read it here.
 */
export const nullText = "\\N"

const special = /[\\\t\n\r\b\f\v]/
const specials = /[\\\t\n\r\b\f\v]/g

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
  "\b": "\\b",
  "\f": "\\f",
  "\v": "\\v"
}

const characters: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", b: "\b", f: "\f", v: "\v" }

/** As PostgreSQL writes them, so that the same rows give the same text. */
const escapeValue = (value: string): string =>
  special.test(value) ? value.replace(specials, (character) => escapes[character] ?? character) : value

const unescapeValue = (text: string): string | null =>
  text === nullText ? null : text.replace(/\\(.)/gs, (_, letter: string) => characters[letter] ?? letter)

/** A row's values as one line. Numbers are those of columns of the kind `real`; integers come as text. */
export const encodeLine = (values: ReadonlyArray<string | number | null>): string => {
  let line = ""
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    if (index > 0) line += "\t"
    if (value === null || value === undefined) line += nullText
    else line += typeof value === "number" ? value : escapeValue(value)
  }
  return `${line}\n`
}

/** The values of a line, without its line feed. */
export const decodeLine = (line: string): Array<string | null> => {
  const values: Array<string | null> = line.split("\t")
  if (!line.includes("\\")) return values
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? ""
    if (value.includes("\\")) values[index] = unescapeValue(value)
  }
  return values
}

/** The rows that end in these bytes. */
export const countLines = (bytes: Buffer): number => {
  let count = 0
  for (let position = bytes.indexOf(10); position !== -1; position = bytes.indexOf(10, position + 1)) count++
  return count
}
