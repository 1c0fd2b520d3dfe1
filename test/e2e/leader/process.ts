import { NodeRuntime } from "@effect/platform-node"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Redacted } from "effect"
import { makePostgres } from "../../../src/layers/Postgres.ts"
import { Leader, Lease } from "../../../src/services/kernel/concurrency/Leader.ts"
import { Reader } from "../../../src/services/kernel/sql/Database.ts"

// A replica that writes a row whenever it leads: node process.mjs <PostgreSQL URL> <name>
const [, , url = "", name = ""] = process.argv
const report = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))

const clients = Layer.unwrapScoped(
  Effect.map(
    makePostgres(Redacted.make(url), 4),
    ({ sql }) => Layer.merge(Layer.succeed(SqlClient.SqlClient, sql), Layer.succeed(Reader, sql))
  )
)

const replica = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const leader = yield* Leader
  const write = Effect.flatMap(Lease, ({ fence, withTransaction }) =>
    withTransaction(Effect.zipRight(
      sql`INSERT INTO writes (replica, fence) VALUES (${name}, ${fence})`,
      sql`SELECT 1 FROM gates WHERE replica = ${name} FOR UPDATE` // waits within the transaction while the test closes the gate
    )))
  const lead = Effect.zipRight(report("leads"), Effect.forever(Effect.delay(write, "20 millis")))
  yield* leader.only("test", lead, { duration: "6 seconds" }).pipe(
    Effect.tap(Option.match({ onNone: () => Effect.sleep("100 millis"), onSome: () => Effect.void })),
    Effect.catchTag("LeaseLost", () => report("lost")),
    Effect.forever
  )
})

NodeRuntime.runMain(replica.pipe(Effect.provide(Leader.layer), Effect.provide(clients)))
