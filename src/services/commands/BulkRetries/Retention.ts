import { Effect, Layer } from "effect"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Settings } from "../../kernel/Settings.ts"
import { orDieOnSql } from "../../kernel/sql/Database.ts"
import { BulkRetryItemsRepo, type RequestKey } from "./ItemsRepo.ts"
import { BulkRetriesRepo } from "./Repo.ts"

/** Requests per statement. */
const requestsAtOnce = 100

/** A set that was not frozen by then never will be: its process was killed, or its caller has left. */
const freezeSeconds = 3600

/** Deletes bulk retries with their tasks. Several replicas may do it at the same time. */
export class BulkRetryRetention extends Effect.Service<BulkRetryRetention>()("svc/BulkRetryRetention", {
  effect: Effect.gen(function*() {
    const repo = yield* BulkRetriesRepo
    const items = yield* BulkRetryItemsRepo
    const { bulkRetryRetentionDays } = yield* Settings

    /** The tasks first: the request is what names them. */
    const discard = (request: RequestKey) => Effect.zipRight(items.deleteAll(request), repo.delete(request.id))

    /** Deletes those that ended before the retention, and those whose freezing was cut off. */
    const sweep = Effect.fn("BulkRetryRetention.sweep")(function*() {
      const now = yield* Timestamp.now
      const ended = Timestamp.addSeconds(now, -bulkRetryRetentionDays * Timestamp.secondsPerDay)
      const begun = Timestamp.addSeconds(now, -freezeSeconds)
      for (let more = true; more;) {
        const requests = yield* repo.listDisposable(ended, begun, requestsAtOnce)
        yield* Effect.forEach(requests, discard, { discard: true })
        more = requests.length === requestsAtOnce
      }
    }, orDieOnSql)

    return { discard, sweep } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([BulkRetriesRepo.layer, BulkRetryItemsRepo.layer]))
}
