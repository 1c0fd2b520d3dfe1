import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { parseTaskRetries, type TaskRetry } from "../../domain/commands/Command/TaskRetry.ts"
import type { CommandId, ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { yieldToEventLoop } from "../kernel/concurrency/EventLoop.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import type { FinishTransition } from "./Model.ts"

/** Rows per statement. */
const slice = 1000

/**
 * A new link is checked once more after this time (`Failures/Recoveries.ts`): an ingest that stored the success of the
 * new task at the same moment has not seen the link, and was not seen.
 */
const recheckSeconds = 30

interface Link extends TaskRetry {
  readonly project_id: ProjectId
  readonly engine: string
  readonly command_id: CommandId
}

const linksOf = ({ end, row }: FinishTransition): ReadonlyArray<Link> => {
  const { action, engine, id, project_id, target_id } = row
  if (end.status !== "completed" || end.result === null || engine === null) return []
  return parseTaskRetries(action, target_id, end.result).map((retried) => ({
    ...retried,
    project_id,
    engine,
    command_id: id
  }))
}

/** Links retried tasks to the tasks that the retries created. */
export class TaskRetries extends Effect.Service<TaskRetries>()("svc/TaskRetries", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const columns = {
      project_id: "uuid",
      engine: "text",
      task_id: "text",
      new_task_id: "text",
      command_id: "uuid",
      check_at: "text",
      recheck_at: "text"
    } as const
    const names = sql.literal(Object.keys(columns).join(", "))

    /** Inserts the links that the results of the ended commands name, in the caller's transaction. */
    const insert = Effect.fnUntraced(function*(endings: ReadonlyArray<FinishTransition>) {
      const check_at = yield* Timestamp.now
      const recheck_at = Timestamp.addSeconds(check_at, recheckSeconds)
      const links = endings.flatMap(linksOf).map((link) => ({ ...link, check_at, recheck_at }))
      for (let from = 0; from < links.length; from += slice) {
        if (from > 0) yield* yieldToEventLoop
        // SQLite parses the ON of ON CONFLICT as a join's ON, unless a WHERE comes before it
        yield* sql`INSERT INTO task_retries (${names})
          SELECT ${names} FROM ${recordset(sql, "r", columns, links.slice(from, from + slice))} WHERE true
          ON CONFLICT DO NOTHING`
      }
    })

    return { insert } as const
  })
}) {
  static readonly layer = this.Default
}
