import { queryOptions, useQuery } from "@tanstack/react-query"
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

const ranks: Readonly<Record<Role, number>> = { viewer: 0, auditor: 0, operator: 1, admin: 2 }

/** Whether the person may read the project's audit log, and export it. */
export const useCanAudit = (slug: string): boolean => {
  const { data: me } = useQuery(meQuery)
  const own = me?.memberships.find(({ project_slug }) => project_slug === slug)?.role
  return me?.is_admin === true || own === "auditor" || own === "admin"
}

/** Whether the person may do what needs this role in the project. The API decides; this hides buttons that it would refuse. */
export const useCan = (slug: string, role: "operator" | "admin"): boolean => {
  const { data: me } = useQuery(meQuery)
  if (!me) return false
  const own = me.memberships.find(({ project_slug }) => project_slug === slug)?.role
  return me.is_admin || (own !== undefined && ranks[own] >= ranks[role])
}
