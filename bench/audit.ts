import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import { createHmac, createSecretKey, randomUUID } from "node:crypto"
import { system } from "../src/domain/kernel/Actor.ts"
import { ProjectId } from "../src/domain/kernel/Id.ts"
import { Audit } from "../src/services/audit/Audit.ts"
import type { StoredRow } from "../src/services/audit/ChainWriter.ts"
import { readSlice } from "../src/services/audit/StoredRows.ts"
import { verifyLog } from "../src/services/audit/Verify.ts"
import { yieldToEventLoop } from "../src/services/kernel/concurrency/EventLoop.ts"
import { Keys } from "../src/services/kernel/keys/Keys.ts"
import { Reader } from "../src/services/kernel/sql/Database.ts"
import { auditLog } from "../test/services/audit/layer.ts"
import { barePostgres, bareSqlite } from "./audit/bare.ts"
import { databaseAndNumbersOf, report } from "./run.ts"
import { freshHome, settingsIn } from "./services.ts"

/**
 * The audit log: transactions of one row each a second, one writer on SQLite and four on PostgreSQL, in turns with bare
 * inserts, which take the same lock and write the same row to a twin of the table without chaining it: by the same
 * client (`share`: what the chain costs) and by the driver alone (`driverShare`); at 1000 rows and at `rows`. Then the verification of all rows beside reading them and making one HMAC of each.
 * Prints one line of JSON. `npx vite-node bench/audit.ts sqlite|postgresql [rows=5000000] [appends=4000]`
 */
const { appends, database, rows } = databaseAndNumbersOf("audit", { rows: 5_000_000, appends: 4000 })
const writers = database === "postgresql" ? 4 : 1
const rounds = 10
const batch = 5000

const entryOf = (n: number) => ({
  actor: system("bench"),
  entry: {
    action: "task.failed",
    target_type: "task",
    target_id: `celery/${n}`,
    project_id: ProjectId.make("01900000-0000-7000-8000-0000000000f1"),
    metadata: {
      name: "shop.checkout",
      queue: "default",
      worker: "celery@worker-1",
      exception: `ValueError: no such customer ${n}`
    }
  }
})

const timed = (work: () => Promise<unknown>) =>
  Effect.promise(async () => {
    const begun = performance.now()
    await work()
    return (performance.now() - begun) / 1000
  })

const repeated = (count: number, work: (n: number) => Promise<unknown>) => async () => {
  let next = 0
  await Promise.all(Array.from({ length: writers }, async () => {
    while (next < count) await work(next++)
  }))
}

/** Not the resident set: SQLite's reader maps the file into it. */
const heapBytes = (): number => {
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}

const rounded = (value: number) => Number(value.toFixed(2))

const measure = Effect.gen(function*() {
  const home = yield* freshHome(database)
  const world = auditLog.pipe(Layer.provideMerge(settingsIn(home)))

  return yield* Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const audit = yield* Audit
    const keys = yield* Keys
    const runtime = yield* Effect.runtime<never>()
    const run = <A, E>(work: Effect.Effect<A, E>) => Effect.runPromise(Effect.provide(work, runtime))
    const bare = yield* Effect.acquireRelease(
      Effect.sync(() => (home.url === null ? bareSqlite(home.file) : barePostgres(home.url, writers))),
      (bare) => Effect.promise(bare.end)
    )

    let appended = 0
    let seq = 1_000_000_000
    const fill = (until: number) =>
      Effect.gen(function*() {
        while (appended < until) {
          const entries = Array.from({ length: Math.min(batch, until - appended) }, () => entryOf(appended++))
          yield* sql.withTransaction(audit.recordAll(entries))
        }
        yield* Effect.promise(bare.copy)
      })

    /** The statements of an append: two on PostgreSQL, where each is a way to the server and back, three on SQLite. */
    const insert = ({ row_hash, row_hmac, seq, ...row }: StoredRow) => {
      const inserting = sql`INSERT INTO bare_log ${sql.insert({ ...row, seq, row_hash, row_hmac })}`
      const advancing =
        sql`UPDATE bare_head SET seq = ${seq}, row_hash = ${row_hash}, row_hmac = ${row_hmac} WHERE id = 1`
      const head = sql.literal("SELECT seq, row_hash, row_hmac, key_id FROM bare_head WHERE id = 1")
      return sql.withTransaction(sql.onDialectOrElse({
        pg: () => Effect.zipRight(sql`${head} FOR UPDATE`, sql`WITH appended AS (${inserting}) ${advancing}`),
        orElse: () => Effect.zipRight(Effect.zipRight(sql`${head}`, inserting), advancing)
      }))
    }

    const compare = Effect.gen(function*() {
      const spent = { ours: 0, bare: 0, driver: 0 }
      for (let round = 0; round < rounds; round++) {
        const count = appends / rounds
        const ours = yield* timed(
          repeated(count, () => run(sql.withTransaction(audit.recordAll([entryOf(appended++)]))))
        )
        const [row] = yield* sql<StoredRow>`SELECT * FROM audit_log ORDER BY seq DESC LIMIT 1`
        const twin = () => ({ ...row!, id: randomUUID(), seq: seq++ })
        spent.ours += ours
        spent.bare += yield* timed(repeated(count, () => run(insert(twin()))))
        spent.driver += yield* timed(repeated(count, () => bare.append(twin())))
      }
      return {
        appendsPerSecond: Math.round(appends / spent.ours),
        barePerSecond: Math.round(appends / spent.bare),
        driverPerSecond: Math.round(appends / spent.driver),
        share: rounded(spent.bare / spent.ours),
        driverShare: rounded(spent.driver / spent.ours)
      }
    })

    const verifying = Effect.gen(function*() {
      let peak = 0
      const key = createSecretKey(Buffer.alloc(32, 1))
      const afterSlice = Effect.sync(() => {
        peak = Math.max(peak, heapBytes())
      })
      const reading = Effect.gen(function*() {
        let seq = 0
        while (true) {
          const found = yield* readSlice(read, seq, Number.MAX_SAFE_INTEGER)
          for (const row of found) createHmac("sha256", key).update(JSON.stringify(row)).digest("hex")
          const last = found[found.length - 1]
          if (last === undefined) return
          seq = last.seq
          yield* yieldToEventLoop
        }
      })
      const before = heapBytes()
      const bareSeconds = yield* timed(() => run(reading))
      let count = 0
      const seconds = yield* timed(async () => {
        const found = Option.getOrThrow(await run(verifyLog(read, keys, { afterSlice: () => afterSlice })))
        if (found.problem !== null) throw new Error(found.problem.detail)
        count = found.rows
      })
      return {
        verifiedPerSecond: Math.round(count / seconds),
        readAndHmacPerSecond: Math.round(count / bareSeconds),
        verifyShare: rounded(bareSeconds / seconds),
        heapMegabytes: { before: Math.round(before / 1e6), most: Math.round(peak / 1e6) }
      }
    })

    yield* fill(1000)
    yield* compare // warms up
    const small = yield* compare
    yield* fill(rows)
    const large = yield* compare
    return {
      bench: "audit",
      database,
      rows,
      writers,
      at1000: small,
      atRows: large,
      ofSmall: rounded(large.appendsPerSecond / small.appendsPerSecond),
      bareOfSmall: rounded(large.barePerSecond / small.barePerSecond),
      ...yield* verifying
    }
  }).pipe(Effect.provide(world))
})

report(measure)
