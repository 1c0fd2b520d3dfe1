import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { inTransaction, orDieOnSql, Reader } from "../kernel/sql/Database.ts"
import { databaseMillis } from "../kernel/sql/Dialect.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { rowsOf } from "../kernel/sql/Rows.ts"

/** The longest lease. */
export const maxLeaseSeconds = 60

/** Beside the leases of the brain's own loops, which have other names. */
const leasePrefix = "scheduler of "

const Row = Schema.Struct({ name: Schema.String, holder: Schema.String, expires_at: Schema.Number })

/** The lease of a project; null: no scheduler holds it. */
export interface ProjectLease {
  readonly project_id: ProjectId
  readonly holder: string
  readonly expires_at: Timestamp.Timestamp
}

/**
 * Which scheduler program fires the schedules of a project: one holds the project's lease, the others stand by. The
 * leases are rows of `leases`, by the database's clock. Fires are safe without it (`SchedulerProtocol.ts`).
 */
export class SchedulerLeases extends Effect.Service<SchedulerLeases>()("svc/SchedulerLeases", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const now = databaseMillis(sql)

    const listProjects = rowsOf(Schema.Struct({ id: ProjectId, slug: Schema.String }))(
      read`SELECT id, slug FROM projects WHERE is_active = 1 ORDER BY slug`
    ).pipe(orDieOnSql)

    /** The programs that hold a lease now. */
    const listHolders = Effect.map(
      read<{ readonly holder: string }>`SELECT DISTINCT holder FROM leases
        WHERE name LIKE ${`${leasePrefix}%`} AND expires_at > ${now} ORDER BY holder`,
      (rows) => rows.map(({ holder }) => holder)
    )

    /**
     * Takes the free leases of the projects, renews those that the holder has, and returns all of them. One that ends
     * later than any lease can was written before the database's clock was set back, and is free.
     */
    const hold = Effect.fn("SchedulerLeases.hold")(
      function*(projectIds: ReadonlyArray<ProjectId>, holder: string, millis: number) {
        const ids = [...new Set(projectIds)].toSorted() // the order of the row locks
        const wanted = recordset(sql, "r", { id: "uuid" }, ids.map((id) => ({ id })))
        yield* sql`INSERT INTO leases (name, holder, expires_at)
        SELECT ${leasePrefix} || p.id, ${holder}, ${now} + ${millis}
        FROM ${wanted} JOIN projects p ON p.id = r.id WHERE true ORDER BY p.id
        ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
        WHERE leases.holder = excluded.holder OR leases.expires_at <= ${now}
          OR leases.expires_at > ${now} + ${2 * maxLeaseSeconds * 1000}`
        const rows = yield* rowsOf(Row)(
          sql`SELECT name, holder, expires_at FROM leases
          WHERE name IN (SELECT ${leasePrefix} || r.id FROM ${wanted}) ORDER BY name`
        )
        return rows.map((row): ProjectLease => ({
          project_id: ProjectId.make(row.name.slice(leasePrefix.length)),
          holder: row.holder,
          expires_at: Timestamp.fromEpochMillis(row.expires_at)
        }))
      },
      inTransaction(sql)
    )

    /** Gives up all leases of the holder. */
    const release = Effect.fn("SchedulerLeases.release")((holder: string) =>
      Effect.asVoid(sql`DELETE FROM leases WHERE holder = ${holder} AND name LIKE ${`${leasePrefix}%`}`).pipe(
        orDieOnSql
      )
    )

    return { listProjects, listHolders, hold, release } as const
  })
}) {
  static readonly layer = this.Default
}
