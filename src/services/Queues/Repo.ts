import { Effect, Schema } from "effect"
import type { ProjectId } from "../../domain/Id.ts"
import { Queue } from "../../domain/Queue.ts"
import { Reader } from "../Database.ts"

const decode = Schema.decodeUnknownSync(Queue.omit("depth_note"))

export class QueuesRepo extends Effect.Service<QueuesRepo>()("svc/QueuesRepo", {
  effect: Effect.gen(function*() {
    const read = yield* Reader

    return {
      /** The newest `limit` queues, those older than the queue `start` if it is given. */
      list: (projectId: ProjectId, start: string | null, limit: number) =>
        Effect.map(
          read`SELECT * FROM queues WHERE project_id = ${projectId} ${start === null ? read`` : read`AND id < ${start}`}
            ORDER BY id DESC LIMIT ${limit}`,
          (rows) => rows.map((row) => decode(row))
        ),
      /** The engines that have a queue of this name. */
      listEngines: (projectId: ProjectId, name: string) =>
        Effect.map(
          read<
            { readonly engine: string }
          >`SELECT engine FROM queues WHERE project_id = ${projectId} AND name = ${name}`,
          (rows) => rows.map(({ engine }) => engine)
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
