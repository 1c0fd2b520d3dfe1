import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import * as Database from "../../../src/layers/Database.ts"
import { FireRetention } from "../../../src/services/schedules/FireRetention.ts"
import { engines, settingsOn } from "../../databases.ts"

const insertFire = (tick: Timestamp.Timestamp, status: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`INSERT INTO schedule_fires ${
      sql.insert({
        id: randomUUID(),
        fire_id: randomUUID(),
        project_id: randomUUID(),
        schedule_id: randomUUID(),
        engine: "celery",
        status,
        scheduled_for: tick,
        fired_at: tick,
        definition_digest: "",
        expires_at: tick,
        fence: 1
      })
    }`)

const listFires = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql<{ tick: string; status: string; partition: string }>`SELECT scheduled_for AS tick, status, ${
      sql.onDialectOrElse({ pg: () => sql.literal("tableoid::regclass::text"), orElse: () => sql.literal("''") })
    } AS partition FROM schedule_fires ORDER BY scheduled_for, status`
)

const partitions = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ name: string }>`SELECT inhrelid::regclass::text AS name FROM pg_inherits ORDER BY name`
)

describe.each(engines)("retention of fires on %s", (engine) => {
  const database = FireRetention.layer.pipe(
    Layer.provideMerge(Database.layerServer),
    Layer.provideMerge(settingsOn(engine, { scheduleFiresRetentionDays: 2 }))
  )

  it.live("old fires go, except those without an outcome; partitions are created ahead and dropped", () =>
    Effect.gen(function*() {
      const retention = yield* FireRetention
      const now = yield* Timestamp.now
      const daysAgo = (days: number) => Timestamp.addSeconds(now, -days * Timestamp.secondsPerDay)
      yield* insertFire(daysAgo(9), "acked_success") // before any partition: in the default one
      yield* insertFire(daysAgo(9), "delivered")
      yield* retention.prepare
      yield* insertFire(now, "acked_success")
      yield* retention.sweep()
      const kept = yield* listFires
      assert.deepStrictEqual(kept.map(({ status, tick }) => [tick, status]), [
        [daysAgo(9), "delivered"],
        [now, "acked_success"]
      ])
      if (engine === "SQLite") return
      const today = `schedule_fires_${now.slice(0, 10).replaceAll("-", "")}`
      assert.strictEqual(kept[1]?.partition, today)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf((yield* partitions).filter(({ name }) => /^schedule_fires_\d{8}$/.test(name)), 15)
      for (const [day, status] of [[5, "acked_success"], [6, "buffered"]] as const) {
        const [from, to] = [daysAgo(day), daysAgo(day - 1)].map((at) => at.slice(0, 10))
        const name = `schedule_fires_${from?.replaceAll("-", "")}`
        yield* sql.unsafe(
          `CREATE TABLE ${name} PARTITION OF schedule_fires FOR VALUES FROM ('${from}') TO ('${to}')`
        )
        yield* insertFire(daysAgo(day), status)
      }
      yield* retention.sweep()
      assert.deepStrictEqual((yield* listFires).map(({ status }) => status), ["delivered", "buffered", "acked_success"])
      assert.lengthOf((yield* partitions).filter(({ name }) => /^schedule_fires_\d{8}$/.test(name)), 16)
      yield* retention.prepare // again: nothing to create
    }).pipe(Effect.provide(database), Effect.orDie))
})
