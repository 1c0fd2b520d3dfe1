import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { Queue } from "../../../domain/agents/Queue.ts"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { hasRows, rowsOf } from "../../kernel/sql/Rows.ts"

const decode = Schema.decodeUnknownSync(Schema.Struct({
  ...Queue.omit("depth_note", "oldest_waiting_at", "received_1h", "ended_1h", "is_over_target", "pause").fields,
  paused: Schema.NullOr(Schema.Number)
}))

const depths = rowsOf(Queue.pick("engine", "name", "depth"))

/** Maximum waiting tasks of a state that are read for a list of queues: the oldest ones. */
const maxWaitingTasks = 10_000

/** Since when the oldest waiting task of each queue of the projects waits; at least one project. */
export const listOldestWaiting = (read: SqlClient.SqlClient, projectIds: ReadonlyArray<ProjectId>) => {
  const waiting = projectIds.flatMap((id, index) =>
    ["pending", "received"].map((state) =>
      read`SELECT * FROM (SELECT project_id, engine, queue, COALESCE(received_at, created_at) AS since FROM tasks
        WHERE project_id = ${id} AND state = ${state} ORDER BY id LIMIT ${maxWaitingTasks}) AS ${
        read(`${state}${index}`)
      }`
    )
  )
  return read<{
    readonly project_id: ProjectId
    readonly engine: string
    readonly queue: string
    readonly since: Timestamp
  }>`SELECT project_id, engine, queue, min(since) AS since FROM (${read.join(" UNION ALL ", false)(waiting)}) AS waiting
    WHERE queue IS NOT NULL GROUP BY project_id, engine, queue`
}

export class QueuesRepo extends Effect.Service<QueuesRepo>()("svc/QueuesRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader

    return {
      /** The newest `limit` queues, those older than the queue `start` if it is given. */
      list: (projectId: ProjectId, start: string | null, limit: number) =>
        Effect.map(
          read`SELECT * FROM queues WHERE project_id = ${projectId} ${start === null ? read`` : read`AND id < ${start}`}
            ORDER BY id DESC LIMIT ${limit}`,
          (rows) => rows.map((row) => decode(row))
        ),
      find: (projectId: ProjectId, engine: string, name: string) =>
        Effect.map(
          read`SELECT * FROM queues WHERE project_id = ${projectId} AND engine = ${engine} AND name = ${name}`,
          ([row]) => row === undefined ? null : decode(row)
        ),
      /** Whether there is such a queue. */
      setTarget: (projectId: ProjectId, engine: string, name: string, seconds: number | null) =>
        hasRows(sql`UPDATE queues SET start_target_seconds = ${seconds}
          WHERE project_id = ${projectId} AND engine = ${engine} AND name = ${name} RETURNING id`),
      /** Since when the oldest waiting task of each queue waits. */
      listOldestWaiting: (projectId: ProjectId) => listOldestWaiting(read, [projectId]),
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
