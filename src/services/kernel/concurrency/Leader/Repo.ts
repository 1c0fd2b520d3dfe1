import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { Reader } from "../../sql/Database.ts"
import { databaseMillis, onPostgres } from "../../sql/Dialect.ts"
import { hasRows } from "../../sql/Rows.ts"

/** A lease that a process holds now. */
export interface LeaseHolder {
  readonly name: string
  /** Host and process id of the leader. */
  readonly holder: string
}

/** The table `leases`. All times are the database's, so the clocks of the replicas do not matter. */
export class LeaseRepo extends Effect.Service<LeaseRepo>()("svc/LeaseRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const now = databaseMillis(sql)
    /** A takeover, which deletes the row, waits for this lock; a renewal does not, since it changes no key. */
    const forKeyShare = onPostgres(sql, "FOR KEY SHARE")

    /** A time far ahead is none that a leader wrote: the database's clock was set back, or the row was tampered with. */
    const isHeld = (millis: number) => sql`expires_at > ${now} AND expires_at <= ${now} + ${2 * millis}`

    return {
      /** A plain read, which takes no lock: most replicas find a leader. */
      isHeld: (name: string, millis: number) =>
        hasRows(read`SELECT 1 FROM leases WHERE name = ${name} AND ${isHeld(millis)}`),
      /** Returns the fencing number, or none when another process is quicker. */
      acquire: (name: string, holder: string, millis: number) =>
        sql.withTransaction(Effect.zipRight(
          sql`DELETE FROM leases WHERE name = ${name} AND NOT (${isHeld(millis)})`,
          Effect.map(
            sql<
              { fence: number }
            >`INSERT INTO leases (name, holder, expires_at) VALUES (${name}, ${holder}, ${now} + ${millis})
              ON CONFLICT (name) DO NOTHING RETURNING fence`,
            ([row]) => Option.fromNullable(row?.fence)
          )
        )),
      /** Whether the lease was still held. */
      renew: (fence: number, millis: number) =>
        hasRows(
          sql`UPDATE leases SET expires_at = ${now} + ${millis} WHERE fence = ${fence} AND expires_at > ${now} RETURNING 1`
        ),
      /** Whether the lease is held, in a transaction until its end. */
      lock: (fence: number) =>
        hasRows(sql`SELECT 1 FROM leases WHERE fence = ${fence} AND expires_at > ${now} ${forKeyShare}`),
      release: (fence: number) => sql`DELETE FROM leases WHERE fence = ${fence}`,
      /**
       * Without those of scheduler programs, which have one for each project (`schedules/SchedulerLeases.ts`), and the
       * rows by which brains show that they run (`RunningBrains.ts`).
       */
      list: read<LeaseHolder>`SELECT name, holder FROM leases WHERE expires_at > ${now}
        AND name NOT LIKE 'scheduler of %' AND name NOT LIKE 'brain %' ORDER BY name`
    } as const
  })
}) {
  static readonly layer = this.Default
}
