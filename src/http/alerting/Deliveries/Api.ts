import { HttpApiEndpoint } from "@effect/platform"
import {
  ClearDeliveries,
  ClearDeliveriesResult,
  Delivery,
  DeliveryDetail,
  deliveryIdInPath,
  DeliveryList,
  ListDeliveries,
  ListUserDeliveries
} from "../../../domain/alerting/Delivery.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { exampleId } from "../../../domain/kernel/Describe.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { actorGroup, projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const deliveryId = pathParameter("delivery_id", deliveryIdInPath, "The delivery's id.", exampleId)

const [read, write] = ["notifications:read", "notifications:write"] as const

const resentText =
  "Enqueues the same message again, under an id of its own: receivers that keep the ids they have seen would drop the " +
  "former one. The message of a webhook names the former one as `resend_of`."

const failureCodes = ["delivery_pending", "channel_not_active"] as const

/** What was sent to a project's channels (bodies: notifications). */
export class DeliveriesApi extends projectGroup("deliveries", "Notifications")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/notifications/deliveries`
      .setUrlParams(ListDeliveries)
      .addSuccess(DeliveryList)
      .annotate(Access, { caller: "admin", scope: read })
      .annotateContext(operation(
        "List a project's deliveries",
        "Messages to the project's channels, newest first. Deliveries to personal channels are their owner's."
      ))
  )
  .add(
    HttpApiEndpoint.del("clear")`/projects/${slug}/notifications/deliveries`
      .setUrlParams(ClearDeliveries)
      .addSuccess(ClearDeliveriesResult)
      .annotate(Access, { caller: "admin", scope: write, mutates: true, destructive: true })
      .annotateContext(operation(
        "Delete the log of deliveries",
        "Those to the project's channels that have ended, with their attempts. Pending ones and the audit log remain."
      ))
  )
  .add(
    HttpApiEndpoint.get("get")`/projects/${slug}/notifications/deliveries/${deliveryId}`
      .addSuccess(DeliveryDetail)
      .annotate(Access, { caller: "admin", scope: read })
      .annotateContext(operation("Show a delivery", "With its message and each of its attempts."))
  )
  .add(
    HttpApiEndpoint.post("resend")`/projects/${slug}/notifications/deliveries/${deliveryId}/resend`
      .addSuccess(Delivery, { status: 201 })
      .annotate(Access, { caller: "admin", scope: write, mutates: true, creates: true, failureCodes })
      .annotateContext(operation("Send a message again", resentText))
  )
{}

/** What was sent to the caller's personal channels (bodies: user-notifications). */
export class UserDeliveriesApi extends actorGroup("user_deliveries", "Notifications")
  .add(
    HttpApiEndpoint.get("list", "/user/deliveries")
      .setUrlParams(ListUserDeliveries)
      .addSuccess(DeliveryList)
      .annotate(Access, { caller: "authenticated", scope: read })
      .annotateContext(operation("List own deliveries", "Messages to the caller's personal channels, newest first."))
  )
  .add(
    HttpApiEndpoint.get("get")`/user/deliveries/${deliveryId}`
      .addSuccess(DeliveryDetail)
      .annotate(Access, { caller: "authenticated", scope: read })
      .annotateContext(operation("Show an own delivery", "With its message and each of its attempts."))
  )
  .add(
    HttpApiEndpoint.post("resend")`/user/deliveries/${deliveryId}/resend`
      .addSuccess(Delivery, { status: 201 })
      .annotate(Access, { caller: "authenticated", scope: write, mutates: true, creates: true, failureCodes })
      .annotateContext(operation("Send an own message again", resentText))
  )
{}
