import { oneOf, present, textIn } from "../searchParams.ts"

/** The parts of the page of a project's notifications, and what its address keeps of each. */
export const parts = ["alerts", "channels", "defaults", "deliveries", "maintenance"] as const
export type Part = (typeof parts)[number]

export const alertStatuses = ["open", "recovered", "stale", "closed"] as const
export type AlertStatus = (typeof alertStatuses)[number]

export const deliveryStatuses = ["pending", "sent", "failed", "suppressed"] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

export interface DeliverySearch {
  /** Of deliveries. */
  readonly delivery?: DeliveryStatus
  /** Only deliveries to the channel with this id; in the list of channels, the one that a link leads to. */
  readonly channel?: string
  /** Only deliveries of the alert with this id. */
  readonly alert?: string
  /** Only own deliveries about the project with this slug. */
  readonly project?: string
  /** The delivery whose attempts are shown. */
  readonly shown?: string
}

export interface NotificationsSearch extends DeliverySearch {
  readonly part?: Part
  /** Of alerts. */
  readonly status?: AlertStatus
}

/** An id comes back as it is; anything else is no id. */
const idIn = (value: unknown): string | undefined =>
  typeof value === "string" && /^[0-9a-f-]{36}$/.test(value) ? value : undefined

export const readDeliverySearch = (
  { alert, channel, delivery, project, shown }: Record<string, unknown>
): DeliverySearch =>
  present({
    delivery: oneOf(deliveryStatuses, delivery),
    channel: idIn(channel),
    alert: idIn(alert),
    project: textIn(project),
    shown: idIn(shown)
  })

export const readSearch = (search: Record<string, unknown>): NotificationsSearch => ({
  ...readDeliverySearch(search),
  ...present({ part: oneOf(parts, search.part), status: oneOf(alertStatuses, search.status) })
})

/** The parts of the page of a person's own notifications. */
export const ownParts = ["subscriptions", "channels", "deliveries"] as const
export type OwnPart = (typeof ownParts)[number]

export interface OwnSearch extends DeliverySearch {
  readonly part?: OwnPart
}

export const readOwnSearch = (search: Record<string, unknown>): OwnSearch => ({
  ...readDeliverySearch(search),
  ...present({ part: oneOf(ownParts, search.part) })
})
