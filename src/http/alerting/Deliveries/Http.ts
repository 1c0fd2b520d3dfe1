import { Layer } from "effect"
import { DeliveryLog } from "../../../services/alerting/Notifications/DeliveryLog.ts"
import { implementGroup } from "../../ImplementGroup.ts"

const project = implementGroup("deliveries", function*(handlers) {
  const { project: log } = yield* DeliveryLog
  return handlers
    .handle("list", ({ urlParams }) => log.list(urlParams))
    .handle("clear", ({ urlParams }) => log.clear(urlParams.before))
    .handle("get", ({ path }) => log.get(path.delivery_id))
    .handle("resend", ({ path }) => log.resend(path.delivery_id))
})

const user = implementGroup("user_deliveries", function*(handlers) {
  const { personal: log } = yield* DeliveryLog
  return handlers
    .handle("list", ({ urlParams }) => log.list(urlParams))
    .handle("get", ({ path }) => log.get(path.delivery_id))
    .handle("resend", ({ path }) => log.resend(path.delivery_id))
})

export const layer = Layer.merge(project, user)
