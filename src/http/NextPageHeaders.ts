import { HttpApp, type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import type { PageOf } from "../domain/kernel/Page.ts"

/**
 * The rows of a page, with the address of the next one in the headers `Link` (RFC 8288) and `X-SVC-Next-Cursor`: the
 * contract's body has no place for it.
 */
export const respondWithRows = <A>({ items, next_cursor }: PageOf<A>) =>
  next_cursor === null ? Effect.succeed(items) : Effect.as(
    HttpApp.appendPreResponseHandler((request, response) =>
      Effect.succeed(HttpServerResponse.setHeaders(response, {
        link: `<${nextUrl(request, next_cursor)}>; rel="next"`,
        "x-svc-next-cursor": next_cursor
      }))
    ),
    items
  )

/** Relative to the address of the request, which a proxy may know under another path. */
const nextUrl = ({ url }: HttpServerRequest.HttpServerRequest, cursor: string): string => {
  const query = new URLSearchParams(url.split("?", 2)[1] ?? "")
  query.set("cursor", cursor)
  return `?${query.toString()}`
}
