import { api, unwrap } from "../api/client.ts"
import { useAction } from "../ui/useAction.ts"

/** Marks a notification of the inbox as read, by its id. */
export const useMarkRead = () =>
  useAction<string>(
    ["inbox"],
    (notification_id) =>
      unwrap(api.POST("/api/v1/user/notifications/{notification_id}/read", { params: { path: { notification_id } } }))
  )
