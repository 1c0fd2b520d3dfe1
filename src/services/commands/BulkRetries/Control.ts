import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import type { ControlState } from "../../../domain/commands/BulkRetry.ts"
import { Conflict, NotFound } from "../../../domain/kernel/Errors.ts"
import type { BulkRetryId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Audit } from "../../audit/Audit.ts"
import { CurrentProject } from "../../kernel/CurrentActor.ts"
import { Hints } from "../../kernel/sql/Database.ts"
import { BulkRetryItemsRepo } from "./ItemsRepo.ts"
import { BulkRetriesRepo, type BulkRetry } from "./Repo.ts"
import { BulkRetryUnsent } from "./Unsent.ts"

export const notFound = new NotFound({ resource: "bulk retry" })

const endedError = ({ status }: BulkRetry) =>
  new Conflict({
    code: "bulk_retry_ended",
    detail: `The bulk retry is ${
      status === "running" ? "being cancelled" : status
    }. To retry tasks that are left, create another one.`
  })

/** Pauses, resumes and cancels bulk retries. */
export class BulkRetryControl extends Effect.Service<BulkRetryControl>()("svc/BulkRetryControl", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* BulkRetriesRepo
    const items = yield* BulkRetryItemsRepo
    const unsent = yield* BulkRetryUnsent
    const audit = yield* Audit
    const hints = yield* Hints

    /** Changes what people ask of a request, in one transaction with its audit row. An undefined rate stays. */
    const change = Effect.fnUntraced(
      function*(id: BulkRetryId, to: ControlState, rate: number | null | undefined, action: string) {
        const project = yield* CurrentProject
        const locked = yield* repo.lock(project.id, id)
        if (Option.isNone(locked)) return yield* notFound
        const request = locked.value
        if (request.finished_at !== null || request.control_state === "cancelled") {
          return request.control_state === to ? request : yield* endedError(request)
        }
        const rate_per_second = rate === undefined ? request.rate_per_second : rate
        if (request.control_state === to && request.rate_per_second === rate_per_second) return request
        const now = yield* Timestamp.now
        const changed = { ...request, control_state: to, rate_per_second }
        yield* repo.setControl(changed)
        const takenBack = to === "running"
          ? 0
          : yield* unsent.takeBack(request, yield* items.listClaimedWithin(request), now)
        const claimed = request.claimed - takenBack
        const end = to === "cancelled" && claimed === 0 ? { status: "cancelled" as const, finished_at: now } : {}
        yield* repo.advance(id, { claimed: -takenBack }, now, end.status ?? null)
        yield* hints.publish("bulk_retries", project.id)
        yield* audit.record({
          action,
          target_type: "bulk_retry",
          target_id: id,
          project_id: project.id,
          metadata: { rate_per_second }
        })
        return { ...changed, claimed, ...end }
      },
      sql.withTransaction
    )

    return {
      /** Stops further retries, and takes back commands that were not sent; what was sent goes on. */
      pause: (id: BulkRetryId) => change(id, "paused", undefined, "bulk_retry.paused"),
      /** Goes on, at this rate if one is given; null: without a limit. */
      resume: (id: BulkRetryId, rate: number | null | undefined) => change(id, "running", rate, "bulk_retry.resumed"),
      /** Ends the request; tasks that are left stay as they are. */
      cancel: (id: BulkRetryId) => change(id, "cancelled", undefined, "bulk_retry.cancelled")
    } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([BulkRetriesRepo.layer, BulkRetryItemsRepo.layer, BulkRetryUnsent.layer])
  )
}
