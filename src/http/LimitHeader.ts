import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { Settings } from "../services/kernel/Settings.ts"

/** Adds a header with the applied limit when a list's `limit` is over the largest page (docs/api.md, The list). */
export const makeLimitHeader = Effect.map(
  Settings,
  ({ restMaxPageSize }) =>
  ({ limit }: { readonly limit?: number | null | undefined }, response: HttpServerResponse.HttpServerResponse) =>
    (limit ?? 0) > restMaxPageSize
      ? HttpServerResponse.setHeader(response, "x-svc-limit-applied", String(restMaxPageSize))
      : response
)
