import { Effect, Layer } from "effect"
import { depthNote, type Queue } from "../domain/Queue.ts"
import { CurrentProject } from "./CurrentActor.ts"
import { orDieOnSql } from "./Database.ts"
import { QueuesRepo } from "./Queues/Repo.ts"
import { decodeStart, pageOf, type RowsQuery } from "./RowPage.ts"

/** The engines' queues, as heartbeats and events describe them. */
export class Queues extends Effect.Service<Queues>()("svc/Queues", {
  effect: Effect.gen(function*() {
    const repo = yield* QueuesRepo

    /** Queues of the project, newest first. */
    const list = Effect.fn("Queues.list")(function*(query: RowsQuery) {
      const project = yield* CurrentProject
      const rows = yield* repo.list(project.id, yield* decodeStart("queues", query), query.limit + 1)
      return pageOf(
        "queues",
        query,
        rows.map((queue): Queue => ({ ...queue, depth_note: depthNote(queue.engine, queue.depth) }))
      )
    }, orDieOnSql)

    return { list } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(QueuesRepo.layer))
}
