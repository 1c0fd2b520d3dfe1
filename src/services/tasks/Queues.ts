import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { depthNote, type Queue, type QueueTarget } from "../../domain/agents/Queue.ts"
import { NotFound } from "../../domain/kernel/Errors.ts"
import { isStorable } from "../../domain/kernel/Text.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { FindQueue, QueueDetail } from "../../domain/tasks/Queue/Detail.ts"
import { forecastMinutes, forecastOf } from "../../domain/tasks/Queue/Forecast.ts"
import { sizeQueue } from "../../domain/tasks/Queue/Sizing.ts"
import { minutesIn, type TrendWindow } from "../../domain/tasks/Rollup/Trends.ts"
import { listDepths } from "../agents/Queues/Depths.ts"
import { makeQueuePauses, pauseOf } from "../agents/Queues/Pauses.ts"
import { QueuesRepo } from "../agents/Queues/Repo.ts"
import { WorkersRepo } from "../agents/Workers/Repo.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import { orDieOnSql, Reader } from "../kernel/sql/Database.ts"
import { decodeStart, pageOf, type RowsQuery } from "../kernel/sql/RowPage.ts"
import { type CountsByQueue, Rollups } from "./Rollups.ts"
import { timestampOf } from "./Rollups/Window.ts"

const keyOf = (engine: string, queue: string): string => `${engine} ${queue}`

type QueueRow = NonNullable<Effect.Effect.Success<ReturnType<QueuesRepo["find"]>>>

/** Minutes of a bucket of the depths, for each window. */
const bucketMinutes: Readonly<Record<TrendWindow, number>> = {
  "1h": 1,
  "6h": 5,
  "24h": 15,
  "72h": 60,
  "7d": 60,
  "30d": 1440,
  "90d": 1440
}

/** The engines' queues, as heartbeats and events describe them. */
export class Queues extends Effect.Service<Queues>()("svc/Queues", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const repo = yield* QueuesRepo
    const pauses = yield* makeQueuePauses
    const workers = yield* WorkersRepo
    const rollups = yield* Rollups
    const audit = yield* Audit

    /** What events, commands and targets add to the rows. */
    const describe = Effect.fnUntraced(function*(rows: ReadonlyArray<QueueRow>, counts: CountsByQueue) {
      const { id } = yield* CurrentProject
      const now = yield* Timestamp.now
      const oldest = new Map(
        (yield* repo.listOldestWaiting(id)).map(({ engine, queue, since }) => [keyOf(engine, queue), since])
      )
      const stored = new Map(
        (yield* pauses.list(id, now)).pauses.map((pause) => [keyOf(pause.engine, pause.queue), pause])
      )
      return rows.map(({ paused, ...queue }): Queue => {
        const key = keyOf(queue.engine, queue.name)
        const oldest_waiting_at = oldest.get(key) ?? null
        const { start_target_seconds } = queue
        return {
          ...queue,
          depth_note: depthNote(queue.engine, queue.depth),
          oldest_waiting_at,
          received_1h: counts.get(key)?.received ?? 0,
          ended_1h: counts.get(key)?.ended ?? 0,
          is_over_target: oldest_waiting_at !== null && start_target_seconds !== null &&
            oldest_waiting_at < Timestamp.addSeconds(now, -start_target_seconds),
          pause: pauseOf(paused, stored.get(key))
        }
      })
    })

    /** Queues of the project, newest first. */
    const list = Effect.fn("Queues.list")(function*(query: RowsQuery) {
      const project = yield* CurrentProject
      const rows = yield* repo.list(project.id, yield* decodeStart("queues", query), query.limit + 1)
      return pageOf("queues", query, yield* describe(rows, yield* rollups.countLastHourByQueue))
    }, orDieOnSql)

    const find = Effect.fnUntraced(function*(engine: string, name: string) {
      const { id } = yield* CurrentProject
      const row = isStorable(engine) && isStorable(name) ? yield* repo.find(id, engine, name) : null
      return row ?? (yield* new NotFound({ resource: "queue" }))
    })

    const readDepths = Effect.fnUntraced(function*(queueId: string, window: TrendWindow, minute: number) {
      const size = bucketMinutes[window]
      const count = minutesIn[window] / size
      const first = Math.floor(minute / size) * size - (count - 1) * size
      const depths = new Map(
        (yield* listDepths(read, queueId, first, size)).map(({ depth, minute }) => [minute, depth])
      )
      return Array.from({ length: count }, (_, index) => {
        const start = first + index * size
        return { t: timestampOf(start), depth: depths.get(start) ?? null }
      })
    })

    const readSizing = Effect.fnUntraced(function*(queue: Queue, countsByQueue: CountsByQueue) {
      const { engine, name, start_target_seconds } = queue
      const counts = countsByQueue.get(keyOf(engine, name))
      if (start_target_seconds === null || counts === undefined) return null
      const { id } = yield* CurrentProject
      const consumers = (yield* workers.listLoads(id, engine)).filter(({ queues }) => queues.includes(name))
      return sizeQueue({
        targetSeconds: start_target_seconds,
        received: counts.received,
        timed: counts.timed,
        runtimeMillis: counts.runtimeMillis,
        concurrencies: consumers.map(({ concurrency }) => concurrency)
      })
    })

    /** A queue with its depth over time, its forecast, and the workers that would hold its target. */
    const get = Effect.fn("Queues.get")(function*(engine: string, name: string, { window = "24h" }: FindQueue) {
      const row = yield* find(engine, name)
      const counts = yield* rollups.countLastHourByQueue
      const [queue] = yield* describe([row], counts)
      if (queue === undefined) return yield* new NotFound({ resource: "queue" })
      const minute = Math.floor(Timestamp.toEpochSeconds(yield* Timestamp.now) / 60)
      const recent = yield* listDepths(read, queue.id, minute - forecastMinutes, 1)
      return {
        ...queue,
        window,
        depths: yield* readDepths(queue.id, window, minute),
        forecast: forecastOf(recent, minute),
        sizing: yield* readSizing(queue, counts)
      } satisfies QueueDetail
    }, orDieOnSql)

    const updateTarget = Effect.fnUntraced(function*(engine: string, name: string, seconds: number | null) {
      const { id } = yield* CurrentProject
      const before = yield* find(engine, name)
      yield* repo.setTarget(id, engine, name, seconds)
      yield* audit.record(auditEntry("queue.target.updated", "queue", name, {
        project_id: id,
        metadata: { engine, start_within_seconds: seconds, before: before.start_target_seconds }
      }))
    }, sql.withTransaction)

    /** Sets or removes within how many seconds the queue's tasks should start. */
    const setTarget = Effect.fn("Queues.setTarget")(
      function*(engine: string, name: string, { start_within_seconds }: QueueTarget) {
        yield* updateTarget(engine, name, start_within_seconds)
        return { start_within_seconds } satisfies QueueTarget
      },
      orDieOnSql
    )

    return { list, get, setTarget } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([QueuesRepo.layer, Rollups.layer, WorkersRepo.layer]))
}
