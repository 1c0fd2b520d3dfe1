import { queryOptions } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { ofFrame } from "../api/readAt.ts"

/** Whether the person has a second factor, and until when one must be set up. */
export const factorQuery = queryOptions({
  queryKey: ["second-factor"],
  meta: ofFrame,
  queryFn: () => unwrap(api.GET("/api/v1/auth/mfa/status")),
  staleTime: 60_000
})
