import { queryOptions, useQuery } from "@tanstack/react-query"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { ofFrame } from "../api/readAt.ts"
import { useCan } from "../session/permissions.ts"
import { meQuery } from "../session/session.ts"

export type Approval = Schemas["Approval"]
export type ApprovalStatus = Approval["status"]

export const approvalsKey = (slug: string) => ["approvals", slug] as const

export const approvalQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: [...approvalsKey(slug), "one", id],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/approvals/{approval_id}", { params: { path: { slug, approval_id: id } } })
      )
  })

/** Actions of a project that wait at a time (docs/approvals.md): one page has them all. */
const maxPending = 100
const countMillis = 30_000

/** Actions that this person could decide. 0 for people who may not, without a request. */
export const useWaitingCount = (slug: string): number => {
  const { data: me } = useQuery(meQuery)
  const isAdmin = useCan(slug, "admin")
  const refetchInterval = useRefetchInterval(countMillis)
  const { data } = useQuery({
    queryKey: [...approvalsKey(slug), "waiting"],
    meta: ofFrame,
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/approvals", {
          params: { path: { slug }, query: { status: "pending", limit: maxPending } }
        })
      ),
    enabled: isAdmin,
    refetchInterval
  })
  return data?.items.filter(({ requested_by }) => requested_by !== me?.id).length ?? 0
}
