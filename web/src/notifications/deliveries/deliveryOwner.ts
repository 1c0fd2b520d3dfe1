import { api, type Schemas, unwrap } from "../../api/client.ts"
import type { DeliverySearch } from "../search.ts"

export type Delivery = Schemas["Delivery"]

/** The calls for the deliveries of one owner: to a project's channels, or to those of a person. */
export interface DeliveryOwner {
  readonly key: ReadonlyArray<string>
  readonly list: (search: DeliverySearch, cursor: string | null) => Promise<Schemas["DeliveryList"]>
  readonly get: (id: string) => Promise<Schemas["DeliveryDetail"]>
  readonly resend: (id: string) => Promise<Delivery>
  /** Deletes the log of what has ended; null: the log of a person is not deleted. */
  readonly clear: ((before: string | null) => Promise<Schemas["ClearDeliveriesResult"]>) | null
}

const projectPath = "/api/v1/projects/{slug}/notifications/deliveries"
const ownPath = "/api/v1/user/deliveries"
const pageSize = 50

const queryOf = ({ alert, channel, delivery }: DeliverySearch, cursor: string | null) => ({
  limit: pageSize,
  ...(delivery !== undefined && { status: delivery }),
  ...(channel !== undefined && { channel_id: channel }),
  ...(alert !== undefined && { alert_id: alert }),
  ...(cursor !== null && { cursor })
})

export const deliveriesOfProject = (slug: string): DeliveryOwner => {
  const one = (delivery_id: string) => ({ params: { path: { slug, delivery_id } } })
  return {
    key: ["deliveries", slug],
    list: (search, cursor) =>
      unwrap(api.GET(projectPath, { params: { path: { slug }, query: queryOf(search, cursor) } })),
    get: (id) => unwrap(api.GET(`${projectPath}/{delivery_id}`, one(id))),
    resend: (id) => unwrap(api.POST(`${projectPath}/{delivery_id}/resend`, one(id))),
    clear: (before) =>
      unwrap(api.DELETE(projectPath, { params: { path: { slug }, query: before === null ? {} : { before } } }))
  }
}

/** Those to the signed-in person's own channels. */
export const ownDeliveries: DeliveryOwner = {
  key: ["own deliveries"],
  list: ({ project, ...search }, cursor) =>
    unwrap(
      api.GET(ownPath, {
        params: { query: { ...queryOf(search, cursor), ...(project !== undefined && { project_slug: project }) } }
      })
    ),
  get: (delivery_id) => unwrap(api.GET(`${ownPath}/{delivery_id}`, { params: { path: { delivery_id } } })),
  resend: (delivery_id) => unwrap(api.POST(`${ownPath}/{delivery_id}/resend`, { params: { path: { delivery_id } } })),
  clear: null
}
