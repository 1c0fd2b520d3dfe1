import { queryOptions } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { ofFrame } from "../api/readAt.ts"

/** The live stream of a project has every change; without one, the number is read this often. */
export const unreadRefetchMillis = 60_000

export const unreadQuery = queryOptions({
  queryKey: ["inbox", "unread"],
  meta: ofFrame,
  queryFn: async () => (await unwrap(api.GET("/api/v1/user/notifications/unread-count"))).unread
})

const pageSize = 50

/** A page of the inbox. Its cursor is a header, because the response is the rows alone. */
export const readInbox = async (isUnread: boolean, cursor: string | null) => {
  const request = api.GET("/api/v1/user/notifications", {
    params: {
      query: { limit: pageSize, ...(isUnread && { unread_only: true }), ...(cursor !== null && { cursor }) }
    }
  })
  const items = await unwrap(request)
  const { response } = await request
  return { items, next_cursor: response.headers.get("x-svc-next-cursor") }
}
