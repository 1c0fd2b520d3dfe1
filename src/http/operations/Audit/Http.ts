import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { AuditVerifier } from "../../../services/audit/Verifier.ts"
import { Activity } from "../../../services/operations/Activity.ts"
import { respondWithFile } from "../../Download.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { makeLimitHeader } from "../../LimitHeader.ts"

export const layer = implementGroup("audit", function*(handlers) {
  const activity = yield* Activity
  const verifier = yield* AuditVerifier
  const withLimitHeader = yield* makeLimitHeader
  return handlers.handle("verification", () => verifier.get()).handle("verify", () => verifier.request()).handleRaw(
    "list",
    ({ urlParams }) =>
      urlParams.format !== undefined
        ? Effect.flatMap(activity.exportAs(urlParams, urlParams.format), (file) => respondWithFile("audit", file))
        : Effect.map(
          activity.list(urlParams),
          (page) => withLimitHeader(urlParams, HttpServerResponse.unsafeJson(page))
        )
  )
})
