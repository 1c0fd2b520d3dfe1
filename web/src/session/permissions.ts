import { useQuery } from "@tanstack/react-query"
import { meQuery, type Role } from "./session.ts"

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
