import { Effect, Schema } from "effect"
import { depthNote, Queue } from "../domain/Queue.ts"
import { CurrentProject } from "./CurrentActor.ts"
import { orDieOnSql, Reader } from "./Database.ts"

const decode = Schema.decodeUnknownSync(Queue.omit("depth_note"))

/** The engines' queues, as heartbeats and events tell of them. */
export class Queues extends Effect.Service<Queues>()("svc/Queues", {
  effect: Effect.gen(function*() {
    const read = yield* Reader

    /** All queues of the project, newest first. */
    const list = Effect.fn("Queues.list")(function*() {
      const project = yield* CurrentProject
      const rows = yield* read`SELECT * FROM queues WHERE project_id = ${project.id} ORDER BY id DESC`
      return rows.map((row): Queue => {
        const queue = decode(row)
        return { ...queue, depth_note: depthNote(queue.engine, queue.depth) }
      })
    }, orDieOnSql)

    return { list } as const
  })
}) {
  static readonly layer = this.Default
}
