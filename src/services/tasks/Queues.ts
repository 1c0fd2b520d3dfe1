import { Effect, Layer } from "effect"
import { depthNote, type Queue } from "../../domain/agents/Queue.ts"
import { QueuesRepo } from "../agents/Queues/Repo.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { decodeStart, pageOf, type RowsQuery } from "../kernel/sql/RowPage.ts"
import { Rollups } from "./Rollups.ts"

const keyOf = (engine: string, queue: string): string => `${engine} ${queue}`

/** The engines' queues, as heartbeats and events describe them. */
export class Queues extends Effect.Service<Queues>()("svc/Queues", {
  effect: Effect.gen(function*() {
    const repo = yield* QueuesRepo
    const rollups = yield* Rollups

    /** Queues of the project, newest first. */
    const list = Effect.fn("Queues.list")(function*(query: RowsQuery) {
      const project = yield* CurrentProject
      const rows = yield* repo.list(project.id, yield* decodeStart("queues", query), query.limit + 1)
      const oldest = new Map(
        (yield* repo.listOldestWaiting(project.id)).map(({ engine, queue, since }) => [keyOf(engine, queue), since])
      )
      const counts = yield* rollups.countLastHourByQueue
      return pageOf(
        "queues",
        query,
        rows.map((queue): Queue => {
          const key = keyOf(queue.engine, queue.name)
          return {
            ...queue,
            depth_note: depthNote(queue.engine, queue.depth),
            oldest_waiting_at: oldest.get(key) ?? null,
            received_1h: counts.get(key)?.received ?? 0,
            ended_1h: counts.get(key)?.ended ?? 0
          }
        })
      )
    }, orDieOnSql)

    return { list } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([QueuesRepo.layer, Rollups.layer]))
}
