import { queryOptions } from "@tanstack/react-query"
import { api, csrfToken, type Schemas, unwrap } from "../api/client.ts"
import { ofFrame } from "../api/readAt.ts"

export type Me = Schemas["Me"]
export type Role = Me["memberships"][number]["role"]

/** The signed-in person; null without a session, and while the second factor is pending. */
export const meQuery = queryOptions({
  queryKey: ["me"],
  meta: ofFrame,
  queryFn: async (): Promise<Me | null> => {
    if (csrfToken() === undefined) return null
    const request = api.GET("/api/v1/auth/me")
    const isSignedOut = await request.then(({ response }) => response.status === 401, () => false)
    return isSignedOut ? null : unwrap(request)
  },
  staleTime: 60_000
})
