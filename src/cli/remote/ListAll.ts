import { Headers, type HttpClientError, type HttpClientResponse } from "@effect/platform"
import { Effect } from "effect"

/** The query of a page. */
interface RowsQuery {
  readonly limit: number
  readonly cursor?: string
}

/**
 * All rows of a list whose response is a bare array, page by page. The header `X-SVC-Next-Cursor` has the next cursor. The
 * bytes of the response are one array with the rows as the brain wrote them, so that no number loses a digit.
 */
export const listAll = Effect.fnUntraced(function*<A, E, R>(
  page: (query: RowsQuery) => Effect.Effect<readonly [ReadonlyArray<A>, HttpClientResponse.HttpClientResponse], E, R>
) {
  const rows: Array<A> = []
  const texts: Array<string> = []
  let headers = Headers.empty
  let cursor: string | undefined
  do {
    const [found, response] = yield* page({ limit: 500, ...(cursor !== undefined && { cursor }) })
    rows.push(...found)
    const text = new TextDecoder().decode(yield* response.arrayBuffer).trim() // the client has buffered it; `text` would read it again
    if (found.length > 0) texts.push(text.slice(1, -1)) // without the brackets of the array
    headers = response.headers
    cursor = headers["x-svc-next-cursor"]
  } while (cursor !== undefined)
  const arrayBuffer: Effect.Effect<ArrayBuffer, HttpClientError.ResponseError> = Effect.sync(() =>
    new TextEncoder().encode(`[${texts.join(",")}]`).buffer
  )
  return [rows, { arrayBuffer, headers }] as const
})

/** All pages of a list whose response names the next one in `next_cursor`. */
export const listPages = Effect.fnUntraced(function*<Page extends { readonly next_cursor: string | null }, E, R>(
  page: (query: RowsQuery) => Effect.Effect<Page, E, R>
) {
  const pages: Array<Page> = []
  let cursor: string | null = null
  do {
    const found: Page = yield* page({ limit: 500, ...(cursor !== null && { cursor }) })
    pages.push(found)
    cursor = found.next_cursor
  } while (cursor !== null)
  return pages
})
