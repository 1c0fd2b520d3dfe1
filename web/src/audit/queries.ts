import { queryOptions } from "@tanstack/react-query"
import { api, ApiError, base, type Schemas, unwrap } from "../api/client.ts"

export const auditWindows = { "1h": 1, "24h": 24, "7d": 168, "30d": 720 } as const
export type AuditWindow = keyof typeof auditWindows

/** The filters of the log, as the page's address has them. */
export interface AuditFilter {
  readonly prefix?: string
  readonly person?: string
  readonly outcome?: "allow" | "deny"
  readonly window?: AuditWindow
  /** The id of what it was done to. */
  readonly target?: string
  /** The list begins at this cursor: at the entry that a verification found broken. */
  readonly from?: string
}

const hourMillis = 3_600_000

/** The terms of the API; a window begins so long before now. */
export const termsOf = ({ outcome, person, prefix, target, window }: AuditFilter) => ({
  ...(prefix !== undefined && { action_prefix: prefix }),
  ...(person !== undefined && { user_id: person }),
  ...(outcome !== undefined && { outcome }),
  ...(target !== undefined && { target_id: target }),
  ...(window !== undefined && { since: new Date(Date.now() - auditWindows[window] * hourMillis).toISOString() })
})

/** Rows of the project's log, newest first. */
export const readAudit = async (slug: string, filter: AuditFilter, limit: number, cursor: string | null) => {
  const page = await unwrap(
    api.GET("/api/v1/projects/{slug}/audit", {
      params: { path: { slug }, query: { limit, ...termsOf(filter), ...(cursor !== null && { cursor }) } }
    })
  )
  if (typeof page === "string" || Array.isArray(page)) {
    throw new TypeError("the answer is a file, which only `format` asks for")
  }
  return page
}

/** The API responds to a failed check with 503 and the same body. */
export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: async (): Promise<Schemas["DeepHealth"]> => {
    const response = await fetch(`${base}/api/v1/health/deep`, { credentials: "same-origin" })
    const body: unknown = await response.json()
    if (typeof body === "object" && body !== null && "checks" in body) {
      return body as Schemas["DeepHealth"] // the contract of the operation
    }
    throw new ApiError(response.status, "no_problem", "", response.headers.get("x-request-id"))
  }
})

export const forwarderQuery = queryOptions({
  queryKey: ["audit-forwarder"],
  queryFn: () => unwrap(api.GET("/api/v1/admin/audit-forwarder"))
})
