import { Effect } from "effect"
import { ValidationFailed } from "../domain/Errors.ts"
import { decodeCursor, encodeCursor, type PageOf } from "../domain/Page.ts"
import * as Ids from "./Ids.ts"

/** Which rows of a list, newest first by id. */
export interface RowsQuery {
  readonly cursor?: string | undefined
  readonly limit: number
}

/** The id that the page of `list` begins after; null at the beginning. */
export const decodeStart = (list: string, { cursor }: RowsQuery): Effect.Effect<string | null, ValidationFailed> => {
  if (cursor === undefined) return Effect.succeed(null)
  const [id] = decodeCursor(list, cursor, 1) ?? []
  return id !== undefined && Ids.isUuid(id)
    ? Effect.succeed(id)
    : ValidationFailed.at("cursor", "is not a cursor of this list")
}

/** The page of `rows`, one more of which than the limit was read where there are more. */
export const pageOf = <A extends { readonly id: string }>(list: string, { limit }: RowsQuery, rows: ReadonlyArray<A>): PageOf<A> => {
  const items = rows.slice(0, limit)
  const last = items[items.length - 1]
  return { items, next_cursor: rows.length > limit && last !== undefined ? encodeCursor(list, [last.id]) : null }
}
