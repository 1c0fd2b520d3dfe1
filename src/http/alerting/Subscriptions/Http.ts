import { Layer } from "effect"
import { Subscriptions } from "../../../services/alerting/Subscriptions.ts"
import { implementGroup } from "../../ImplementGroup.ts"

const DefaultsHttp = implementGroup("notification_defaults", function*(handlers) {
  const subscriptions = yield* Subscriptions
  return handlers
    .handle("list", () => subscriptions.listDefaults())
    .handle("create", ({ payload }) => subscriptions.createDefault(payload))
    .handle("update", ({ path, payload }) => subscriptions.updateDefault(path.default_id, payload))
    .handle("remove", ({ path }) => subscriptions.removeDefault(path.default_id))
})

const PersonalHttp = implementGroup("user_subscriptions", function*(handlers) {
  const subscriptions = yield* Subscriptions
  return handlers
    .handle("list", ({ urlParams }) => subscriptions.listOwn(urlParams))
    .handle("create", ({ payload }) => subscriptions.createOwn(payload))
    .handle("update", ({ path, payload }) => subscriptions.updateOwn(path.sub_id, payload))
    .handle("remove", ({ path }) => subscriptions.removeOwn(path.sub_id))
})

export const layer = Layer.merge(DefaultsHttp, PersonalHttp)
