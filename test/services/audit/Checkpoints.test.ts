import { FileSystem } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, HashMap, Layer, Logger, LogLevel, Option, Redacted, Stream } from "effect"
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { checkCheckpoints } from "../../../src/services/audit/CheckpointCheck.ts"
import { Checkpoints } from "../../../src/services/audit/Checkpoints.ts"
import { CheckpointSinks } from "../../../src/services/audit/CheckpointSinks.ts"
import { LogContradicted } from "../../../src/services/audit/CommittedHead.ts"
import { exportHead } from "../../../src/services/audit/ExportHead.ts"
import { cleanUpFork } from "../../../src/services/audit/ForkCleanup.ts"
import { compareHead } from "../../../src/services/audit/KnownHead.ts"
import { pruneAudit } from "../../../src/services/audit/Prune.ts"
import { Loops } from "../../../src/services/kernel/concurrency/Loops.ts"
import { Keys } from "../../../src/services/kernel/keys/Keys.ts"
import { Metrics } from "../../../src/services/kernel/Metrics.ts"
import { Settings } from "../../../src/services/kernel/Settings.ts"
import { engines, settingsOn, temporaryHome } from "../../databases.ts"
import { until } from "../../until.ts"
import { auditLog } from "./layer.ts"
import { anotherProcess, append, auditOn, later, rollBack, truncateLog, verification } from "./world.ts"

const sign = (ending = false) => Effect.flatMap(Checkpoints, (checkpoints) => checkpoints.sign(ending))
const file = Effect.map(Checkpoints, ({ path }) => path)
const lines = Effect.map(file, (path) => readFileSync(path, "utf8").trimEnd().split("\n"))

const check = (texts: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const { auditSigning: { trusted } } = yield* Keys
    return yield* checkCheckpoints(yield* SqlClient.SqlClient, Stream.fromIterable(texts), yield* verification, trusted)
  })
const kinds = (texts: ReadonlyArray<string>) =>
  Effect.map(check(texts), ({ problems }) => problems.map(({ kind, line }) => `${kind} ${line}`))

describe.each(engines)("checkpoints of the audit log on %s", (engine) => {
  layer(auditOn(engine, { auditCheckpointRows: 10, auditCheckpointInterval: 60 }), { excludeTestServices: true })(
    (it) => {
      it.effect("are signed when there are enough rows, or after a while, and never for nothing", () =>
        Effect.gen(function*() {
          assert.isNull(yield* sign(), "the log is empty")
          yield* append(3)
          assert.isNotNull(yield* sign(), "the first one")
          assert.isNull(yield* sign(true), "nothing new")
          yield* append(9)
          assert.isNull(yield* sign(), "too few, too soon")
          yield* append(1)
          assert.isNotNull(yield* sign(), "ten rows")
          yield* append(1)
          assert.isNull(yield* later(58)(sign()))
          assert.isNotNull(yield* later(61)(sign()), "a minute")
          yield* append(1)
          assert.isNotNull(yield* later(-3600)(sign()), "the clock was set back")
          yield* append(1)
          assert.isNull(yield* later(-3600)(sign()), "and continues from there")
          assert.isNotNull(yield* sign(true), "the end")
          assert.deepStrictEqual(
            (yield* lines).map((line) => JSON.parse(line)).map(({ number, rows, seq }) => [number, seq, rows]),
            [[1, 3, 3], [2, 13, 13], [3, 14, 14], [4, 15, 15], [5, 16, 16]]
          )
          assert.deepInclude(yield* check(yield* lines), { confirmed: 5, pruned: 0, upTo: 16, problemCount: 0 })
        }))

      it.effect("that were taken out, moved, changed, or signed by others show", () =>
        Effect.gen(function*() {
          const [one = "", two = "", three = "", four = ""] = yield* lines
          assert.deepStrictEqual(yield* kinds([one, three, four]), ["missing 2"])
          assert.deepStrictEqual(yield* kinds([one, three, two, four]), ["missing 2", "reordered 3"])
          assert.deepStrictEqual(yield* kinds([one, two.replace(`"seq":13`, `"seq":12`), three, four]), [
            "forged 2",
            "missing 3"
          ])
          assert.deepStrictEqual(yield* kinds([one, two, "{}", three, four]), ["malformed 3"])
          assert.deepStrictEqual(yield* kinds([one, one, two]), [], "repeated")
          assert.deepInclude(yield* check([three, four]), { beginsLater: 1, problemCount: 0, confirmed: 2 })
          const theirs = two.replace(/"key_id":"\w+"/, `"key_id":"0123456789abcdef"`)
          assert.deepStrictEqual(yield* kinds([one, theirs]), ["key unknown 2"])
        }))

      it.effect("show that the log was truncated, or rewritten, with all that is in the database", () =>
        Effect.gen(function*() {
          const all = yield* lines
          const truncated = yield* rollBack(Effect.zipRight(truncateLog(13), Effect.all([kinds(all), verification])))
          assert.deepStrictEqual(truncated?.[0], ["cut 3", "cut 4", "cut 5"])
          assert.isNull(truncated?.[1].problem, "the database alone does not show it")
          const rewriteLog = Effect.zipRight(truncateLog(12), Effect.provide(append(6), anotherProcess()))
          const rewritten = yield* rollBack(Effect.zipRight(rewriteLog, Effect.all([kinds(all), verification])))
          assert.deepStrictEqual(rewritten?.[0], [
            "contradicted 2",
            "contradicted 3",
            "contradicted 4",
            "contradicted 5"
          ])
          assert.isNull(rewritten?.[1].problem)
        }))

      it.effect("of rows that were pruned, also after the verification, are neither confirmed nor contradicted", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const { auditSigning: { trusted } } = yield* Keys
          const before = yield* verification
          const known = yield* Effect.flatMap(Keys, exportHead)
          yield* pruneAudit(({ seq }) => seq <= 13)
          assert.deepInclude(
            yield* checkCheckpoints(sql, Stream.fromIterable(yield* lines), before, trusted),
            { confirmed: 4, pruned: 1, problemCount: 0 }
          )
          assert.strictEqual((yield* compareHead(sql, known, before, trusted)).result, "CURRENT_MATCH")
          const third = { ...before, head: { ...before.head, seq: 99 } } // as if the log had been longer
          yield* rollBack(Effect.zipRight(
            pruneAudit(({ seq }) => seq <= 16),
            Effect.gen(function*() {
              assert.strictEqual((yield* compareHead(sql, known, third, trusted)).result, "PRUNE_MATCH")
            })
          ))
          assert.deepInclude(yield* check(yield* lines), { confirmed: 4, pruned: 1, problemCount: 0 })
          yield* sign(true)
          assert.strictEqual(JSON.parse((yield* lines)[5] ?? "").rows, 4)
        }))

      it.effect("continue after a crash in the middle of a line", () =>
        Effect.gen(function*() {
          const before = yield* lines
          writeFileSync(yield* file, `${before.join("\n")}\n${before[0]?.slice(0, 100)}`)
          yield* append(1)
          yield* sign(true)
          assert.deepStrictEqual((yield* lines).slice(0, -1), before)
          assert.deepStrictEqual(yield* kinds(yield* lines), [])
        }))

      it.effect("are not signed for a row that we did not write", () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const before = yield* lines
          const hash = "ab".repeat(32)
          yield* append(1)
          const [row] = yield* sql<{ row_hash: string; row_hmac: string }>`SELECT row_hash, row_hmac FROM audit_head`
          const put = (row_hash: string) =>
            Effect.zipRight(
              sql`UPDATE audit_log SET row_hash = ${row_hash} WHERE seq = (SELECT seq FROM audit_head)`,
              sql`UPDATE audit_head SET row_hash = ${row_hash} WHERE id = 1`
            )
          yield* put(hash)
          assert.instanceOf(yield* Effect.flip(sign(true)), LogContradicted)
          yield* put(row?.row_hash ?? "")
          assert.deepStrictEqual(yield* lines, before)
        }))

      it.effect("stop when the log is a copy of an older one, until an operator accepts the loss", () =>
        Effect.gen(function*() {
          yield* sign(true)
          const { head } = yield* verification
          assert.isNull(yield* cleanUpFork, "nothing to clean up")
          yield* truncateLog(head.seq - 1)
          const error = yield* Effect.flip(sign())
          assert.include(String(error), "it was cut")
          const path = yield* file
          const aside = yield* cleanUpFork
          assert.isTrue(existsSync(aside ?? ""))
          assert.isFalse(existsSync(path))
          assert.isNotNull(yield* sign())
          const found = yield* verification
          assert.isNull(found.problem)
          assert.deepStrictEqual(yield* kinds(yield* lines), [])
        }))
    }
  )
})

/** A receiver that takes what is posted while `works`, and its URL. */
const receiver = Effect.gen(function*() {
  const state = { works: true, received: new Array<string>(), refused: 0 }
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      if (state.works) state.received.push(Buffer.concat(chunks).toString())
      else state.refused++
      response.writeHead(state.works ? 204 : 500).end()
    })
  })
  yield* Effect.acquireRelease(
    Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => server.close())
  )
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return { state, url: `http://127.0.0.1:${port}/checkpoints` }
})

describe.each(engines)("checkpoints on %s", (engine) => {
  it.scopedLive("go to every sink, in order and once, whatever fails, restarts or sends besides", () =>
    Effect.gen(function*() {
      const { state, url } = yield* receiver
      const home = yield* temporaryHome
      const printed: Array<unknown> = []
      const quiet = Layer.merge(
        Logger.minimumLogLevel(LogLevel.Error),
        Logger.replace(
          Logger.defaultLogger,
          Logger.make(({ annotations }) => {
            const checkpoint = Option.getOrUndefined(HashMap.get(annotations, "checkpoint"))
            if (checkpoint !== undefined) printed.push(checkpoint)
          })
        )
      )
      const second = join(home, "second.jsonl")
      const context = settingsOn(engine, {
        auditCheckpointSinks: [second, "stdout"],
        auditCheckpointWebhookUrls: Redacted.make(url),
        webhookAllowHttp: true,
        auditWebhookAllowCidrs: ["127.0.0.1:*"]
      })
      yield* Effect.gen(function*() {
        const settings = yield* Settings
        const brain = Layer.build(Layer.fresh(CheckpointSinks.layer.pipe(
          Layer.provideMerge(auditLog),
          Layer.provide(Layer.succeed(Settings, settings))
        )))
        const deliver = Effect.flatMap(
          CheckpointSinks,
          ({ all }) => Effect.forEach(all, ({ deliver }) => Effect.either(deliver))
        )
        const metric = (name: string) =>
          Effect.flatMap(
            Metrics,
            ({ registry }) => Effect.promise(() => registry.getSingleMetricAsString(`svc_audit_checkpoints_${name}`))
          )
        const news = Effect.zipRight(append(1), sign(true))

        const one = yield* brain
        const own = Effect.provide(lines, one)
        yield* Effect.provide(Effect.zipRight(news, deliver), one)
        state.works = false
        yield* Effect.provide(Effect.zipRight(Effect.zipRight(news, deliver), Effect.zipRight(news, deliver)), one)
        assert.deepStrictEqual(state.received, (yield* own).slice(0, 1))
        assert.strictEqual(state.refused, 2, "it does not get the second while it refuses the first")
        assert.deepStrictEqual(readFileSync(second, "utf8"), `${(yield* own).join("\n")}\n`)
        assert.include(yield* Effect.provide(metric("waiting"), one), "{sink=\"webhook 1\"} 2")
        assert.include(yield* Effect.provide(metric("waiting"), one), "{sink=\"file 1\"} 0")

        state.works = true
        const others = engine === "PostgreSQL" ? [yield* brain, yield* brain] : [yield* brain]
        const all = yield* own
        const sending = (other: (typeof others)[number]) =>
          until(Effect.map(Effect.provide(deliver, other), () => state.received.length), (count) => count >= all.length)
        yield* Effect.forEach(others, sending, { concurrency: "unbounded" })
        yield* Effect.forEach(others, (other) => Effect.provide(deliver, other))
        assert.deepStrictEqual(state.received, yield* own)
        assert.deepStrictEqual(printed, yield* own, "whatever the log's level is")
        assert.deepStrictEqual(readFileSync(second, "utf8"), `${(yield* own).join("\n")}\n`)

        state.works = false
        yield* Effect.provide(Effect.zipRight(news, deliver), one)
        renameSync(yield* Effect.provide(file, one), join(home, "aside.jsonl"))
        const other = others[0]!
        yield* Effect.provide(news, other)
        state.works = true
        yield* Effect.provide(deliver, one)
        yield* Effect.provide(Effect.zipRight(news, deliver), other)
        assert.deepStrictEqual(state.received.slice(3), yield* own, "a stream is sent from its beginning")
        assert.include(yield* Effect.provide(metric("dropped_total"), one), "{sink=\"webhook 1\"} 1")
      }).pipe(Effect.provide(context), Effect.provide(quiet))
    }))

  it.scopedLive("have a position that a process which lost the lease cannot damage while the next one saves it", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      yield* Effect.gen(function*() {
        const settings = yield* Settings
        const fs = yield* FileSystem.FileSystem
        const brain = (files: Partial<FileSystem.FileSystem>) =>
          Layer.build(Layer.fresh(
            CheckpointSinks.layer.pipe(
              Layer.provide(Layer.succeed(FileSystem.FileSystem, { ...fs, ...files })),
              Layer.provideMerge(auditLog),
              Layer.provide(Layer.succeed(Settings, settings))
            )
          ))
        const deliver = Effect.flatMap(CheckpointSinks, ({ all }) => Effect.forEach(all, ({ deliver }) => deliver))
        const stopped = yield* Deferred.make<void>()
        const resume = yield* Deferred.make<void>()
        const saved: Array<unknown> = []

        const first = yield* brain({
          open: (path, options) =>
            path.includes(".sent-") && options?.flag === "w"
              ? Effect.zipRight(
                Effect.zipRight(Deferred.succeed(stopped, undefined), Deferred.await(resume)),
                Effect.zipRight(fs.open(path, options), Effect.die("killed before it wrote the position"))
              )
              : fs.open(path, options)
        })
        yield* Effect.provide(Effect.zipRight(append(1), sign(true)), first)
        const late = yield* Effect.fork(Effect.provide(deliver, first))
        yield* Deferred.await(stopped)
        yield* Effect.provide(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM leases`), first)

        const second = yield* brain({
          rename: (from, to) =>
            Effect.gen(function*() {
              yield* Deferred.succeed(resume, undefined)
              yield* Fiber.await(late)
              saved.push(JSON.parse(readFileSync(from, "utf8")).number)
              yield* fs.rename(from, to)
            })
        })
        yield* Effect.provide(deliver, second)
        assert.deepStrictEqual(saved, [0, 1])
        assert.deepStrictEqual(
          readdirSync(home).filter((name) => name.includes(".sent-") && name.includes(".new")),
          [],
          "no temporary file remains"
        )
      }).pipe(Effect.provide(settingsOn(engine, { home, auditCheckpointSinks: [join(home, "second.jsonl")] })))
    }))

  it.scopedLive("that a sink does not take show in the health of their loop, and go there at the end", () =>
    Effect.gen(function*() {
      const { state, url } = yield* receiver
      const context = settingsOn(engine, {
        auditCheckpointWebhookUrls: Redacted.make(url),
        webhookAllowHttp: true,
        auditWebhookAllowCidrs: ["127.0.0.1:*"]
      })
      yield* Effect.gen(function*() {
        const settings = yield* Settings
        const brain = Layer.build(Layer.fresh(Checkpoints.layerLoop.pipe(
          Layer.provideMerge(auditLog),
          Layer.provide(Layer.succeed(Settings, settings))
        )))
        state.works = false
        const all = yield* Effect.scoped(Effect.gen(function*() {
          const one = yield* brain
          const error = Effect.provide(Effect.flatMap(Loops, ({ state }) => state), one).pipe(
            Effect.map((loops) => loops.find(({ name }) => name === "audit checkpoints: webhook 1")?.error ?? null)
          )
          yield* Effect.provide(append(1), one)
          yield* until(error, (text) => text?.includes("it answered 500") === true)
          state.works = true
          yield* until(error, (text) => text === null)
          yield* Effect.provide(append(1), one)
          return yield* Effect.provide(file, one)
        }))
        assert.lengthOf(state.received, 2)
        assert.deepStrictEqual(state.received, readFileSync(all, "utf8").trimEnd().split("\n"))
      }).pipe(Effect.provide(context))
    }))
})
