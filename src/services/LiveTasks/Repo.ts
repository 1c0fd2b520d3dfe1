import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ProjectId } from "../../domain/Id.ts"
import type { ChangePosition, LiveTask } from "../../domain/LiveTask.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { orDieOnSql, Reader } from "../Database.ts"
import * as Ids from "../Ids.ts"

export const pageSize = 500

/** A list shows one line of an exception, which may have many. */
const exceptionCharacters = 300

/**
 * Replicas commit in another order than that of their clocks, so this much is read again; what was sent is left out.
 */
const overlapSeconds = 1

/** Reads the changes of a project, in the order of (updated_at, id). */
export class LiveTasksRepo extends Effect.Service<LiveTasksRepo>()("svc/LiveTasksRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    // on SQLite one connection writes, in the order of its times
    const overlap = sql.onDialectOrElse({ pg: () => overlapSeconds, orElse: () => 0 })

    const listPage = (projectId: ProjectId, { id, updated_at }: ChangePosition, to: ChangePosition | null) =>
      orDieOnSql(read<LiveTask>`
        SELECT id, engine, task_id, name, queue, state, priority, retry_count, worker_name, received_at, started_at,
               finished_at, runtime_ms, substr(exception, 1, ${exceptionCharacters}) AS exception, updated_at
        FROM tasks WHERE project_id = ${projectId} AND (updated_at, id) > (${updated_at}, ${id})
          ${to === null ? read`` : read`AND (updated_at, id) <= (${to.updated_at}, ${to.id})`}
        ORDER BY updated_at, id LIMIT ${pageSize}`)

    /** The position to read from, so that late commits of other replicas are found too. */
    const rewind = (position: ChangePosition): ChangePosition =>
      overlap === 0 ? position : { updated_at: Timestamp.addSeconds(position.updated_at, -overlap), id: Ids.minId }

    return { listPage, rewind } as const
  })
}) {
  static readonly layer = this.Default
}
