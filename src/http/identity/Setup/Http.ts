import { Effect, Layer } from "effect"
import { Setup } from "../../../services/identity/Setup.ts"
import { DashboardPages } from "../../../services/kernel/DashboardPages.ts"
import { respondWithPage } from "../../Html/HtmlPage.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { Authorize } from "../../middleware/Authorize.ts"
import * as SetupPage from "./Page.ts"

const statusOf = (setup: Setup) => Effect.map(setup.isFirstBoot, (first_boot) => ({ first_boot }))

const SetupHttp = implementGroup(
  "setup",
  Effect.fnUntraced(function*(handlers) {
    const setup = yield* Setup
    const authorize = yield* Authorize
    const { isServed } = yield* DashboardPages
    const form = SetupPage.renderSetupForm(isServed())
    return handlers
      .handle("status", () => statusOf(setup))
      .handle("complete", ({ payload, request }) => setup.complete(payload, authorize.sourceOf(request)))
      .handle(
        "page",
        () =>
          Effect.map(
            setup.isFirstBoot,
            (firstBoot) => respondWithPage(firstBoot ? form : SetupPage.setupDonePage)
          )
      )
  })
)

const SetupUnderApiHttp = implementGroup(
  "setup_under_api",
  Effect.fnUntraced(function*(handlers) {
    const setup = yield* Setup
    const authorize = yield* Authorize
    return handlers
      .handle("status", () => statusOf(setup))
      .handle("complete", ({ payload, request }) => setup.complete(payload, authorize.sourceOf(request)))
  })
)

export const layer = Layer.mergeAll(SetupHttp, SetupUnderApiHttp)
