import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema } from "effect"
import { Id } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { orDieOnSql, Reader } from "../kernel/sql/Database.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { rowsOf } from "../kernel/sql/Rows.ts"
import { SchedulerLeases } from "./SchedulerLeases.ts"

/** A program that has not called for so long is not alive. It has an open stream of changes, or renews its leases. */
export const aliveSeconds = 15

/** Connections of replicas that were killed are deleted after this time. */
const keptSeconds = 3600

/** A connection of a scheduler program to a replica. */
export const SchedulerConnection = Schema.Struct({
  id: Id,
  /** Of its certificate. */
  name: Schema.String,
  /** With its process, as its leases name it; null: it does not use leases. */
  instance: Schema.NullOr(Schema.String),
  connected_at: Timestamp.Timestamp,
  called_at: Timestamp.Timestamp,
  /** When it last fired a tick or skipped one; null: it has not, over this connection. */
  fired_at: Schema.NullOr(Timestamp.Timestamp)
})
export type SchedulerConnection = typeof SchedulerConnection.Type

const columns = {
  id: "uuid",
  name: "text",
  instance: "text",
  connected_at: "text",
  called_at: "text",
  fired_at: "text"
} satisfies Record<keyof SchedulerConnection, "uuid" | "text">

/** A program that calls the brain. */
export interface SchedulerProgram {
  readonly name: string
  /** `firing`: it holds the lease of a project, or has fired a tick where it uses no leases. */
  readonly state: "firing" | "standby"
  readonly connected_at: Timestamp.Timestamp
  readonly called_at: Timestamp.Timestamp
  readonly fired_at: Timestamp.Timestamp | null
}

/** Which scheduler programs are alive: those that call, whether they know leases or not. */
export class SchedulerPrograms extends Effect.Service<SchedulerPrograms>()("svc/SchedulerPrograms", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const leases = yield* SchedulerLeases
    const names = sql.literal(Object.keys(columns).join(", "))

    /** Writes the connections of this replica that are open, and deletes those that have ended. */
    const report = Effect.fn("SchedulerPrograms.report")(
      function*(openConnections: ReadonlyArray<SchedulerConnection>, ended: ReadonlyArray<string>) {
        if (openConnections.length > 0) {
          yield* sql`INSERT INTO scheduler_connections (${names})
            SELECT ${names} FROM ${recordset(sql, "r", columns, openConnections)} WHERE true
            ON CONFLICT (id) DO UPDATE SET instance = excluded.instance, called_at = excluded.called_at,
              fired_at = excluded.fired_at`
        }
        if (ended.length > 0) yield* sql`DELETE FROM scheduler_connections WHERE ${sql.in("id", ended)}`
        const before = Timestamp.addSeconds(yield* Timestamp.now, -keptSeconds)
        if (openConnections.length > 0) yield* sql`DELETE FROM scheduler_connections WHERE called_at < ${before}`
      },
      orDieOnSql
    )

    const listAlive = Effect.gen(function*() {
      const since = Timestamp.addSeconds(yield* Timestamp.now, -aliveSeconds)
      return yield* rowsOf(SchedulerConnection)(
        read`SELECT ${names} FROM scheduler_connections WHERE called_at > ${since} ORDER BY name, instance, connected_at`
      )
    })

    /**
     * The programs that call, by name. The connections of one process are one program, also where it asks for leases over
     * another connection than for changes.
     */
    const list = Effect.gen(function*() {
      const holders = new Set(yield* leases.listHolders)
      const rows = yield* listAlive
      const instances = new Map(
        rows.flatMap(({ instance, name }) => (instance === null ? [] : [[name, instance] as const]))
      )
      const programs = new Map<string, SchedulerProgram>()
      for (const { called_at, connected_at, fired_at, instance, name } of rows) {
        const key = instance ?? instances.get(name) ?? name
        const other = programs.get(key)
        const isFiring = key === name ? fired_at !== null : holders.has(key)
        programs.set(key, {
          name: key,
          state: isFiring || other?.state === "firing" ? "firing" : "standby",
          connected_at: earlier(connected_at, other?.connected_at),
          called_at: later(called_at, other?.called_at),
          fired_at: fired_at === null ? other?.fired_at ?? null : later(fired_at, other?.fired_at)
        })
      }
      return [...programs.values()]
    })

    /** Since when a program that is alive has called; null: none is alive. */
    const aliveSince = Effect.map(
      listAlive,
      (rows) => rows.reduce<Timestamp.Timestamp | null>((first, row) => earlier(row.connected_at, first), null)
    )

    return { report, list, aliveSince } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(SchedulerLeases.layer))
}

const earlier = (one: Timestamp.Timestamp, other: Timestamp.Timestamp | null | undefined): Timestamp.Timestamp =>
  other !== null && other !== undefined && other < one ? other : one

const later = (one: Timestamp.Timestamp, other: Timestamp.Timestamp | null | undefined): Timestamp.Timestamp =>
  other !== null && other !== undefined && other > one ? other : one
