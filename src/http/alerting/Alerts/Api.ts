import { HttpApiEndpoint } from "@effect/platform"
import {
  AcknowledgeAlert,
  Alert,
  AlertList,
  ListAlerts,
  SnoozeAlert
} from "../../../domain/alerting/Notification/Alert.ts"
import { AlertLinkPreview, PreviewAlertLink, UseAlertLink } from "../../../domain/alerting/Notification/AlertLink.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { exampleId } from "../../../domain/kernel/Describe.ts"
import { AlertId, caseInsensitiveId } from "../../../domain/kernel/Id.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { plainGroup, projectGroup } from "../../Groups.ts"
import { html, LinkToken } from "../../Html/Api.ts"
import { slug } from "../../ProjectPath.ts"

const alertId = pathParameter("alert_id", caseInsensitiveId(AlertId), "The alert's id.", exampleId)

/** What is wrong, as the project's defaults and the caller's subscriptions see it. */
export class AlertsApi extends projectGroup("alerts", "Notifications")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/notifications/alerts`
      .setUrlParams(ListAlerts)
      .addSuccess(AlertList)
      .annotate(Access, { caller: "viewer", scope: "notifications:read" })
      .annotateContext(operation(
        "List alerts",
        "Of the project's defaults and of the caller's subscriptions, newest first. Other users' alerts are not shown."
      ))
  )
  .add(
    HttpApiEndpoint.get("get")`/projects/${slug}/notifications/alerts/${alertId}`
      .addSuccess(Alert)
      .annotate(Access, { caller: "viewer", scope: "notifications:read" })
      .annotateContext(operation("Show an alert", "Of a default, or of a subscription of the caller."))
  )
  .add(
    HttpApiEndpoint.post("acknowledge")`/projects/${slug}/notifications/alerts/${alertId}/acknowledge`
      .setPayload(AcknowledgeAlert)
      .addSuccess(Alert)
      .annotate(Access, {
        caller: "viewer",
        scope: "notifications:write",
        mutates: true,
        failureCodes: ["alert_ended"]
      })
      .annotateContext(operation(
        "Acknowledge an alert",
        "A person takes care of it: no further message comes but its recovery, and it is not escalated. A project's " +
          "alert needs the role operator."
      ))
  )
  .add(
    HttpApiEndpoint.post("snooze")`/projects/${slug}/notifications/alerts/${alertId}/snooze`
      .setPayload(SnoozeAlert)
      .addSuccess(Alert)
      .annotate(Access, {
        caller: "viewer",
        scope: "notifications:write",
        mutates: true,
        failureCodes: ["alert_ended"]
      })
      .annotateContext(operation(
        "Snooze an alert",
        "No message about it is sent before `until`, except its recovery. A project's alert needs the role operator."
      ))
  )
{}

/** For the holder of a message's link, without a login. */
export class AlertLinksApi extends plainGroup("alert_links", "Notifications")
  .add(
    HttpApiEndpoint.post("preview", "/alert-links/preview")
      .setPayload(PreviewAlertLink)
      .addSuccess(AlertLinkPreview)
      .annotate(Access, { caller: "public", bucket: "invitation", failureCodes: ["alert_link_invalid"] })
      .annotateContext(operation("Show the alert of a link", "For the holder of its token. Changes nothing."))
  )
  .add(
    HttpApiEndpoint.post("act", "/alert-links/act")
      .setPayload(UseAlertLink)
      .addSuccess(AlertLinkPreview)
      .annotate(Access, {
        caller: "public",
        bucket: "invitation",
        failureCodes: ["alert_link_invalid", "alert_ended"]
      })
      .annotateContext(operation(
        "Acknowledge or snooze by a link",
        "Does what the link is for. The audit log names the channel that the link was sent through."
      ))
  )
{}

/** Where the links of messages lead, at the root. Opening it changes nothing: mail scanners open links. */
export class AlertPageApi extends plainGroup("alert_page", "Pages")
  .add(
    HttpApiEndpoint.get("page", "/alert")
      .setUrlParams(LinkToken)
      .addSuccess(html)
      .annotate(Access, { caller: "public" })
      .annotateContext(operation("Show the page of an alert's link", "Where the links of a message lead."))
  )
{}
