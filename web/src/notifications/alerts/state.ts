import type { Schemas } from "../../api/client.ts"

export type Alert = Schemas["Alert"]

/** An open alert is also acknowledged or snoozed, or needs a person. */
export type AlertState = Alert["status"] | "acknowledged" | "snoozed"

export const isSnoozed = ({ snoozed_until }: Alert, now: number): boolean =>
  snoozed_until !== null && Date.parse(snoozed_until) > now

/** An acknowledged alert stays so during a snooze: a person takes care of it. */
export const stateOf = (alert: Alert, now: number): AlertState =>
  alert.status !== "open"
    ? alert.status
    : alert.acknowledged_at !== null
    ? "acknowledged"
    : isSnoozed(alert, now)
    ? "snoozed"
    : "open"
