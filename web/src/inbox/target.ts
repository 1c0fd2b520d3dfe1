import { linkOptions } from "@tanstack/react-router"
import type { Schemas } from "../api/client.ts"

/** The page where a person acts on it. */
export const targetOf = ({ alert_id, data, reason }: Schemas["UserNotification"], slug: string) => {
  const { approval_id, channel_id, fingerprint, is_personal, rule_id } = data
  if (alert_id !== null) {
    return linkOptions({
      to: "/projects/$slug/notifications/alerts/$alertId",
      params: { slug, alertId: alert_id }
    })
  }
  if (reason === "approval" && typeof approval_id === "string") {
    return linkOptions({ to: "/projects/$slug/approvals", params: { slug }, search: { id: approval_id } })
  }
  if (reason === "failure_group" && typeof fingerprint === "string") {
    return linkOptions({ to: "/projects/$slug/failures/$fingerprint", params: { slug, fingerprint } })
  }
  if (reason === "automation" && typeof rule_id === "string") {
    return linkOptions({ to: "/projects/$slug/automation/$ruleId", params: { slug, ruleId: rule_id } })
  }
  if (reason === "channel" && typeof channel_id === "string" && typeof is_personal === "boolean") {
    const search = { part: "channels", channel: channel_id } as const
    return is_personal
      ? linkOptions({ to: "/account/notifications", search })
      : linkOptions({ to: "/projects/$slug/notifications", params: { slug }, search })
  }
  return null
}
