import { SqlClient } from "@effect/sql"
import { Array as Arr, Effect, Layer } from "effect"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Loops } from "../../kernel/concurrency/Loops.ts"
import { Settings } from "../../kernel/Settings.ts"
import { orDieOnSql, Reader } from "../../kernel/sql/Database.ts"
import { deleteInSlices } from "../../kernel/sql/Dialect.ts"
import { RollupMerge } from "./Merge.ts"
import { keptDaysOf, seriesKinds } from "./Series.ts"

/** Series of one statement: the primary key finds the expired rows of each. */
const sliceSeries = 200

/** Deletes expired minutes, hours and days, and series without any. Several replicas may sweep at the same time. */
export const sweepRollups = Effect.fn("RollupRetention.sweep")(function*() {
  const sql = yield* SqlClient.SqlClient
  const read = yield* Reader
  const settings = yield* Settings
  const { lock } = yield* RollupMerge

  const seriesIn = (ids: ReadonlyArray<number>, column: string) =>
    sql.onDialectOrElse({
      pg: () => sql`${sql.literal(column)} = ANY(${ids}::bigint[])`,
      orElse: () => sql`${sql.literal(column)} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`
    })

  /** A merge could add a row to a series that is being deleted: while one runs, the series is left to the next sweep. */
  const deleteEmpty = (projectId: string, ids: ReadonlyArray<number>) =>
    sql.withTransaction(Effect.whenEffect(
      sql`DELETE FROM rollup_series WHERE ${seriesIn(ids, "id")} AND NOT EXISTS (SELECT 1 FROM rollups r
        WHERE r.project_id = ${projectId} AND r.level IN (0, 1, 2) AND r.series_id = rollup_series.id)`,
      lock
    ))

  const minute = Math.floor(Timestamp.toEpochSeconds(yield* Timestamp.now) / 60)
  for (const { id: projectId } of yield* read<{ id: string }>`SELECT id FROM projects ORDER BY id`) {
    const series = yield* read<{ id: number; kind: number }>`
      SELECT id, kind FROM rollup_series WHERE project_id = ${projectId} ORDER BY id`
    const [others, workers] = Arr.partition(series, ({ kind }) => kind === seriesKinds.worker)
    for (const slice of [...Arr.chunksOf(others, sliceSeries), ...Arr.chunksOf(workers, sliceSeries)]) {
      const ids = slice.map(({ id }) => id)
      for (const { days, level } of keptDaysOf(slice[0].kind, settings)) {
        yield* deleteInSlices(sql, {
          table: "rollups",
          key: "project_id, level, series_id, bucket",
          where: sql`project_id = ${projectId} AND level = ${level} AND ${seriesIn(ids, "series_id")}
            AND bucket < ${minute - days * 1440}`
        })
      }
      yield* deleteEmpty(projectId, ids)
    }
  }
}, orDieOnSql)

/** Once an hour. */
export const layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
  const loops = yield* Loops
  yield* loops.upkeep("rollup retention", "1 hour", sweepRollups())
})).pipe(Layer.provide(RollupMerge.layer))
