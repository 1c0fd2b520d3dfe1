import { queryOptions } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import type { Role } from "../session/session.ts"

export const membersQuery = (slug: string) =>
  queryOptions({
    queryKey: ["members", slug],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/memberships", { params: { path: { slug } } }))
  })

export const invitationsQuery = (slug: string) =>
  queryOptions({
    queryKey: ["invitations", slug],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/invitations", { params: { path: { slug } } }))
  })

const roles: ReadonlyArray<Role> = ["viewer", "auditor", "operator", "admin"]

/** The role of a sent form. */
export const roleOf = (form: FormData): Role => roles.find((role) => role === form.get("role")) ?? "viewer"
