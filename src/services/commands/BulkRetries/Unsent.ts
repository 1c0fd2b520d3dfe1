import { Effect, Layer } from "effect"
import type * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Metrics } from "../../kernel/Metrics.ts"
import { runAfterCommit } from "../../kernel/sql/AfterCommit.ts"
import { observeCommandEnd } from "../EndMetrics.ts"
import { CommandStatusRepo } from "../StatusRepo.ts"
import { BulkRetryItemsRepo, type ClaimedItem, type RequestKey } from "./ItemsRepo.ts"

/** Takes commands back that were not sent. */
export class BulkRetryUnsent extends Effect.Service<BulkRetryUnsent>()("svc/BulkRetryUnsent", {
  effect: Effect.gen(function*() {
    const items = yield* BulkRetryItemsRepo
    const statuses = yield* CommandStatusRepo
    const metrics = yield* Metrics

    /**
     * Cancels the request's commands that wait for a process of their agent, and makes their tasks pending again, in
     * the caller's transaction, which has locked the request. Returns how many.
     */
    const takeBack = Effect.fnUntraced(function*(
      request: RequestKey,
      claimed: ReadonlyArray<ClaimedItem>,
      now: Timestamp.Timestamp
    ) {
      const waiting = claimed.filter(({ command_status }) => command_status === "pending")
      if (waiting.length === 0) return 0
      const cancelled = yield* statuses.cancelUnsent(
        waiting.map(({ command_id }) => command_id),
        now,
        "Cancelled before it was sent: its bulk retry was paused, cancelled or has reached its deadline."
      )
      yield* runAfterCommit(Effect.sync(() => {
        for (const command of cancelled) observeCommandEnd(metrics, command, now)
      }))
      return yield* items.release(request, cancelled.map(({ id }) => id))
    })

    return { takeBack } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([BulkRetryItemsRepo.layer, CommandStatusRepo.layer]))
}
