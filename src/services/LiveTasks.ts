import { SqlClient } from "@effect/sql"
import { Effect, Stream } from "effect"
import { encodePosition, type LiveTask, type Position } from "../domain/LiveTask.ts"
import * as Timestamp from "../domain/Timestamp.ts"
import { Hints, orDieOnSql, Reader } from "./Database.ts"

/** One message of the stream: a changed task, or `reset`: too much was missed, load the list anew. */
export type LiveMessage =
  | { readonly kind: "task"; readonly id: string; readonly task: LiveTask }
  | { readonly kind: "reset"; readonly id: string }

const pageSize = 500
/** Further behind than this the client is told to load the list anew. */
const longestGapSeconds = 300
const pagesBehind = 20
/** Replicas commit in another order than their clocks stamp: so much is read again, and what was sent is left out. */
const overlapSeconds = 1

/**
 * What changed in a project, in the order of (updated_at, id), read from the tasks themselves: any replica can go on
 * where another stopped. Several changes of one task between two looks are one message with the newest state.
 */
export class LiveTasks extends Effect.Service<LiveTasks>()("svc/LiveTasks", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const hints = yield* Hints
    const overlap = sql.onDialectOrElse({ pg: () => overlapSeconds, orElse: () => 0 })

    const after = (projectId: string, { id, updated_at }: Position) =>
      read<LiveTask>`
        SELECT id, engine, task_id, name, queue, state, priority, retry_count, worker_name, received_at, started_at,
               finished_at, runtime_ms, updated_at
        FROM tasks WHERE project_id = ${projectId} AND (updated_at, id) > (${updated_at}, ${id})
        ORDER BY updated_at, id LIMIT ${pageSize}`

    const firstId = "00000000-0000-0000-0000-000000000000"

    /** Everything after `position` that has not been sent, up to a bound; null when there is more than that. */
    const changes = Effect.fnUntraced(function*(projectId: string, position: Position, sent: ReadonlyMap<string, string>) {
      const found: Array<LiveTask> = []
      let at: Position = overlap === 0
        ? position
        : { updated_at: Timestamp.addSeconds(position.updated_at, -overlap), id: firstId }
      for (let page = 0; page < pagesBehind; page++) {
        const rows = yield* after(projectId, at)
        for (const row of rows) if (sent.get(row.id) !== row.updated_at) found.push(row)
        const last = rows[rows.length - 1]
        if (last === undefined || rows.length < pageSize) return found
        at = last
      }
      return null
    })

    /** Goes on for ever; the caller ends it. `from` is where the client stopped, null for "from now on". */
    const stream = (projectId: string, from: Position | null): Stream.Stream<LiveMessage> =>
      Stream.unwrap(Effect.gen(function*() {
        const now = yield* Timestamp.now
        const tooOld = from !== null && from.updated_at < Timestamp.addSeconds(now, -longestGapSeconds)
        let position: Position = from === null || tooOld ? { updated_at: now, id: firstId } : from
        let sent = new Map<string, string>()

        const look = Effect.gen(function*() {
          const rows = yield* changes(projectId, position, sent)
          if (rows === null) {
            position = { updated_at: yield* Timestamp.now, id: firstId }
            return [{ kind: "reset", id: encodePosition(position) }] satisfies ReadonlyArray<LiveMessage>
          }
          const last = rows[rows.length - 1]
          if (last !== undefined && last.updated_at >= position.updated_at) position = last
          const horizon = Timestamp.addSeconds(position.updated_at, -overlap)
          sent = new Map([...sent, ...rows.map((row) => [row.id, row.updated_at] as const)].filter(([, at]) => at >= horizon))
          return rows.map((task): LiveMessage => ({ kind: "task", id: encodePosition(task), task }))
        }).pipe(orDieOnSql)

        const woken = hints.subscribe("tasks").pipe(Stream.filter((id) => id === projectId), Stream.as(null))
        // hints of a burst are one look; the tick makes up for lost hints
        const ticks = Stream.merge(woken, Stream.tick("2 seconds")).pipe(Stream.groupedWithin(10_000, "100 millis"))
        const first: ReadonlyArray<LiveMessage> = tooOld ? [{ kind: "reset", id: encodePosition(position) }] : []
        return Stream.concat(
          Stream.fromIterable(first),
          Stream.mapConcatEffect(ticks, () => look)
        )
      }))

    return { stream } as const
  })
}) {
  static readonly layer = this.Default
}
