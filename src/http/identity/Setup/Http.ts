import type { HttpServerRequest } from "@effect/platform"
import { Effect, Layer } from "effect"
import { type CompleteSetup, SetupCompleted } from "../../../domain/identity/Setup.ts"
import { Setup } from "../../../services/identity/Setup.ts"
import { DashboardPages } from "../../../services/kernel/DashboardPages.ts"
import { respondWithPage } from "../../Html/HtmlPage.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { Authorize } from "../../middleware/Authorize.ts"
import { makeSessionResponse } from "../../middleware/SessionResponse.ts"
import * as SetupPage from "./Page.ts"

const statusOf = (setup: Setup) => Effect.map(setup.isFirstBoot, (first_boot) => ({ first_boot }))

const makeComplete = Effect.gen(function*() {
  const setup = yield* Setup
  const { browserOf } = yield* Authorize
  const respond = yield* makeSessionResponse(SetupCompleted)
  return ({ payload, request }: {
    readonly payload: CompleteSetup
    readonly request: HttpServerRequest.HttpServerRequest
  }) =>
    Effect.flatMap(
      setup.complete(payload, browserOf(request)),
      ({ completed, session }) => respond(completed, session)
    )
})

const SetupHttp = implementGroup("setup", function*(handlers) {
  const setup = yield* Setup
  const complete = yield* makeComplete
  const { isServed } = yield* DashboardPages
  const form = SetupPage.renderSetupForm(isServed())
  const done = SetupPage.renderSetupDone(isServed())
  return handlers
    .handle("status", () => statusOf(setup))
    .handle("complete", complete)
    .handle(
      "page",
      () =>
        Effect.map(
          setup.isFirstBoot,
          (firstBoot) => respondWithPage(firstBoot ? form : done)
        )
    )
})

const SetupUnderApiHttp = implementGroup("setup_under_api", function*(handlers) {
  const setup = yield* Setup
  const complete = yield* makeComplete
  return handlers
    .handle("status", () => statusOf(setup))
    .handle("complete", complete)
})

export const layer = Layer.mergeAll(SetupHttp, SetupUnderApiHttp)
