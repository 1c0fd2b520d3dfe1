import { Schema } from "effect"
import { describeField } from "./Describe.ts"
import { isStorable } from "./Text.ts"

/**
 * Keyset pages (interface, Conventions): `cursor` is opaque to callers. Inside it are the name of the list and the
 * last row's sort key, base64url of a JSON array of strings, so that a page starts after a row, never at an offset, and
 * a cursor is valid only for its own list.
 */
export type CursorKey = ReadonlyArray<string>

export const encodeCursor = (list: string, key: CursorKey): string =>
  Buffer.from(JSON.stringify([list, ...key]), "utf8").toString("base64url")

/** The key, or null when the text is not a cursor of that list with `length` parts. */
export const decodeCursor = (list: string, text: string, length: number): CursorKey | null => {
  if (text.length > 2048 || !/^[A-Za-z0-9_-]+$/.test(text)) return null
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"))
    if (!Array.isArray(value)) return null
    const [name, ...key]: ReadonlyArray<unknown> = value
    if (name !== list || key.length !== length) return null
    return key.every((part): part is string => typeof part === "string" && isStorable(part)) ? key : null
  } catch {
    return null
  }
}

export const Page = <A, I, R>(item: Schema.Schema<A, I, R>) =>
  Schema.Struct({
    items: describeField(Schema.Array(item), "The rows of the page."),
    next_cursor: describeField(
      Schema.NullOr(Schema.String),
      "`cursor` of the next page; null on the last one.",
      "WyJyb3dzIiwiMDE5OWMwZGUiXQ"
    )
  })

export interface PageOf<A> {
  readonly items: ReadonlyArray<A>
  readonly next_cursor: string | null
}
