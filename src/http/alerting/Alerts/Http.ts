import { Effect, Layer } from "effect"
import { Alerts } from "../../../services/alerting/Notifications/Alerts.ts"
import { respondWithPage } from "../../Html/HtmlPage.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { renderAlertPage } from "./Page.ts"

const AlertsHttp = implementGroup("alerts", function*(handlers) {
  const alerts = yield* Alerts
  return handlers
    .handle("list", ({ urlParams }) => alerts.list(urlParams))
    .handle("get", ({ path }) => alerts.get(path.alert_id))
    .handle("acknowledge", ({ path, payload }) => alerts.acknowledge(path.alert_id, payload.acknowledged))
    .handle("snooze", ({ path, payload }) => alerts.snooze(path.alert_id, payload.until))
})

const LinksHttp = implementGroup("alert_links", function*(handlers) {
  const alerts = yield* Alerts
  return handlers
    .handle("preview", ({ payload }) => alerts.previewLink(payload.token))
    .handle("act", ({ payload }) => alerts.applyLink(payload.token, payload.snooze_minutes))
})

const PageHttp = implementGroup("alert_page", function*(handlers) {
  const page = yield* renderAlertPage
  return handlers.handle("page", () => Effect.succeed(respondWithPage(page)))
})

export const layer = Layer.mergeAll(AlertsHttp, LinksHttp, PageHttp)
