import { queryOptions } from "@tanstack/react-query"
import { api, type Schemas, unwrap } from "../api/client.ts"

export const keysQuery = queryOptions({
  queryKey: ["api-keys"],
  queryFn: () => unwrap(api.GET("/api/v1/api-keys"))
})

export const scopesQuery = queryOptions({
  queryKey: ["api-key-scopes"],
  queryFn: () => unwrap(api.GET("/api/v1/api-keys/scopes")),
  staleTime: Infinity
})

export const statusOf = ({ expires_at, revoked_at }: Schemas["ApiKey"], now: number) =>
  revoked_at !== null ? "revoked" : expires_at !== null && Date.parse(expires_at) <= now ? "expired" : "active"
