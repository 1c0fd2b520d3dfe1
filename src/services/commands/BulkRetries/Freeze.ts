import { Effect, Layer, Option, Schema, Stream } from "effect"
import { hash } from "node:crypto"
import { type BulkRetryFilter, maxFrozen, toTaskFilter } from "../../../domain/commands/BulkRetry.ts"
import { canonicalize } from "../../../domain/kernel/CanonicalJson.ts"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import { TaskState } from "../../../domain/kernel/TaskState.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { yieldToEventLoop } from "../../kernel/concurrency/EventLoop.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { idIn } from "../../kernel/sql/Dialect.ts"
import { Scans } from "../../tasks/Scans.ts"
import { TaskSearch } from "../../tasks/Search.ts"
import { BulkRetryItemsRepo, type NewItem, type RequestKey } from "./ItemsRepo.ts"

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

/** What was stored of a request. */
export interface FrozenSet {
  readonly total: number
  readonly capped: boolean
  readonly engines: ReadonlyArray<string>
  readonly plan_digest: string
}

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

    /** Slices of the matching tasks, the oldest first, at most `max` and one more; none that is newer than `now`. */
    const streamTasks = (projectId: ProjectId, filter: BulkRetryFilter, max: number, now: Timestamp.Timestamp) => {
      const newest = Ids.maxIdAt(Timestamp.toEpochMillis(now))
      const taskFilter = toTaskFilter(filter, now)
      const streamIds = Stream.paginateEffect(
        { after: null as string | null, left: max + 1 }, // the cast: later pages begin after an id
        ({ after, left }) =>
          Effect.map(
            search.listIds(projectId, taskFilter, { direction: "oldest", after, limit: Math.min(left, idsAtOnce) }),
            (ids) => {
              const next = { after: ids.at(-1) ?? null, left: left - ids.length }
              const older = ids.filter((id) => id <= newest)
              const isLast = ids.length < Math.min(left, idsAtOnce) || next.left === 0 || older.length < ids.length
              return [older, isLast ? Option.none() : Option.some(next)] as const
            }
          )
      )
      return streamIds.pipe(
        Stream.flattenIterables,
        Stream.rechunk(rowsAtOnce),
        Stream.chunks,
        Stream.mapEffect((ids) => readTasks(projectId, [...ids]))
      )
    }

    /** Reads all matching tasks, at most `most`, and returns how many there are, and whether there are more. */
    const readAll = <E, R>(
      projectId: ProjectId,
      filter: BulkRetryFilter,
      most: number | null,
      now: Timestamp.Timestamp,
      use: (tasks: ReadonlyArray<MatchingTask>, before: number) => Effect.Effect<void, E, R>
    ) => {
      const max = most ?? maxFrozen
      return permits.withPermits(1)(
        Stream.runFoldEffect(
          streamTasks(projectId, filter, max, now),
          { total: 0, capped: false },
          ({ capped, total }, tasks) => {
            const taken = tasks.slice(0, max - total)
            const next = { total: total + taken.length, capped: capped || taken.length < tasks.length }
            return Effect.as(use(taken, total), next)
          }
        )
      )
    }

    /**
     * Stores the matching tasks of the request. Its digest is a chain: SHA-256 of the digest before, a line feed, and
     * the canonical JSON of `[engine, task_id]`, beginning with the request's own digest.
     */
    const store = Effect.fn("BulkRetryFreeze.store")(function*(
      request: RequestKey & {
        readonly filter: BulkRetryFilter
        readonly max: number | null
        readonly canonical_digest: string
        /** Ages of the filter count from this moment. */
        readonly as_of: Timestamp.Timestamp
      }
    ) {
      const engines = new Set<string>()
      let plan_digest = request.canonical_digest
      const { capped, total } = yield* readAll(
        request.project_id,
        request.filter,
        request.max,
        request.as_of,
        Effect.fnUntraced(function*(tasks, before) {
          for (let from = 0; from < tasks.length; from += insertsAtOnce) {
            const rows = tasks.slice(from, from + insertsAtOnce).map(({ engine, name, state, task_id }, index) => {
              engines.add(engine)
              plan_digest = hash("sha256", `${plan_digest}\n${canonicalize([engine, task_id])}`, "hex")
              return { position: before + from + index + 1, engine, task_id, name, state } satisfies NewItem
            })
            yield* items.insert(request, rows)
            yield* yieldToEventLoop
          }
        })
      )
      return { total, capped, engines: [...engines].sort(), plan_digest } satisfies FrozenSet
    })

    return { readAll, store } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([BulkRetryItemsRepo.layer, TaskSearch.layer]),
    Layer.provide(Scans.layer)
  )
}
