import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import {
  DefaultSubscription,
  DefaultSubscriptionCreate,
  DefaultSubscriptionUpdate,
  ListUserSubscriptions,
  UserSubscription,
  UserSubscriptionCreate,
  UserSubscriptionList,
  UserSubscriptionUpdate
} from "../../../domain/alerting/Notification/Subscription.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { exampleId } from "../../../domain/kernel/Describe.ts"
import { caseInsensitiveId, SubscriptionId } from "../../../domain/kernel/Id.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { actorGroup, projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const defaultId = pathParameter("default_id", caseInsensitiveId(SubscriptionId), "The default's id.", exampleId)
const subscriptionId = pathParameter("sub_id", caseInsensitiveId(SubscriptionId), "The subscription's id.", exampleId)

/** Up to four lists of 64 channels, 40 bytes each. */
const bodyLimit = 16_384

/** What a project notifies its channels and members of (bodies: notifications). */
export class DefaultSubscriptionsApi extends projectGroup("notification_defaults", "Notifications")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/notifications/defaults`
      .addSuccess(Schema.Array(DefaultSubscription))
      .annotate(Access, { caller: "admin", scope: "notifications:read" })
      .annotateContext(operation("List a project's defaults", "Oldest first."))
  )
  .add(
    HttpApiEndpoint.post("create")`/projects/${slug}/notifications/defaults`
      .setPayload(DefaultSubscriptionCreate)
      .addSuccess(DefaultSubscription, { status: 201 })
      .annotate(Access, {
        caller: "admin",
        scope: "notifications:write",
        mutates: true,
        creates: true,
        bucket: "bulk_write",
        bodyLimit,
        failureCodes: ["too_many_subscriptions"]
      })
      .annotateContext(operation(
        "Create a default",
        "Messages go to the project's channels once, and with `in_app` to the inbox of every member. A project has at " +
          "most 200 defaults."
      ))
  )
  .add(
    HttpApiEndpoint.patch("update")`/projects/${slug}/notifications/defaults/${defaultId}`
      .setPayload(DefaultSubscriptionUpdate)
      .addSuccess(DefaultSubscription)
      .annotate(Access, { caller: "admin", scope: "notifications:write", mutates: true, bodyLimit })
      .annotateContext(operation("Change a default", "Absent fields keep their values."))
  )
  .add(
    HttpApiEndpoint.del("remove")`/projects/${slug}/notifications/defaults/${defaultId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "admin", scope: "notifications:write", mutates: true })
      .annotateContext(operation("Delete a default", "Its alerts are deleted with it; deliveries remain."))
  )
{}

/** What the caller is notified of (bodies: user-notifications). */
export class UserSubscriptionsApi extends actorGroup("user_subscriptions", "Notifications")
  .add(
    HttpApiEndpoint.get("list", "/user/subscriptions")
      .setUrlParams(ListUserSubscriptions)
      .addSuccess(UserSubscriptionList)
      .annotate(Access, { caller: "authenticated", scope: "notifications:read" })
      .annotateContext(operation("List your subscriptions", "Newest first, of all projects or of one."))
  )
  .add(
    HttpApiEndpoint.post("create", "/user/subscriptions")
      .setPayload(UserSubscriptionCreate)
      .addSuccess(UserSubscription, { status: 201 })
      .annotate(Access, {
        caller: "authenticated",
        scope: "notifications:write",
        mutates: true,
        creates: true,
        bodyLimit,
        failureCodes: ["too_many_subscriptions"]
      })
      .annotateContext(operation(
        "Subscribe",
        "In a project that the caller is a member of. `project_channel_ids` need the role operator there. A user has " +
          "at most 200 subscriptions."
      ))
  )
  .add(
    HttpApiEndpoint.patch("update")`/user/subscriptions/${subscriptionId}`
      .setPayload(UserSubscriptionUpdate)
      .addSuccess(UserSubscription)
      .annotate(Access, { caller: "authenticated", scope: "notifications:write", mutates: true, bodyLimit })
      .annotateContext(operation("Change a subscription", "Absent fields keep their values; `muted_until` mutes it."))
  )
  .add(
    HttpApiEndpoint.del("remove")`/user/subscriptions/${subscriptionId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "authenticated", scope: "notifications:write", mutates: true })
      .annotateContext(operation("Delete a subscription", "Its alerts are deleted with it; deliveries remain."))
  )
{}
