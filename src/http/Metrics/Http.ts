import { HttpLayerRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Redacted } from "effect"
import { timingSafeEqual } from "node:crypto"
import { Unauthenticated } from "../../domain/Errors.ts"
import { Reader } from "../../services/Database.ts"
import { hashSecret } from "../../services/Ids.ts"
import { Keys } from "../../services/Keys.ts"
import { Metrics } from "../../services/Metrics.ts"

/** Prometheus gives up after ten seconds. */
const patience = "3 seconds"

/**
 * `GET /metrics`: Prometheus text behind its own bearer token (interface, Authentication, Metrics). What other
 * replicas know too is read from the database at each scrape, and left out while that does not answer; the rest counts
 * this process.
 */
export const routes = HttpLayerRouter.use(Effect.fnUntraced(function*(router) {
  const keys = yield* Keys
  const metrics = yield* Metrics
  const read = yield* Reader
  const expected = Buffer.from(hashSecret(Redacted.value(keys.metricsToken)))

  const refresh = Effect.gen(function*() {
    const [agents] = yield* read<{ online: number }>`SELECT count(*) AS online FROM agents WHERE state = 'online'`
    metrics.agentsOnline.set(agents?.online ?? 0)
    const states = yield* read<{ state: string; tasks: number }>`
      SELECT state, sum(tasks) AS tasks FROM task_counts GROUP BY state`
    metrics.tasksTotal.reset()
    for (const { state, tasks } of states) metrics.tasksTotal.set({ state }, Number(tasks)) // PostgreSQL sums int8 to numeric, which arrives as text
  }).pipe(
    Effect.timeout(patience),
    Effect.catchAll((error) =>
      Effect.zipRight(
        Effect.sync(() => {
          metrics.agentsOnline.remove()
          metrics.tasksTotal.reset()
          metrics.swallowedExceptions.inc({ module: "metrics", site: "refresh" })
        }),
        Effect.logDebug("the database did not tell its part of the metrics", error)
      ))
  )

  yield* router.add("GET", "/metrics", Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const token = /^bearer\s+(\S+)$/i.exec(request.headers["authorization"] ?? "")?.[1]
    if (token === undefined || !timingSafeEqual(Buffer.from(hashSecret(token)), expected)) {
      return yield* new Unauthenticated({ detail: "Send the metrics token as `Authorization: Bearer …` (file metrics.token in SVC_HOME)." })
    }
    yield* refresh
    const text = yield* Effect.promise(() => metrics.registry.metrics())
    return HttpServerResponse.text(text, { contentType: metrics.registry.contentType })
  }))
}))
