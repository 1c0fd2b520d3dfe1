import { FileSystem } from "@effect/platform"
import { SqlClient, SqlError } from "@effect/sql"
import { Data, Effect, Layer, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { acquireFileLock, isFileLockHeld } from "./FileLock.ts"
import { Database } from "./sql/Database.ts"
import { databaseMillis } from "./sql/Dialect.ts"
import { lockSchema } from "./sql/Migrations.ts"

/** A brain runs on the database, so it must not be replaced, wiped or taken back. */
export class BrainRunning extends Data.TaggedError("BrainRunning")<{
  /** Host and process id of each brain; empty for a SQLite file, whose lock names no holder. */
  readonly holders: ReadonlyArray<string>
  readonly redactedUrl: string
}> {
  override get message() {
    const [where, wait] = this.holders.length === 0
      ? ["A brain runs", ""]
      : [
        `Brains run (${this.holders.join(", ")})`,
        ` A brain that was killed counts for ${millisUntilGone / 1000} seconds more.`
      ]
    return `${where} on ${this.redactedUrl}, and this needs the database alone. Stop every brain and run it again.${wait}`
  }
}

/** The beginning of the name of a brain's row in `leases`. */
const namePrefix = "brain "

/** How long a brain that was killed, or lost its connection, still counts as running. */
const millisUntilGone = 20_000
const renewEvery = "5 seconds"

/**
 * Shows on PostgreSQL that this brain runs, by a row of `leases` that it renews. SQLite needs none: a brain locks the file.
 * A row works behind a pooler that hands each transaction to another connection, where an advisory lock of a connection
 * would be lost or stay.
 */
export const layer = Layer.scopedDiscard(Effect.gen(function*() {
  const { dialect } = yield* Database
  if (dialect === "sqlite") return
  const sql = yield* SqlClient.SqlClient
  const now = databaseMillis(sql)
  const name = namePrefix + randomUUID()
  const holder = `${hostname()}:${process.pid}`
  const insert = Effect.asVoid(
    sql`INSERT INTO leases (name, holder, expires_at) VALUES (${name}, ${holder}, ${now} + ${millisUntilGone})
    ON CONFLICT (name) DO NOTHING`
  )
  const renew = Effect.flatMap(
    sql`UPDATE leases SET expires_at = ${now} + ${millisUntilGone} WHERE name = ${name} RETURNING 1`,
    (rows) => (rows.length > 0 ? Effect.void : insert) // a lease that had expired may have been deleted
  )
  const deleteExpired =
    sql`DELETE FROM leases WHERE name LIKE ${`${namePrefix}%`} AND expires_at < ${now} - ${millisUntilGone}`
  yield* sql.withTransaction(Effect.all([lockSchema(sql), deleteExpired, insert], { discard: true }))
  yield* renew.pipe(
    Effect.retry(Schedule.spaced("1 second")),
    Effect.delay(renewEvery),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() =>
    sql`DELETE FROM leases WHERE name = ${name}`.pipe(
      Effect.interruptible,
      Effect.timeoutOption("2 seconds"),
      Effect.ignore // the row expires
    )
  )
}))

/** Host and process id of each brain on PostgreSQL. */
const listHolders = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ known: boolean }>`SELECT to_regclass('leases') IS NOT NULL AS known`
  if (table?.known !== true) return [] // before the migration that creates it, no brain of this program has run
  const rows = yield* sql<{ holder: string }>`
    SELECT holder FROM leases WHERE name LIKE ${`${namePrefix}%`} AND expires_at > ${
    databaseMillis(sql)
  } ORDER BY holder`
  return rows.map(({ holder }) => holder)
})

const requireNone = Effect.gen(function*() {
  const { redactedUrl } = yield* Database
  const holders = yield* listHolders
  if (holders.length > 0) return yield* new BrainRunning({ holders, redactedUrl })
})

/** One file may have several names. */
const lockFileOf = (file: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.realPath(file)).pipe(
    Effect.mapBoth({
      onSuccess: (path) => `${path}.lock`,
      onFailure: (cause) => new SqlError.SqlError({ cause, message: `cannot open the SQLite file ${file}` })
    })
  )

/**
 * Whether a brain runs on the database, and the host and process id of each on PostgreSQL. On SQLite this is also true
 * while a command that needs the file alone runs. Changes nothing.
 */
export const findRunningBrains = Effect.gen(function*() {
  const { sqlite } = yield* Database
  if (sqlite === null) {
    const holders = yield* listHolders
    return { isServed: holders.length > 0, holders }
  }
  const isServed = sqlite.file === ":memory:" ? false : yield* Effect.flatMap(lockFileOf(sqlite.file), isFileLockHeld)
  return { isServed, holders: [] }
})

/**
 * Runs `body` while no brain runs on the database and none can start; fails with BrainRunning when one runs.
 *
 * - SQLite: `body` runs under the lock of the file that a brain holds, and begins its transactions itself. A brain that
 *   starts during the work is refused.
 * - PostgreSQL: `body` runs in one transaction under the lock of the migrations, which each brain takes at its start. A
 *   brain that starts during the work waits for the end of that transaction.
 */
export const whileNoBrainRuns = <A, E, R>(
  body: Effect.Effect<A, E, R>
): Effect.Effect<
  A,
  E | BrainRunning | SqlError.SqlError,
  R | SqlClient.SqlClient | Database | FileSystem.FileSystem
> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { redactedUrl, sqlite } = yield* Database
    if (sqlite === null) {
      return yield* sql.withTransaction(Effect.zipRight(Effect.zipRight(lockSchema(sql), requireNone), body))
    }
    if (sqlite.file === ":memory:") return yield* body
    const lock = Effect.catchTag(
      acquireFileLock(yield* lockFileOf(sqlite.file)),
      "LockHeld",
      () => new BrainRunning({ holders: [], redactedUrl })
    )
    return yield* Effect.scoped(Effect.zipRight(lock, body))
  })
