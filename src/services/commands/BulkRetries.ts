import { Effect, Layer, Option } from "effect"
import type { BulkRetryPreviewRequest, BulkRetryRequestCreate } from "../../domain/commands/BulkRetry.ts"
import type { BulkRetryItem, ItemStatus } from "../../domain/commands/BulkRetry/Item.ts"
import { ValidationFailed } from "../../domain/kernel/Errors.ts"
import type { BulkRetryId } from "../../domain/kernel/Id.ts"
import { decodeCursor, encodeCursor, type PageOf } from "../../domain/kernel/Page.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { ApprovalGate } from "../approvalGate/Gate.ts"
import { makeTaskSelection } from "../approvalGate/Subject.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import { Settings } from "../kernel/Settings.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { decodeStart, pageOf } from "../kernel/sql/RowPage.ts"
import { BulkRetryControl, notFound } from "./BulkRetries/Control.ts"
import { BulkRetryCreation } from "./BulkRetries/Creation.ts"
import { BulkRetryItemsRepo } from "./BulkRetries/ItemsRepo.ts"
import { BulkRetriesRepo } from "./BulkRetries/Repo.ts"
import { boundTo, BulkRetrySelection } from "./BulkRetries/Selection.ts"
import { BulkRetryView, publicOf } from "./BulkRetries/View.ts"

const defaultLimit = 100

const invalidCursor = ValidationFailed.at("cursor", "is not a cursor of this list")

/** Durable bulk retries within the current project (docs/bulk-retry.md). `BulkRetries/Loop.ts` executes them. */
export class BulkRetries extends Effect.Service<BulkRetries>()("svc/BulkRetries", {
  effect: Effect.gen(function*() {
    const creation = yield* BulkRetryCreation
    const control = yield* BulkRetryControl
    const selection = yield* BulkRetrySelection
    const { describe } = yield* BulkRetryView
    const repo = yield* BulkRetriesRepo
    const items = yield* BulkRetryItemsRepo
    const { restMaxPageSize } = yield* Settings
    const gate = yield* ApprovalGate

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
        if (Option.isSome(earlier)) return yield* describe(earlier.value)
        yield* gate.checkBulk(
          {
            kind: "bulk_retry_request",
            request: input,
            summary: `Retry ${input.max === null ? "all" : `up to ${input.max}`} tasks that match a filter`,
            subject: Effect.map(selection.preview(id, bounded, asOf), ({ total }) => makeTaskSelection(total))
          },
          input.max
        )
        return yield* describe(yield* creation.create(input, requestedAt))
      },
      gate.record,
      orDieOnSql
    )

    /** What a request would retry. Stores nothing. */
    const preview = Effect.fn("BulkRetries.preview")(
      function*(input: BulkRetryPreviewRequest) {
        const { id } = yield* CurrentProject
        return yield* selection.preview(id, input, yield* Timestamp.now)
      },
      orDieOnSql
    )

    const find = Effect.fnUntraced(function*(id: BulkRetryId) {
      const project = yield* CurrentProject
      return yield* Option.match(yield* repo.find(project.id, id), {
        onNone: () => notFound,
        onSome: Effect.succeed
      })
    })

    const get = Effect.fn("BulkRetries.get")((id: BulkRetryId) => Effect.flatMap(find(id), describe), orDieOnSql)

    /** Newest first, without notes. */
    const list = Effect.fn("BulkRetries.list")(
      function*(query: { readonly cursor: string | undefined; readonly limit: number | undefined }) {
        const project = yield* CurrentProject
        const limit = Math.min(query.limit ?? defaultLimit, restMaxPageSize)
        const start = yield* decodeStart("bulk-retry-requests", { cursor: query.cursor, limit })
        const rows = yield* repo.list(project.id, start, limit + 1)
        const { items, next_cursor } = pageOf("bulk-retry-requests", { limit }, rows)
        return { items: items.map((row) => publicOf(row, null)), next_cursor }
      },
      orDieOnSql
    )

    /** The tasks in the order of their retries; with a status by engine first. */
    const listItems = Effect.fn("BulkRetries.listItems")(function*(
      id: BulkRetryId,
      query: {
        readonly status: ItemStatus | undefined
        readonly cursor: string | undefined
        readonly limit: number | undefined
      }
    ) {
      const request = yield* find(id)
      const { cursor, status } = query
      const limit = Math.min(query.limit ?? defaultLimit, restMaxPageSize)
      const name = `bulk-retry-items ${status ?? ""}`
      const after = cursor === undefined ? null : decodeCursor(name, cursor, 2)
      const position = Number(after?.[1] ?? 0)
      if ((cursor !== undefined && after === null) || !Number.isSafeInteger(position)) return yield* invalidCursor
      const rows: ReadonlyArray<BulkRetryItem> = status === undefined
        ? yield* items.list(request, position, limit + 1)
        : yield* items.listByStatus(
          request,
          status,
          after === null ? null : { engine: after[0] ?? "", position },
          limit + 1
        )
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      const hasMore = rows.length > limit && last !== undefined
      const next_cursor = hasMore ? encodeCursor(name, [last.engine, String(last.position)]) : null
      return { items: page, next_cursor } satisfies PageOf<BulkRetryItem>
    }, orDieOnSql)

    /** Stops further retries, and takes back commands that were not sent; what was sent goes on. */
    const pause = Effect.fn("BulkRetries.pause")(
      (id: BulkRetryId) => Effect.flatMap(control.pause(id), describe),
      orDieOnSql
    )

    /** Goes on, at this rate if one is given; null: without a limit. */
    const resume = Effect.fn("BulkRetries.resume")(
      (id: BulkRetryId, rate: number | null | undefined) => Effect.flatMap(control.resume(id, rate), describe),
      orDieOnSql
    )

    /** Ends the request; tasks that are left stay as they are. */
    const cancel = Effect.fn("BulkRetries.cancel")(
      (id: BulkRetryId) => Effect.flatMap(control.cancel(id), describe),
      orDieOnSql
    )

    return { create, preview, get, list, listItems, pause, resume, cancel } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      ApprovalGate.layer,
      BulkRetriesRepo.layer,
      BulkRetryControl.layer,
      BulkRetryCreation.layer,
      BulkRetryItemsRepo.layer,
      BulkRetrySelection.layer,
      BulkRetryView.layer
    ])
  )
}
