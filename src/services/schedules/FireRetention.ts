import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Settings } from "../kernel/Settings.ts"
import { errorCode, Reader } from "../kernel/sql/Database.ts"
import { deleteInSlices } from "../kernel/sql/Dialect.ts"
import { SchedulesRepo } from "./Repo.ts"

/** Days for which partitions are created ahead, beside today's (interface, Limits). */
const daysAhead = 14

/** The default partition holds rows of the day, so PostgreSQL refuses a partition for it. */
const defaultHoldsRows = "23514"

const dayOf = (at: Timestamp.Timestamp): string => at.slice(0, 10)
const partitionOf = (day: string): string => `schedule_fires_${day.replaceAll("-", "")}`
const partitionPattern = /^schedule_fires_(\d{4})(\d\d)(\d\d)$/

/**
 * Keeps the table of fires short. PostgreSQL has a partition a day, from today to 14 days ahead, and drops those that
 * are older than the retention; SQLite, and PostgreSQL's default partition, delete rows in slices. A fire without an
 * outcome is never deleted, and a partition that has one is never dropped.
 */
export class FireRetention extends Effect.Service<FireRetention>()("svc/FireRetention", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const schedules = yield* SchedulesRepo
    const { scheduleFiresRetentionDays } = yield* Settings
    const isOpen = sql.literal("status IN ('pending', 'accepted', 'delivered', 'buffered')")

    /** While DDL waits for a long reader, such as pg_dump, all other statements wait behind it: so it gives up soon. */
    const withTableLocked = <A, E, R>(body: Effect.Effect<A, E, R>) =>
      sql.withTransaction(Effect.all([
        sql`SET LOCAL lock_timeout = '500ms'`,
        // the parent first, as every query of fires locks it
        sql`LOCK TABLE ONLY schedule_fires IN ACCESS EXCLUSIVE MODE`,
        body
      ], { discard: true }))

    const createPartition = (day: string, nextDay: string) =>
      withTableLocked(sql.unsafe(
        // no parameters in DDL; the days are the program's own
        `CREATE TABLE IF NOT EXISTS ${partitionOf(day)} PARTITION OF schedule_fires
          FOR VALUES FROM ('${day}') TO ('${nextDay}')`
      )).pipe(Effect.catchIf(
        (error) => errorCode(error) === defaultHoldsRows,
        () =>
          Effect.logInfo(
            `fires of ${day} are in the default partition already, so retention will delete that day's fires in slices`
          )
      ))

    const listPartitions = Effect.map(
      read<{ readonly name: string }>`SELECT c.relname AS name FROM pg_inherits i
        JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
        WHERE p.relname = 'schedule_fires' AND p.relnamespace = current_schema()::regnamespace`,
      (rows) =>
        rows.flatMap(({ name }) => {
          const [, year, month, day] = partitionPattern.exec(name) ?? []
          return year === undefined ? [] : [{ name, day: `${year}-${month}-${day}` }]
        })
    )

    const createPartitions = Effect.fnUntraced(function*(now: Timestamp.Timestamp) {
      const days = new Set((yield* listPartitions).map(({ day }) => day))
      for (let ahead = 0; ahead <= daysAhead; ahead++) {
        const [day, nextDay] = [ahead, ahead + 1].map((days) =>
          dayOf(Timestamp.addSeconds(now, days * Timestamp.secondsPerDay))
        )
        if (day !== undefined && nextDay !== undefined && !days.has(day)) yield* createPartition(day, nextDay)
      }
    })

    const dropPartitions = Effect.fnUntraced(function*(cutoff: Timestamp.Timestamp) {
      for (const { day, name } of yield* listPartitions) {
        if (day >= dayOf(cutoff)) continue
        yield* withTableLocked(Effect.gen(function*() {
          const openRows = yield* sql`SELECT 1 FROM ${sql(name)} WHERE ${isOpen} LIMIT 1`
          if (openRows.length === 0) yield* sql`DROP TABLE ${sql(name)}`
        }))
      }
    })

    const deleteFires = (table: string, cutoff: Timestamp.Timestamp) =>
      deleteInSlices(sql, {
        table,
        key: "fire_id, scheduled_for",
        where: sql`scheduled_for < ${cutoff} AND NOT (${isOpen})`
      })

    /** Creates the partitions of the coming days; on SQLite nothing. Before the first fire, and once an hour. */
    const prepare = sql.onDialectOrElse({
      pg: () => Effect.flatMap(Timestamp.now, createPartitions),
      orElse: () => Effect.void
    })

    /** Deletes fires and tombstones older than their retention. Once an hour. */
    const sweep = Effect.fn("FireRetention.sweep")(function*() {
      const now = yield* Timestamp.now
      const cutoff = Timestamp.addSeconds(now, -scheduleFiresRetentionDays * Timestamp.secondsPerDay)
      yield* sql.onDialectOrElse({
        pg: () => Effect.zipRight(dropPartitions(cutoff), deleteFires("schedule_fires_default", cutoff)),
        orElse: () => deleteFires("schedule_fires", cutoff)
      })
      yield* schedules.pruneTombstones(now)
    })

    return { prepare, sweep } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(SchedulesRepo.layer))
}
