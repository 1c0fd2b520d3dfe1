import { Effect, Schema } from "effect"
import { Queue } from "../../../domain/agents/Queue.ts"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { rowsOf } from "../../kernel/sql/Rows.ts"

const decode = Schema.decodeUnknownSync(Queue.omit("depth_note", "oldest_waiting_at", "received_1h", "ended_1h"))

const depths = rowsOf(Queue.pick("engine", "name", "depth"))

/** Maximum waiting tasks of a state that are read for a list of queues: the oldest ones. */
const maxWaitingTasks = 10_000

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
      /** Since when the oldest waiting task of each queue waits. */
      listOldestWaiting: (projectId: ProjectId) => {
        const waiting = (state: "pending" | "received") =>
          read`SELECT * FROM (SELECT engine, queue, COALESCE(received_at, created_at) AS since FROM tasks
            WHERE project_id = ${projectId} AND state = ${state} ORDER BY id LIMIT ${maxWaitingTasks}) AS ${
            read(state)
          }`
        return read<{ readonly engine: string; readonly queue: string; readonly since: Timestamp }>`
          SELECT engine, queue, min(since) AS since FROM (${waiting("pending")} UNION ALL ${
          waiting("received")
        }) AS waiting
          WHERE queue IS NOT NULL GROUP BY engine, queue`
      },
      /** How deep the queues of these names are; null: the agent has not reported it. */
      listDepths: (projectId: ProjectId, names: ReadonlyArray<string>) =>
        names.length === 0 ? Effect.succeed([]) : depths(
          read`SELECT engine, name, depth FROM queues
            WHERE project_id = ${projectId} AND name IN ${read.in([...new Set(names)])}`
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
