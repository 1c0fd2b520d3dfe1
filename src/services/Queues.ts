import { Effect, Schema } from "effect"
import { depthNote, Queue } from "../domain/Queue.ts"
import { CurrentProject } from "./CurrentActor.ts"
import { orDieOnSql, Reader } from "./Database.ts"
import { pageOf, type RowsQuery, decodeStart } from "./RowPage.ts"

const decode = Schema.decodeUnknownSync(Queue.omit("depth_note"))

/** The engines' queues, as heartbeats and events tell of them. */
export class Queues extends Effect.Service<Queues>()("svc/Queues", {
  effect: Effect.gen(function*() {
    const read = yield* Reader

    /** Queues of the project, newest first. */
    const list = Effect.fn("Queues.list")(function*(query: RowsQuery) {
      const project = yield* CurrentProject
      const start = yield* decodeStart("queues", query)
      const rows = yield* read`
        SELECT * FROM queues WHERE project_id = ${project.id} ${start === null ? read`` : read`AND id < ${start}`}
        ORDER BY id DESC LIMIT ${query.limit + 1}`
      return pageOf("queues", query, rows.map((row): Queue => {
        const queue = decode(row)
        return { ...queue, depth_note: depthNote(queue.engine, queue.depth) }
      }))
    }, orDieOnSql)

    return { list } as const
  })
}) {
  static readonly layer = this.Default
}
