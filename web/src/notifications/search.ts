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
  /** Only deliveries to the channel with this id. */
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

const oneOf = <A extends string>(known: ReadonlyArray<A>, value: unknown): A | undefined =>
  known.find((one) => one === value)

/** An id comes back as it is; anything else is no id. */
const idIn = (value: unknown): string | undefined =>
  typeof value === "string" && /^[0-9a-f-]{36}$/.test(value) ? value : undefined

export const readDeliverySearch = (search: Record<string, unknown>): DeliverySearch => {
  const delivery = oneOf(deliveryStatuses, search.delivery)
  const [channel, alert, shown] = [idIn(search.channel), idIn(search.alert), idIn(search.shown)]
  return {
    ...(delivery !== undefined && { delivery }),
    ...(channel !== undefined && { channel }),
    ...(alert !== undefined && { alert }),
    ...(typeof search.project === "string" && search.project !== "" && { project: search.project }),
    ...(shown !== undefined && { shown })
  }
}

export const readSearch = (search: Record<string, unknown>): NotificationsSearch => {
  const [part, status] = [oneOf(parts, search.part), oneOf(alertStatuses, search.status)]
  return {
    ...readDeliverySearch(search),
    ...(part !== undefined && { part }),
    ...(status !== undefined && { status })
  }
}

/** The parts of the page of a person's own notifications. */
export const ownParts = ["subscriptions", "channels", "deliveries"] as const
export type OwnPart = (typeof ownParts)[number]

export interface OwnSearch extends DeliverySearch {
  readonly part?: OwnPart
}

export const readOwnSearch = (search: Record<string, unknown>): OwnSearch => {
  const part = oneOf(ownParts, search.part)
  return { ...readDeliverySearch(search), ...(part !== undefined && { part }) }
}
