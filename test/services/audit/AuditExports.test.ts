import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Logger } from "effect"
import type { ExportJobId } from "../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { AuditExportRunner } from "../../../src/services/audit/AuditExports/Runner.ts"
import { Leader, LeaseLost } from "../../../src/services/kernel/concurrency/Leader.ts"
import { appendAudit } from "../../audit.ts"
import { engines } from "../../databases.ts"
import { countChunks, insertExportJob, refuseChunkDeletion } from "../../exportJobs.ts"
import { bareProject, fileOf, jobOf, processOf } from "./ExportJobs/process.ts"
import { auditOn } from "./world.ts"

/** A project with so many rows of the log, in a database without a brain. */
const projectWith = (rows: number) =>
  Effect.gen(function*() {
    const id = yield* bareProject
    yield* appendAudit(
      Array.from({ length: rows }, (_, n) => ({
        action: "test.done",
        target_type: "test",
        target_id: String(n),
        project_id: id,
        metadata: { note: "x".repeat(200) }
      }))
    )
    return id
  })

const run = Effect.flatMap(AuditExportRunner, (runner) => runner.run).pipe(Effect.provide(AuditExportRunner.layer))
const prune = Effect.flatMap(AuditExportRunner, (runner) => runner.prune).pipe(Effect.provide(AuditExportRunner.layer))

const { runUntil, runWith } = processOf(run)

const chunks = (count: number) => Array.from({ length: count }, (_, n) => `chunk ${n}`)

describe.each(engines)("the writer of exports on %s", (engine) => {
  const world = Leader.layer.pipe(Layer.provideMerge(auditOn(engine)))
  layer(world, { excludeTestServices: true })((it) => {
    it.effect("changes nothing of its successor's file once it lost its lease, wherever it pauses", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const rows = 1500
        const project = yield* projectWith(rows)
        let transactions = 0
        yield* insertExportJob(project, { chunks: chunks(20) })
        yield* runWith(Effect.sync(() => transactions++))
        assert.isAtLeast(transactions, 6, "it begins, deletes the old chunks in two batches, writes two, and ends")

        for (let last = 1; last <= transactions; last++) {
          const id = yield* insertExportJob(project, { chunks: chunks(20) })
          let transaction = 0
          const succeed = Effect.gen(function*() {
            transaction++
            if (transaction !== last) return
            yield* sql`UPDATE leases SET expires_at = 1 WHERE name = 'audit exports'`
            yield* run
          })
          assert.instanceOf(yield* Effect.flip(runWith(succeed)), LeaseLost)
          const job = yield* jobOf(id)
          assert.deepInclude(job, { status: "completed", row_count: rows, error: null }, `at transaction ${last}`)
          const file = yield* fileOf(id)
          assert.strictEqual(Buffer.byteLength(file), job?.size_bytes)
          const exported: ReadonlyArray<{ readonly target_id: string }> = JSON.parse(file)
          assert.deepStrictEqual(
            exported.map(({ target_id }) => Number(target_id)),
            Array.from({ length: rows }, (_, n) => rows - 1 - n)
          )
        }
      }))

    it.effect("counts no attempt of a process that is stopped in order, wherever it is", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const project = yield* projectWith(1500)
        const id = yield* insertExportJob(project, { chunks: chunks(20), attempts: 2 })
        let stops = 0
        while (true) {
          yield* runUntil(stops + 1)
          const job = yield* jobOf(id)
          if (job?.status === "completed") break
          stops++
          assert.deepInclude(job, { status: "pending", attempts: 2, size_bytes: null }, `at transaction ${stops}`)
        }
        assert.isAtLeast(stops, 4, "as it begins, deletes the old chunks, and writes two")
        assert.deepInclude(yield* jobOf(id), { attempts: 3, row_count: 1500, error: null })

        const old = yield* insertExportJob(project, { chunks: [], attempts: 2 })
        yield* sql`UPDATE export_jobs SET created_at = ${
          Timestamp.addSeconds(yield* Timestamp.now, -Timestamp.secondsPerDay)
        } WHERE id = ${old}`
        yield* runUntil(2)
        assert.deepInclude(yield* jobOf(old), { status: "running", attempts: 3 }, "a day after its creation it counts")
        yield* run
        assert.deepInclude(yield* jobOf(old), { status: "failed" })
      }))

    it.effect("logs what ended an export also where the database then refuses to store it", () =>
      Effect.gen(function*() {
        const id = yield* insertExportJob(yield* projectWith(1), { chunks: [] })
        const logged: Array<string> = []
        const logger = Logger.make(({ cause }) => void logged.push(Cause.pretty(cause)))
        let transaction = 0
        const refuse = Effect.suspend(() =>
          ++transaction < 3 ? Effect.void : Effect.die(new Error(`refused ${transaction}`))
        )
        const ended = yield* Effect.flip(Effect.sandbox(runWith(refuse))).pipe(
          Effect.provide(Logger.replace(Logger.defaultLogger, logger))
        )
        assert.include(Cause.pretty(ended), "refused 4")
        assert.include(logged.join(), "refused 3")
        yield* run
        assert.deepInclude(yield* jobOf(id), { status: "completed" })
      }))

    it.effect("keeps no part of a file whose processes died three times", () =>
      Effect.gen(function*() {
        const id = yield* insertExportJob(yield* projectWith(1), { chunks: chunks(3), attempts: 3 })
        yield* run
        assert.deepInclude(yield* jobOf(id), { status: "failed", row_count: null, size_bytes: null })
        assert.strictEqual(yield* countChunks(id), 0)
      }))

    it.scoped("deletes large files in batches of 16 chunks", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const project = yield* projectWith(1)
        const leaves = (id: ExportJobId, work: typeof run | typeof prune) =>
          Effect.gen(function*() {
            yield* refuseChunkDeletion(id, 20)
            assert.isTrue(Exit.isFailure(yield* Effect.exit(work)))
            assert.strictEqual(yield* countChunks(id), 24)
          }).pipe(Effect.scoped)

        const begun = yield* insertExportJob(project, { chunks: chunks(40) })
        yield* leaves(begun, run)
        yield* run
        assert.deepInclude(yield* jobOf(begun), { status: "completed", attempts: 3 })

        const last = yield* insertExportJob(project, { chunks: chunks(40), attempts: 3 })
        yield* leaves(last, run)
        yield* run
        assert.deepInclude(yield* jobOf(last), { status: "failed" })

        const old = yield* insertExportJob(project, { chunks: chunks(40), status: "completed" })
        yield* sql`UPDATE export_jobs SET completed_at = '2020-01-01T00:00:00.000000Z' WHERE id = ${old}`
        yield* leaves(old, prune)
        yield* prune
        assert.isUndefined(yield* jobOf(old))
        assert.strictEqual(yield* countChunks(old), 0)
      }))
  })
})
