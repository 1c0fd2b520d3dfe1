import { SqlClient } from "@effect/sql"
import { Clock, Effect } from "effect"
import type { ProjectId } from "../../src/domain/kernel/Id.ts"
import { add, bucketOf } from "../../src/domain/tasks/Rollup/Histogram.ts"
import { Database } from "../../src/services/kernel/sql/Database.ts"
import { changeOf, type Changes, getOrCreateCell, sumUp } from "../../src/services/tasks/Rollups/Cells.ts"
import { levels, seriesKeyText, seriesKinds } from "../../src/services/tasks/Rollups/Series.ts"
import { makePostgresTables, makeSqliteTables } from "../../src/services/tasks/Rollups/Tables.ts"
import { viewerKey } from "../list/seed.ts"
import { databaseOf } from "../services.ts"

const days = 30
/** Minutes are kept for 4 days. */
const minuteDays = 4
const minutesPerDay = 1440

/** 0 to 1, the same in each run. */
const randoms = () => {
  let state = 42
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

export const nameAt = (index: number): string => `shop.orders.task_${index}`

/** The rollups that `tasks` tasks of 30 days leave, by the functions of the merge; returns a viewer's key. */
export const seed = (env: Readonly<Record<string, string>>, projectId: ProjectId, tasks: number, names: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { sqlite } = yield* Database
    const tables = sqlite === null ? makePostgresTables(sql) : makeSqliteTables(sqlite)
    const random = randoms()
    const today = Math.floor((yield* Clock.currentTimeMillis) / 86_400_000)
    const now = Math.floor((yield* Clock.currentTimeMillis) / 60_000)
    const first = [(today - minuteDays) * minutesPerDay, 0, 0]
    const perDay = Math.round(tasks / days)

    const changesOfDay = (day: number): Changes => {
      const changes: Changes = new Map()
      for (let index = 0; index < perDay; index++) {
        const number = Math.floor(random() * names)
        const key = {
          project_id: projectId,
          kind: seriesKinds.task,
          engine: "celery",
          queue: `queue-${number % 10}`,
          name: nameAt(number)
        }
        const minute = day * minutesPerDay + Math.floor(random() * minutesPerDay)
        if (minute > now) continue
        // older minutes are not kept: one an hour is enough
        const kept = minute < first[0]! ? minute - (minute % 60) : minute
        const cell = getOrCreateCell(changeOf(changes, key).buckets[levels.minute]!, kept)
        const runtime = Math.round(Math.exp(3 + (number % 7) + 2 * random() + random()))
        const wait = Math.round(Math.exp(1 + 5 * random()))
        cell.received++
        if (random() < 0.03) cell.failure++
        else cell.success++
        cell.runtime_count++
        cell.runtime_sum += runtime
        add(cell.runtimes, bucketOf(runtime), 1)
        cell.wait_count++
        cell.wait_sum += wait
        add(cell.waits, bucketOf(wait), 1)
      }
      return sumUp(changes, first)
    }

    let rows = 0
    for (let day = today - days + 1; day <= today; day++) {
      const changes = changesOfDay(day)
      yield* sql.withTransaction(Effect.gen(function*() {
        const keys = [...changes.values()].map(({ key }) => key)
        const known = yield* tables.findSeries(keys)
        const missing = keys.filter((key) => !known.has(seriesKeyText(key)))
        for (let from = 0; from < missing.length; from += 100) {
          yield* sql`INSERT INTO rollup_series ${
            sql.insert(missing.slice(from, from + 100).map((key) => ({ ...key })))
          }`
        }
        const series = yield* tables.findSeries(keys)
        const cells = [...changes.values()].flatMap(({ buckets, key }) =>
          Object.values(levels).flatMap((level) =>
            [...buckets[level]!].map(([bucket, cell]) =>
              [
                { project_id: key.project_id, level, series_id: series.get(seriesKeyText(key)) ?? 0, bucket },
                cell
              ] as const
            )
          )
        )
        rows += cells.length
        yield* tables.addCells(cells)
      }))
    }
    if (sqlite === null) yield* sql`VACUUM (ANALYZE) rollups`
    return { token: yield* viewerKey([projectId]), rows }
  }).pipe(Effect.provide(databaseOf(env)))
