import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import type { BulkRetryPreviewRequest, BulkRetryRequestCreate, ControlState } from "../../domain/commands/BulkRetry.ts"
import type { BulkRetryItem, ItemStatus } from "../../domain/commands/BulkRetry/Item.ts"
import type { TaskOutcome } from "../../domain/commands/BulkRetry/TaskOutcome.ts"
import { Conflict, ValidationFailed } from "../../domain/kernel/Errors.ts"
import type { BulkRetryId } from "../../domain/kernel/Id.ts"
import { decodeCursor, encodeCursor, type PageOf } from "../../domain/kernel/Page.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { ApprovalGate } from "../approvalGate/Gate.ts"
import { makeTaskSelection } from "../approvalGate/Subject.ts"
import { Audit } from "../audit/Audit.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import { Hints, orDieOnSql } from "../kernel/sql/Database.ts"
import { makeReads, type PageQuery } from "./BulkJobs/Reads.ts"
import { BulkJobsRepo } from "./BulkJobs/Repo.ts"
import { BulkRetryCreation } from "./BulkJobs/Retry/Creation.ts"
import { BulkRetryItemsRepo } from "./BulkJobs/Retry/ItemsRepo.ts"
import { boundTo, BulkRetryPreviews } from "./BulkJobs/Retry/Preview.ts"
import { BulkRetrySteps } from "./BulkJobs/Retry/Steps.ts"
import type { BulkRetry } from "./BulkJobs/Row.ts"
import { BulkJobView } from "./BulkJobs/View.ts"

interface ItemQuery extends PageQuery {
  readonly status: ItemStatus | undefined
  readonly outcome: TaskOutcome | undefined
}

const invalidCursor = ValidationFailed.at("cursor", "is not a cursor of this list")

const endedError = ({ status }: BulkRetry) =>
  new Conflict({
    code: "bulk_retry_ended",
    detail: `The bulk retry is ${
      status === "running" ? "being cancelled" : status
    }. To retry tasks that are left, create another one.`
  })

/** Durable bulk retries within the current project (docs/bulk-retry.md). `BulkJobs/Runner.ts` executes them. */
// one object of short methods, an endpoint each
export class BulkRetries extends Effect.Service<BulkRetries>()("svc/BulkRetries", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const creation = yield* BulkRetryCreation
    const previews = yield* BulkRetryPreviews
    const { describeRetry, listRetries } = yield* BulkJobView
    const { retries } = yield* BulkJobsRepo
    const items = yield* BulkRetryItemsRepo
    const { takeBack } = yield* BulkRetrySteps
    const gate = yield* ApprovalGate
    const audit = yield* Audit
    const hints = yield* Hints
    const reads = yield* makeReads(retries, {
      resource: "bulk retry",
      name: "bulk-retry-requests",
      defaultLimit: 100
    })

    /**
     * Freezes the tasks that match, and begins to retry them. Once for each key. With `requestedAt`, the time of an
     * approved request, tasks that came after it do not match.
     */
    const create = Effect.fn("BulkRetries.create")(
      function*(input: BulkRetryRequestCreate, requestedAt?: Timestamp.Timestamp) {
        const { id } = yield* CurrentProject
        const asOf = requestedAt ?? (yield* Timestamp.now)
        const bounded = requestedAt === undefined ? input : boundTo(input, requestedAt)
        const earlier = yield* creation.find(input, asOf)
        if (Option.isSome(earlier)) return yield* describeRetry(earlier.value)
        yield* gate.checkBulk(
          {
            kind: "bulk_retry_request",
            request: input,
            summary: `Retry ${input.max === null ? "all" : `up to ${input.max}`} tasks that match a filter`,
            subject: Effect.map(previews.preview(id, bounded, asOf), ({ total }) => makeTaskSelection(total))
          },
          input.max
        )
        return yield* describeRetry(yield* creation.create(input, bounded, asOf))
      },
      gate.record,
      orDieOnSql
    )

    /** What a request would retry. Stores nothing. */
    const preview = Effect.fn("BulkRetries.preview")(
      function*(input: BulkRetryPreviewRequest) {
        const { id } = yield* CurrentProject
        return yield* previews.preview(id, input, yield* Timestamp.now)
      },
      orDieOnSql
    )

    const get = Effect.fn("BulkRetries.get")(
      (id: BulkRetryId) => Effect.flatMap(reads.find(id), describeRetry),
      orDieOnSql
    )

    /** Newest first, without notes. */
    const list = Effect.fn("BulkRetries.list")(
      function*(query: PageQuery) {
        const { items, next_cursor } = yield* reads.listPage(query)
        return { items: yield* listRetries(items), next_cursor }
      },
      orDieOnSql
    )

    /** The tasks in the order of their retries; with a status or an outcome by engine first. */
    const listItems = Effect.fn("BulkRetries.listItems")(function*(id: BulkRetryId, query: ItemQuery) {
      const request = yield* reads.find(id)
      const { cursor, outcome, status } = query
      const limit = reads.limitOf(query)
      const name = `bulk-retry-items ${outcome ?? ""} ${status ?? ""}`
      const after = cursor === undefined ? null : decodeCursor(name, cursor, 2)
      const position = Number(after?.[1] ?? 0)
      if ((cursor !== undefined && after === null) || !Number.isSafeInteger(position)) return yield* invalidCursor
      const place = after === null ? null : { engine: after[0] ?? "", position }
      const now = yield* Timestamp.now
      const rows: ReadonlyArray<BulkRetryItem> = outcome !== undefined
        // only confirmed retries have an outcome
        ? (status ?? "succeeded") === "succeeded"
          ? yield* items.listByOutcome(request, outcome, place, limit + 1, now)
          : []
        : status === undefined
        ? yield* items.list(request, position, limit + 1, now)
        : yield* items.listByStatus(request, status, place, limit + 1, now)
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      const hasMore = rows.length > limit && last !== undefined
      const next_cursor = hasMore ? encodeCursor(name, [last.engine, String(last.position)]) : null
      return { items: page, next_cursor } satisfies PageOf<BulkRetryItem>
    }, orDieOnSql)

    /** Changes what people ask of a request, in one transaction with its audit row. An undefined rate stays. */
    const control = Effect.fnUntraced(
      function*(id: BulkRetryId, to: ControlState, rate: number | null | undefined, action: string) {
        const request = yield* reads.lock(id)
        const { control_state, finished_at, project_id } = request
        if (finished_at !== null || control_state === "cancelled") {
          return control_state === to ? request : yield* endedError(request)
        }
        const rate_per_second = rate === undefined ? request.rate_per_second : rate
        if (control_state === to && request.rate_per_second === rate_per_second) return request
        const now = yield* Timestamp.now
        const takenBack = to === "running" ? 0 : yield* takeBack(request, now)
        const claimed = request.claimed - takenBack
        const end = { status: "cancelled", finished_at: now, resolved_at: now } as const
        const changed: BulkRetry = {
          ...request,
          control_state: to,
          rate_per_second,
          claimed,
          ...(takenBack > 0 && { last_progress_at: now }),
          ...(to === "cancelled" && claimed === 0 && end)
        }
        yield* retries.save(changed)
        yield* hints.publish("bulk_jobs", project_id)
        yield* audit.record({
          action,
          target_type: "bulk_retry",
          target_id: id,
          project_id,
          metadata: { rate_per_second }
        })
        return changed
      },
      sql.withTransaction
    )

    /** Stops further retries, and takes back commands that were not sent; commands that were sent continue. */
    const pause = Effect.fn("BulkRetries.pause")(
      (id: BulkRetryId) => Effect.flatMap(control(id, "paused", undefined, "bulk_retry.paused"), describeRetry),
      orDieOnSql
    )

    /** Continues, at this rate if one is given; null: without a limit. */
    const resume = Effect.fn("BulkRetries.resume")(
      (id: BulkRetryId, rate: number | null | undefined) =>
        Effect.flatMap(control(id, "running", rate, "bulk_retry.resumed"), describeRetry),
      orDieOnSql
    )

    /** Ends the request; tasks that are left stay as they are. */
    const cancel = Effect.fn("BulkRetries.cancel")(
      (id: BulkRetryId) => Effect.flatMap(control(id, "cancelled", undefined, "bulk_retry.cancelled"), describeRetry),
      orDieOnSql
    )

    return { create, preview, get, list, listItems, pause, resume, cancel } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      ApprovalGate.layer,
      BulkJobsRepo.layer,
      BulkJobView.layer,
      BulkRetryCreation.layer,
      BulkRetryItemsRepo.layer,
      BulkRetryPreviews.layer,
      BulkRetrySteps.layer
    ])
  )
}
