import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer } from "effect"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { yieldToEventLoop } from "../../kernel/concurrency/EventLoop.ts"
import { Leader } from "../../kernel/concurrency/Leader.ts"
import { Loops } from "../../kernel/concurrency/Loops.ts"
import { Settings } from "../../kernel/Settings.ts"
import { Database, isContention, orDieOnSql } from "../../kernel/sql/Database.ts"
import { idIn, skipLocked } from "../../kernel/sql/Dialect.ts"
import { recordset } from "../../kernel/sql/Recordset.ts"
import { addDelta, capKeyOf, type Changes, type FirstMinute, limitSeries, sumUp } from "./Cells.ts"
import { decodeDeltas } from "./Deltas.ts"
import { keptDaysOf, levels, type SeriesKey, seriesKeyText, seriesKinds } from "./Series.ts"
import { makePostgresTables, makeSqliteTables, seriesColumns } from "./Tables.ts"

const loopName = "rollups"

/** Rows of `rollup_deltas` of one transaction; each is one transaction of an ingest. */
const maxDeltas = 200

/** Changed minutes after which a transaction takes no further delta: on SQLite the ingest waits for it. */
const maxMinutes = 1000

/**
 * Merges what the ingest added into minutes, hours and days. The ingest inserts one row for each of its transactions,
 * and so waits for no row lock of another replica; a merge writes each bucket once, whatever the number of deltas. One
 * replica merges at a time: it holds the row of `rollup_merges`.
 */
export class RollupMerge extends Effect.Service<RollupMerge>()("svc/rollups/Merge", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const settings = yield* Settings
    const { sqlite } = yield* Database
    const tables = sqlite === null ? makePostgresTables(sql) : makeSqliteTables(sqlite)

    /** Locks the tables against other merges; false: another replica merges now. */
    const lock = Effect.map(
      sql`SELECT id FROM rollup_merges WHERE id = 1 ${skipLocked(sql)}`,
      (rows) => rows.length > 0
    )

    const insertSeries = (keys: ReadonlyArray<SeriesKey>) =>
      keys.length === 0 ? Effect.void : sql`
        INSERT INTO rollup_series (project_id, kind, engine, queue, name)
        SELECT project_id, kind, engine, queue, name FROM ${recordset(sql, "r", seriesColumns, keys)} WHERE true
        ON CONFLICT (project_id, kind, engine, queue, name) DO NOTHING`

    const countSeries = (projectIds: ReadonlySet<string>) =>
      Effect.map(
        sql<{ project_id: string; is_worker: number; series: number }>`
          SELECT project_id, CASE WHEN kind = ${seriesKinds.worker} THEN 1 ELSE 0 END AS is_worker, count(*) AS series
          FROM rollup_series WHERE ${idIn(sql, [...projectIds], "project_id")} GROUP BY 1, 2`,
        (rows) => new Map(rows.map((row) => [capKeyOf(row.project_id, row.is_worker === 1), row.series]))
      )

    /** The ids of the changed series, of which those within their project's cap are created. */
    const assignSeries = Effect.fnUntraced(function*(changes: Changes) {
      const keys = () => [...changes.values()].map(({ key }) => key)
      const stored = yield* tables.findSeries(keys())
      const missing = [...changes.values()].filter(({ key }) => !stored.has(seriesKeyText(key)))
      if (missing.length === 0) return stored
      const counts = yield* countSeries(new Set(missing.map(({ key }) => key.project_id)))
      yield* insertSeries(limitSeries(changes, missing, counts, settings.rollupSeriesPerProject))
      return yield* tables.findSeries(keys())
    })

    /** The first minute that is still kept, by kind of series and level. */
    const firstMinutes = Effect.map(Timestamp.now, (now) => {
      const minute = Math.floor(Timestamp.toEpochSeconds(now) / 60)
      const kept = Object.values(seriesKinds).map((kind) =>
        keptDaysOf(kind, settings).map(({ days, level }): FirstMinute => ({ level, first: minute - days * 1440 }))
      )
      return (kind: number) => kept[kind] ?? []
    })

    /** Sums what is to merge in one transaction, with the ids of its deltas. */
    const takeDeltas = Effect.gen(function*() {
      const stored = yield* sql<{ id: number; payload: string }>`
        SELECT id, payload FROM rollup_deltas ORDER BY id LIMIT ${maxDeltas}`
      const tasks: Changes = new Map()
      const ids: Array<number> = []
      let minutes = 0
      for (const { id, payload } of stored) {
        if (minutes >= maxMinutes) break
        ids.push(id)
        for (const delta of decodeDeltas(payload)) minutes += addDelta(tasks, delta)
      }
      return { tasks, ids, hasMore: ids.length < stored.length || stored.length === maxDeltas }
    })

    const dropDeletedProjects = Effect.fnUntraced(function*(tasks: Changes) {
      const ids = [...new Set([...tasks.values()].map(({ key }) => key.project_id))]
      const stored = yield* sql<{ id: string }>`SELECT id FROM projects WHERE ${idIn(sql, ids)}`
      if (stored.length === ids.length) return
      const isStored = new Set(stored.map(({ id }) => id))
      for (const [text, { key }] of tasks) if (!isStored.has(key.project_id)) tasks.delete(text)
    })

    const deleteDeltas = (ids: ReadonlyArray<number>) =>
      sql`DELETE FROM rollup_deltas WHERE id IN (SELECT CAST(value AS BIGINT) FROM ${
        sql.onDialectOrElse({
          pg: () => sql`json_array_elements_text(${JSON.stringify(ids)}::json)`,
          orElse: () => sql`json_each(${JSON.stringify(ids)})`
        })
      })`

    /** One transaction of a merge; whether there may be more to merge. */
    const mergeSlice = Effect.gen(function*() {
      if (!(yield* lock)) return false
      const { hasMore, ids, tasks } = yield* takeDeltas
      if (ids.length === 0) return false
      yield* dropDeletedProjects(tasks)
      const changes = sumUp(tasks, yield* firstMinutes)
      const series = yield* assignSeries(changes)
      const cells = [...changes.values()].flatMap(({ buckets, key }) => {
        const series_id = series.get(seriesKeyText(key))
        if (series_id === undefined) return []
        return Object.values(levels).flatMap((level) =>
          [...buckets[level]!].map(([bucket, cell]) =>
            [{ project_id: key.project_id, level, series_id, bucket }, cell] as const
          )
        )
      })
      yield* tables.addCells(cells)
      yield* deleteDeltas(ids)
      return hasMore
    }).pipe(sql.withTransaction, Effect.retry({ while: isContention, times: 5 }))

    const hasDeltas = Effect.map(sql`SELECT id FROM rollup_deltas ORDER BY id LIMIT 1`, (rows) => rows.length > 0)

    /** Merges all deltas that are committed now, unless another replica does. */
    const merge = Effect.whenEffect(
      Effect.repeat(Effect.zipLeft(mergeSlice, yieldToEventLoop), { while: (hasMore) => hasMore }),
      hasDeltas
    ).pipe(orDieOnSql, Effect.withSpan("RollupMerge.merge"), Effect.asVoid)

    return { merge, lock } as const
  })
}) {
  static readonly layer = this.Default

  /** On one replica at a time: the more often the present buckets are written, the more it costs. */
  static readonly layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
    const leader = yield* Leader
    const loops = yield* Loops
    const { merge } = yield* RollupMerge
    const round = Effect.timed(merge).pipe(
      Effect.zipLeft(loops.reportSuccess(loopName)),
      Effect.flatMap(([took]) => Effect.sleep(pauseAfter(took)))
    )
    yield* loops.forever(loopName, leader.lead(loopName, Effect.forever(round)), { longestPause: "5 seconds" })
  })).pipe(Layer.provide([this.layer, Leader.layer]))
}

/**
 * The pause after a merge, so that the rollups are about a second behind the tasks. A merge costs about the same after 1 s
 * as after 5 s, because it writes each bucket once: one that takes longer than 26 ms leaves the ingest 97.5 % of the
 * time.
 */
export const pauseAfter = (took: Duration.Duration): Duration.Duration =>
  Duration.clamp(Duration.times(took, 39), { minimum: "1 second", maximum: "15 seconds" })
