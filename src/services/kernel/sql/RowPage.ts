import { Effect } from "effect"
import { ValidationFailed } from "../../../domain/kernel/Errors.ts"
import { decodeCursor, encodeCursor, type PageOf } from "../../../domain/kernel/Page.ts"
import * as Ids from "../Ids.ts"

/** The requested page of a list, newest first by id. */
export interface RowsQuery {
  readonly cursor?: string | undefined
  readonly limit: number
}

/** The id after which the page of `list` begins; null for the first page. */
export const decodeStart = (list: string, { cursor }: RowsQuery): Effect.Effect<string | null, ValidationFailed> => {
  if (cursor === undefined) return Effect.succeed(null)
  const [id] = decodeCursor(list, cursor, 1) ?? []
  return id !== undefined && Ids.isUuid(id)
    ? Effect.succeed(id)
    : ValidationFailed.at("cursor", "is not a cursor of this list")
}

/** The page of `rows`, of which the query read `limit` + 1 to find out whether more follow. */
export const pageOf = <A extends { readonly id: string }>(
  list: string,
  { limit }: RowsQuery,
  rows: ReadonlyArray<A>
): PageOf<A> => {
  const items = rows.slice(0, limit)
  const last = items[items.length - 1]
  return { items, next_cursor: rows.length > limit && last !== undefined ? encodeCursor(list, [last.id]) : null }
}
