import { HttpLayerRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Redacted } from "effect"
import { timingSafeEqual } from "node:crypto"
import { Unauthenticated } from "../../../domain/kernel/Errors.ts"
import { hashSecret } from "../../../services/kernel/Ids.ts"
import { Keys } from "../../../services/kernel/keys/Keys.ts"
import { Metrics } from "../../../services/kernel/Metrics.ts"
import { makeRefresh } from "./Refresh.ts"

/**
 * `GET /metrics`: Prometheus text behind its own bearer token (interface, Authentication, Metrics). What other
 * replicas know too is read from the database at each scrape, and left out while the database does not respond; the rest counts
 * this process.
 */
export const routes = HttpLayerRouter.use(Effect.fnUntraced(function*(router) {
  const keys = yield* Keys
  const metrics = yield* Metrics
  const expected = Buffer.from(hashSecret(Redacted.value(keys.metricsToken)))

  const refresh = yield* makeRefresh

  yield* router.add(
    "GET",
    "/metrics",
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const token = /^bearer\s+(\S+)$/i.exec(request.headers["authorization"] ?? "")?.[1]
      if (token === undefined || !timingSafeEqual(Buffer.from(hashSecret(token)), expected)) {
        return yield* new Unauthenticated({
          detail: "Send the metrics token as `Authorization: Bearer …` (file metrics.token in SVC_HOME)."
        })
      }
      yield* refresh
      const text = yield* metrics.text
      return HttpServerResponse.text(text, { contentType: metrics.registry.contentType })
    })
  )
}))
