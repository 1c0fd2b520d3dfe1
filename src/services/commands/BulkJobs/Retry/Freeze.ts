import { Effect, Layer, Schema } from "effect"
import { hash } from "node:crypto"
import { type BulkRetryFilter, maxFrozen, toTaskFilter } from "../../../../domain/commands/BulkRetry.ts"
import { canonicalize } from "../../../../domain/kernel/CanonicalJson.ts"
import type { ProjectId } from "../../../../domain/kernel/Id.ts"
import { TaskState } from "../../../../domain/kernel/TaskState.ts"
import type * as Timestamp from "../../../../domain/kernel/Timestamp.ts"
import { isKnownName } from "../../../../domain/tasks/UnknownName.ts"
import { yieldToEventLoop } from "../../../kernel/concurrency/EventLoop.ts"
import { Reader } from "../../../kernel/sql/Database.ts"
import { idIn } from "../../../kernel/sql/Dialect.ts"
import { Scans } from "../../../tasks/Scans.ts"
import { TaskSearch } from "../../../tasks/Search.ts"
import type { BulkRetry } from "../Row.ts"
import { BulkRetryItemsRepo, type NewItem } from "./ItemsRepo.ts"

/** Ids per search, and tasks per read; both run outside of the event loop (`Scans.ts`). */
const idsAtOnce = 5000
const rowsAtOnce = 1000
/** Tasks per INSERT: a millisecond or two on SQLite. */
const insertsAtOnce = 200

/** Bulk retries that one process freezes or previews at the same time. */
const maxConcurrentReads = 2

/** The characters of an exception that say its type. */
const exceptionCharacters = 200

/** A matching task. */
export interface MatchingTask extends Omit<NewItem, "position"> {
  readonly exception: string | null
}

const decodeState = Schema.decodeUnknownSync(TaskState)

/**
 * Reads the tasks of a bulk retry, and stores them in their order: the oldest first. In slices, so that a hundred
 * thousand tasks block neither the event loop nor the writer.
 */
export class BulkRetryFreeze extends Effect.Service<BulkRetryFreeze>()("svc/BulkRetryFreeze", {
  effect: Effect.gen(function*() {
    const read = yield* Reader
    const scans = yield* Scans
    const search = yield* TaskSearch
    const items = yield* BulkRetryItemsRepo
    const permits = yield* Effect.makeSemaphore(maxConcurrentReads)

    const readTasks = (projectId: ProjectId, ids: ReadonlyArray<string>) =>
      Effect.map(
        scans.run(read`SELECT engine, task_id, name, state, substr(exception, 1, ${exceptionCharacters}) FROM tasks
          WHERE project_id = ${projectId} AND ${idIn(read, ids)} ORDER BY id`),
        (rows) =>
          rows.map(([engine, task_id, name, state, exception]): MatchingTask => ({
            engine: String(engine),
            task_id: String(task_id),
            name: String(name),
            state: decodeState(state),
            exception: exception === null ? null : String(exception)
          }))
      )

    /**
     * Reads all matching tasks, the oldest first, at most `most` and none that is newer than `now`; `use` gets them in
     * slices, each with the number of tasks before it. Returns how many there are, and whether there are more.
     */
    const readAll = Effect.fnUntraced(function*<E, R>(
      projectId: ProjectId,
      filter: BulkRetryFilter,
      most: number | null,
      now: Timestamp.Timestamp,
      use: (tasks: ReadonlyArray<MatchingTask>, before: number) => Effect.Effect<void, E, R>
    ) {
      const max = most ?? maxFrozen
      const taskFilter = toTaskFilter(filter, now)
      let after: string | null = null
      let total = 0
      while (true) {
        const limit: number = Math.min(max + 1 - total, idsAtOnce) // one more says whether there are more
        const ids: ReadonlyArray<string> = yield* search.listArrived(projectId, taskFilter, { after, asOf: now, limit })
        for (let from = 0; from < ids.length; from += rowsAtOnce) {
          const tasks = yield* readTasks(projectId, ids.slice(from, from + rowsAtOnce))
          const taken = tasks.slice(0, max - total)
          yield* use(taken, total)
          total += taken.length
          if (taken.length < tasks.length) return { total, capped: true }
        }
        if (ids.length < limit) return { total, capped: false }
        after = ids.at(-1) ?? null
      }
    }, permits.withPermits(1))

    /**
     * Stores the matching tasks of the request. Its digest is a chain: SHA-256 of the digest before, a line feed, and
     * the canonical JSON of `[engine, task_id]`, beginning with the request's own digest.
     */
    const store = Effect.fn("BulkRetryFreeze.store")(function*(
      request: BulkRetry,
      filter: BulkRetryFilter,
      /** Ages of the filter count from this moment. */
      asOf: Timestamp.Timestamp
    ) {
      const engines = new Set<string>()
      const names = new Set<string>()
      let plan_digest = request.canonical_digest
      const { capped, total } = yield* readAll(
        request.project_id,
        filter,
        request.max,
        asOf,
        Effect.fnUntraced(function*(tasks, before) {
          for (let from = 0; from < tasks.length; from += insertsAtOnce) {
            const rows = tasks.slice(from, from + insertsAtOnce).map(({ engine, name, state, task_id }, index) => {
              engines.add(engine)
              if (names.size < 2) names.add(name)
              plan_digest = hash("sha256", `${plan_digest}\n${canonicalize([engine, task_id])}`, "hex")
              return { position: before + from + index + 1, engine, task_id, name, state } satisfies NewItem
            })
            yield* items.insert(request, rows)
            yield* yieldToEventLoop
          }
        })
      )
      const [only = null, ...others] = names
      const target_name = only !== null && others.length === 0 && isKnownName(only) ? only : null
      return { total, capped, engines: [...engines].sort(), target_name, plan_digest }
    })

    return { readAll, store } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([BulkRetryItemsRepo.layer, TaskSearch.layer]),
    Layer.provide(Scans.layer)
  )
}
