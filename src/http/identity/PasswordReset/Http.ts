import { Effect, Layer } from "effect"
import { PasswordResets } from "../../../services/identity/PasswordResets.ts"
import { DashboardPages } from "../../../services/kernel/DashboardPages.ts"
import { Mail } from "../../../services/kernel/Mail.ts"
import { respondWithPage } from "../../Html/HtmlPage.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { Authorize } from "../../middleware/Authorize.ts"
import { renderResetPage } from "./Page.ts"

const PasswordResetHttp = implementGroup("password_reset", function*(handlers) {
  const resets = yield* PasswordResets
  const { sourceOf } = yield* Authorize
  return handlers
    .handle(
      "request",
      ({ payload, request }) => Effect.as(resets.request(payload.email, sourceOf(request)), { accepted: true })
    )
    .handle("confirm", ({ payload, request }) => resets.confirm(payload, sourceOf(request)))
})

const PasswordResetPageHttp = implementGroup("password_reset_page", function*(handlers) {
  const { isEnabled } = yield* Mail
  const { isServed } = yield* DashboardPages
  const page = renderResetPage({ hasDashboard: isServed(), sendsMail: isEnabled })
  return handlers.handle("page", () => Effect.succeed(respondWithPage(page)))
})

export const layer = Layer.merge(PasswordResetHttp, PasswordResetPageHttp)
