import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { Settings } from "../services/Settings.ts"

/** Tells of a list that its `limit` was over the largest page, and which one was applied (docs/api.md, The list). */
export const makeLimitHeader = Effect.map(
  Settings,
  ({ restMaxPageSize }) =>
    ({ limit }: { readonly limit?: number | null | undefined }, response: HttpServerResponse.HttpServerResponse) =>
      (limit ?? 0) > restMaxPageSize
        ? HttpServerResponse.setHeader(response, "x-svc-limit-applied", String(restMaxPageSize))
        : response
)
