import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer } from "effect"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { parsePlace } from "../../../domain/tasks/Task/PlacedValue.ts"
import { Leader, Lease } from "../../kernel/concurrency/Leader.ts"
import { Loops } from "../../kernel/concurrency/Loops.ts"
import { maxId, minId } from "../../kernel/Ids.ts"
import { Database, isContention, orDieOnSql } from "../../kernel/sql/Database.ts"
import { deleteInSlices, forUpdate, idIn } from "../../kernel/sql/Dialect.ts"
import { writeOrder } from "../WriteOrder.ts"
import { makeSearchablePathsRepo, type NumberedPath } from "./Repo.ts"
import { insertValues, pushValueRows, type TaskValues, type ValueRow } from "./Values.ts"

const loopName = "searchable paths"

/** Tasks of a transaction: a few milliseconds on SQLite, unless their values are large. */
const tasksAtOnce = 100

/** Searches that have read a path before its removal have ended by then. */
const removalSeconds = 60

/**
 * Writes the values of tasks that were there before their path was made searchable, the newest first, and deletes those
 * of removed paths. `filled_to` says from which id on all tasks are in the index: the ingest has written the others.
 */
export const makeFillSearchablePaths = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { sqlite } = yield* Database
  const repo = yield* makeSearchablePathsRepo
  /** By the path's number, a transaction that began after the path was made searchable. */
  const barriers = new Map<number, string>()

  /**
   * Whether every writer that has not read the path has ended. A writer reads the paths after its first write, and so
   * has a lower id than a transaction that begins once the path is there.
   */
  const haveWritersEnded: (path: NumberedPath) => Effect.Effect<boolean> = sql.onDialectOrElse({
    pg: () =>
      Effect.fnUntraced(function*({ number }: NumberedPath) {
        const barrier = barriers.get(number)
        if (barrier === undefined) {
          const [row] = yield* sql<{ id: string }>`SELECT pg_current_xact_id()::text AS id`
          if (row !== undefined) barriers.set(number, row.id)
          return false
        }
        const [row] = yield* sql<{ ended: boolean }>`
          SELECT pg_snapshot_xmin(pg_current_snapshot()) > ${barrier}::xid8 AS ended`
        return row?.ended === true
      }, orDieOnSql),
    orElse: () => () => Effect.succeed(true) // its writers take turns
  })

  /** In a transaction. Locks the tasks in the order of the ingest, which else would change values that are read here. */
  const fillSlice = Effect.fnUntraced(function*(path: NumberedPath, filledTo: string) {
    const { number, project_id, task_name } = path
    const place = parsePlace(path.path)
    const slice = yield* sql<{ id: string }>`SELECT id FROM tasks
      WHERE project_id = ${project_id} AND name = ${task_name} AND id < ${filledTo} ORDER BY id DESC LIMIT ${tasksAtOnce}`
    const last = slice.at(-1)
    if (last === undefined || place === null) {
      yield* repo.setFilled(number, minId)
      return
    }
    const tasks = yield* sql<Partial<TaskValues> & { readonly id: string }>`
      SELECT id, ${sql(place.column)} FROM tasks
      WHERE project_id = ${project_id} AND ${idIn(sql, slice.map(({ id }) => id))} AND name = ${task_name}
      ORDER BY ${writeOrder(sql)} ${forUpdate(sql)}`
    const rows: Array<ValueRow> = []
    for (const task of tasks) pushValueRows(rows, [{ ...place, number }], project_id, task.id, task)
    yield* insertValues(sql, rows)
    yield* repo.setFilled(number, last.id)
  })

  const deleteRemoved = Effect.fnUntraced(function*() {
    const { withTransaction } = yield* Lease
    const before = Timestamp.addSeconds(yield* Timestamp.now, -removalSeconds)
    for (const { number, project_id } of yield* repo.listRemoved(before)) {
      yield* deleteInSlices(sql, {
        table: "searchable_values",
        key: "project_id, path, value, task",
        where: sql`project_id = ${project_id} AND path = ${number}`,
        runSlice: withTransaction
      })
      yield* withTransaction(repo.delete(number))
    }
  })

  /** A step of each path that is not filled; returns whether there is more to do. Only the leader may. */
  return Effect.fn("SearchablePaths.fill")(function*() {
    const { withTransaction } = yield* Lease
    const unfilled = yield* repo.listUnfilled
    let isBusy = false
    for (const path of unfilled) {
      const { filled_to } = path
      if (filled_to === null && !(yield* haveWritersEnded(path))) continue
      const slice = withTransaction(fillSlice(path, filled_to ?? maxId))
      const [took] = yield* Effect.timed(Effect.retry(slice, { while: isContention, times: 10 }))
      // on SQLite a slice keeps the event loop and the only writer: afterwards the ingest has them for as long
      if (sqlite !== null) yield* Effect.sleep(Duration.max(took, "1 millis"))
      isBusy = true
    }
    for (const number of barriers.keys()) if (!unfilled.some((path) => path.number === number)) barriers.delete(number)
    if (!isBusy) yield* deleteRemoved()
    return isBusy
  }, orDieOnSql)
})

/** Each second, on one replica at a time. */
export const layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
  const fill = yield* makeFillSearchablePaths
  const leader = yield* Leader
  const loops = yield* Loops
  const round = Effect.gen(function*() {
    const more = yield* fill()
    yield* loops.reportSuccess(loopName)
    yield* Effect.sleep(more ? "1 millis" : "1 second")
  })
  yield* loops.forever(loopName, leader.lead(loopName, Effect.forever(round)), { longestPause: "5 seconds" })
})).pipe(Layer.provide(Leader.layer))
