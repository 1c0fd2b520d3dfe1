import { api, type Schemas, unwrap } from "../../api/client.ts"
import type { SubscriptionBody } from "./form.ts"

type Own = Schemas["UserSubscription"]

/** A default of a project, or a subscription of a person, which also has channels of its own. */
export type Subscription = Omit<Own, "user_id" | "user_channel_ids" | "escalation"> & {
  readonly user_channel_ids?: ReadonlyArray<string>
  readonly escalation:
    | Omit<Own["escalation"] & object, "user_channel_ids"> & {
      readonly user_channel_ids?: ReadonlyArray<string>
    }
    | null
}

export type SubscriptionChange = Partial<SubscriptionBody> & {
  readonly is_active?: boolean
  readonly muted_until?: string | null
}

/** The calls for the subscriptions of one owner. */
export interface SubscriptionOwner {
  readonly key: ReadonlyArray<string>
  readonly isPersonal: boolean
  readonly list: () => Promise<ReadonlyArray<Subscription>>
  /** `projectId` is for personal ones, which belong to a project each. */
  readonly create: (body: SubscriptionBody, projectId: string) => Promise<unknown>
  readonly update: (id: string, body: SubscriptionChange) => Promise<unknown>
  readonly remove: (id: string) => Promise<unknown>
}

const defaultsPath = "/api/v1/projects/{slug}/notifications/defaults"
const ownPath = "/api/v1/user/subscriptions"

export const defaultsOfProject = (slug: string): SubscriptionOwner => {
  const one = (default_id: string) => ({ params: { path: { slug, default_id } } })
  const all = { params: { path: { slug } } }
  return {
    key: ["subscriptions", slug],
    isPersonal: false,
    list: () => unwrap(api.GET(defaultsPath, all)),
    create: (body) => unwrap(api.POST(defaultsPath, { ...all, body })),
    update: (id, body) => unwrap(api.PATCH(`${defaultsPath}/{default_id}`, { ...one(id), body })),
    remove: (id) => unwrap(api.DELETE(`${defaultsPath}/{default_id}`, one(id)))
  }
}

/** More than a person may have. */
const pageSize = 500

/** Those of the signed-in person, in all projects. */
export const ownSubscriptions: SubscriptionOwner = {
  key: ["own subscriptions"],
  isPersonal: true,
  list: async () => (await unwrap(api.GET(ownPath, { params: { query: { limit: pageSize } } }))).items,
  create: (body, project_id) => unwrap(api.POST(ownPath, { body: { ...body, project_id } })),
  update: (sub_id, body) => unwrap(api.PATCH(`${ownPath}/{sub_id}`, { params: { path: { sub_id } }, body })),
  remove: (sub_id) => unwrap(api.DELETE(`${ownPath}/{sub_id}`, { params: { path: { sub_id } } }))
}
