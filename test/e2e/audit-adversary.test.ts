import { FileSystem } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Cause, type Clock, Duration, Effect, Exit, Layer, Option, Redacted } from "effect"
import { execFile } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { checkpointLeaseName } from "../../src/services/audit/CheckpointFile.ts"
import { exportHead } from "../../src/services/audit/ExportHead.ts"
import { exportAndDeleteFrozen } from "../../src/services/audit/FrozenRows.ts"
import { deleteVerified, verifyOldest } from "../../src/services/audit/Prune.ts"
import { activateChainKey, retireChainKey, stageChainKey } from "../../src/services/audit/Rotation.ts"
import { verifyLog } from "../../src/services/audit/Verify.ts"
import { Keys } from "../../src/services/kernel/keys/Keys.ts"
import { Settings } from "../../src/services/kernel/Settings.ts"
import { engines, settingsOn, temporaryHome } from "../databases.ts"
import { auditLog } from "../services/audit/layer.ts"
import { anotherProcess, later } from "../services/audit/world.ts"
import { until } from "../until.ts"
import { adversary, hmacBy, ownKey, relinked, statementBy, type Tables } from "./audit/adversary.ts"
import { before, claimed, type Copies, edited, tamperings, upTo, watermark, withRetired } from "./audit/tamperings.ts"
import {
  alone,
  append,
  checkpointsIn,
  examined,
  means,
  onTampered,
  person,
  program,
  prune,
  sign,
  World,
  worldOn
} from "./audit/world.ts"

/** Why something was refused. */
const refusal = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.map(Effect.flip(Effect.sandbox(work)), Cause.pretty)

/** Whatever waits for a time waits for a moment only. */
const impatient = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.clock, (clock) =>
    Effect.withClock(
      work,
      Object.assign(Object.create(clock) as Clock.Clock, { // the rest is the clock's own
        sleep: () => clock.sleep(Duration.millis(300))
      })
    ))

/** So many microseconds after a time. */
const after = (time: string, micros: number) =>
  Timestamp.addSeconds(Timestamp.parse(time) ?? Timestamp.fromEpochMicros(0), micros / 1_000_000)

/** What docs/audit.md says to put the head right with. */
const repair = /```sql\n(INSERT INTO audit_head[^]*?)```/.exec(readFileSync("docs/audit.md", "utf8"))?.[1] ?? ""

describe.each(engines)("an audit log on %s that an attacker changed", (engine) => {
  layer(worldOn(engine), { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.effect("is whole before", () =>
      Effect.gen(function*() {
        const { knownHead, printed, shown } = yield* means
        assert.deepStrictEqual([...shown, knownHead], ["ok", "ok", "ok", "CURRENT_PRUNE_MATCH"])
        assert.include(printed, "Not verified: who wrote the 4 rows since")
      }))

    it.effect("shows a column that was changed, whichever it is", () =>
      Effect.gen(function*() {
        const { now } = yield* World
        const columns = Object.keys(now.audit_log[0] ?? {}).filter((column) => column !== "seq")
        assert.lengthOf(columns, 18)
        const otherEnd = (text: string) => text.replace(/.$/, (last) => (last === "0" ? "1" : "0"))
        for (const column of columns) {
          const before = String(now.audit_log.find(({ seq }) => seq === 15)?.[column])
          const value = /^[0-9a-f-]{16,}$/.test(before) ? otherEnd(before) : `${before} `
          const { shown } = yield* onTampered(() => edited(15, { [column]: value })(now), means)
          const seen = [column === "key_id" ? "key_unknown" : "changed", "ok", "broken"]
          assert.deepStrictEqual([column, ...shown], [column, ...seen])
        }
      }))

    it.effect.each(tamperings)("$what", ({ shows, tamper }) =>
      Effect.gen(function*() {
        const running = yield* Layer.build(
          anotherProcess({ auditCheckpointFile: join(yield* temporaryHome, "checkpoints.jsonl") })
        )
        yield* Effect.provide(sign, running) // it has seen row 34
        yield* onTampered(
          tamper,
          Effect.gen(function*() {
            const { printed, shown } = yield* means
            const written = yield* Effect.exit(Effect.provide(append(1), running))
            assert.deepStrictEqual([...shown, Exit.isSuccess(written) ? "writes" : "refuses"], [...shows], printed)
          })
        )
      }).pipe(Effect.scoped))

    it.effect("shows rows removed after the last checkpoint only where a head was kept", () =>
      Effect.gen(function*() {
        const { head, path } = yield* World
        yield* onTampered(
          ({ now }) => relinked(upTo(31)(now)),
          Effect.gen(function*() {
            assert.deepInclude(yield* means, { shown: ["ok", "ok", "ok"], knownHead: "INVALID" })
            assert.include((yield* alone(checkpointsIn(path))).printed, "Not verified: whether later rows were cut off")
            assert.strictEqual((yield* alone([...checkpointsIn(path), head])).findings, 1)
          })
        )
      }))

    it.effect("does not show an empty log without checkpoints", () =>
      onTampered(
        ({ now }) => relinked({ ...now, audit_log: [], audit_watermark: [] }),
        Effect.map(alone([]), ({ findings, printed }) => {
          assert.strictEqual(findings, 0)
          assert.include(printed, "no checkpoint covers these rows")
        })
      ))

    it.effect("shows an old copy that was written on", () =>
      onTampered(
        ({ older }) => older,
        Effect.gen(function*() {
          const { path } = yield* World
          const checkpoints = readFileSync(path)
          yield* Effect.provide(append(20), anotherProcess())
          assert.deepStrictEqual((yield* means).shown, ["ok", "contradicted", "broken"])
          assert.include(yield* refusal(sign), "LogContradicted")
          writeFileSync(path, checkpoints) // without the evidence of row 34, which is not what the others are about
        })
      ))

    it.effect("gets no row after a forged one, which would prove it", () =>
      Effect.gen(function*() {
        const forgeries = [
          edited(32, { action: "x" }),
          (tables: Tables) => withRetired(claimed(31, 34)(edited(32, { action: "x" })(tables))),
          (tables: Tables) => withRetired(claimed(7, 34)(tables))
        ]
        for (const forgery of forgeries) {
          yield* onTampered(
            ({ now }) => relinked(forgery(now)),
            Effect.gen(function*() {
              assert.include(yield* refusal(append(1)), "its HMAC is not ours")
              assert.include(yield* refusal(sign), "was not written by us")
              assert.include(yield* refusal(Effect.flatMap(Keys, exportHead)), "was not written by us")
              assert.include(yield* refusal(prune(1000)), "run svc audit verify for details")
              assert.notStrictEqual((yield* means).shown[0], "ok")
            })
          )
        }
      }))

    it.scoped("gets no second row of one number when a brain creates the deleted head again", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const settings = yield* Settings
        const restarted = Layer.build(Layer.fresh(auditLog.pipe(Layer.provideMerge(Layer.succeed(Settings, settings)))))
        yield* onTampered(
          ({ now }) => ({ ...now, audit_head: [] }),
          Effect.gen(function*() {
            const other = yield* restarted
            assert.include(yield* refusal(Effect.provide(append(1), other)), "row 34 is there")
            assert.strictEqual((yield* means).shown[0], "head")
            yield* sql.unsafe(repair)
            yield* Effect.provide(append(1), other)
            assert.deepStrictEqual((yield* means).shown, ["ok", "ok", "ok"])
          })
        )
        yield* onTampered(
          ({ now }) => relinked(edited(34, { action: "x" })(now)),
          Effect.gen(function*() {
            yield* sql.unsafe(repair)
            assert.include(yield* refusal(append(1)), "its HMAC is not ours", "of no row that is not")
          })
        )
      }))

    it.effect("gets no signature for what only audit_head or the watermark's number says", () =>
      Effect.gen(function*() {
        const { now } = yield* World
        const { row_hash } = relinked(edited(32, { action: "x" })(now)).audit_head[0] ?? {}
        const head = now.audit_head.map((row) => ({ ...row, row_hash: row_hash ?? null }))
        assert.include(yield* onTampered(() => ({ ...now, audit_head: head }), refusal(sign)), "was not written by us")
        const raiseWatermark = ({ older }: Copies): Tables => ({
          ...older,
          audit_watermark: watermark(now, (statement) => JSON.stringify(statement), 1000).audit_watermark
        })
        assert.include(yield* onTampered(raiseWatermark, refusal(Effect.zipRight(append(20), sign))), "LogContradicted")
      }))

    it.scoped("gives no row a time of theirs, neither in audit_head nor in the newest row", () =>
      Effect.gen(function*() {
        const { now } = yield* World
        const settings = yield* Settings
        const anHourBehind = later(-3600)
        const restarted = Layer.build(Layer.fresh(auditLog.pipe(Layer.provideMerge(Layer.succeed(Settings, settings)))))
        const times = Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql<{ occurred_at: string }>`SELECT occurred_at FROM audit_log WHERE seq >= 34 ORDER BY seq`
        )
        const headWithTime = (occurred_at: string | null) => now.audit_head.map((row) => ({ ...row, occurred_at }))
        const newest = now.audit_log.at(-1)?.occurred_at
        for (const theirs of ["2999-01-01T00:00:00.000000Z", "2000-01-01T00:00:00.000000Z", null]) {
          yield* onTampered(
            () => ({ ...now, audit_head: headWithTime(theirs) }),
            Effect.gen(function*() {
              assert.deepStrictEqual((yield* means).shown, ["head", "ok", "broken"])
              const other = yield* restarted
              yield* anHourBehind(Effect.provide(append(1), other))
              yield* anHourBehind(append(1))
              const [before, ...rows] = yield* times
              assert.strictEqual(before?.occurred_at, newest)
              const expected = [1, 2].map((n) => after(String(newest), n))
              assert.deepStrictEqual(rows.map(({ occurred_at }) => occurred_at), expected)
              assert.deepStrictEqual((yield* means).shown, ["ok", "ok", "ok"])
            })
          )
        }
        const forged = edited(34, { occurred_at: "2999-01-01T00:00:00.000000Z" })(now)
        yield* onTampered(
          () => ({ ...forged, audit_head: headWithTime("2999-01-01T00:00:00.000000Z") }),
          Effect.gen(function*() {
            yield* Effect.provide(append(1), yield* restarted)
            assert.isBelow(Number((yield* times)[1]?.occurred_at.slice(0, 4)), 2999)
            assert.deepStrictEqual((yield* means).shown, ["changed", "ok", "broken"])
          })
        )
      }))

    it.effect("is not pruned by a date of theirs", () =>
      Effect.gen(function*() {
        const { now } = yield* World
        const old = edited(15, { occurred_at: "2000-01-01T00:00:00.000000Z" })
        yield* onTampered(
          () => old(now),
          Effect.gen(function*() {
            assert.include(yield* refusal(prune(15)), "no audit rows are pruned")
            assert.deepStrictEqual((yield* means).shown, ["changed", "ok", "broken"])
          })
        )
      }))

    it.effect("is not pruned of rows that no row of ours proves, nor of rows before the watermark", () =>
      Effect.gen(function*() {
        const { they } = yield* World
        const path = join((yield* Settings).home, "frozen.jsonl")
        const unproven = ({ now }: Copies) => withRetired(relinked(claimed(7, 20)(edited(10, { action: "x" })(now))))
        const freeze = Effect.asVoid(exportAndDeleteFrozen(path))
        const ways = [[unproven, prune(15)], [unproven, freeze], [before, prune(15)]] as const
        for (const [tampering, remove] of ways) {
          yield* onTampered(
            tampering,
            Effect.gen(function*() {
              const unchanged = yield* Effect.promise(they.read)
              assert.include(yield* refusal(remove), "log does not verify")
              assert.deepStrictEqual(yield* Effect.promise(they.read), unchanged)
            })
          )
        }
        assert.isFalse(existsSync(path))
      }))

    it.effect("loses no other rows than those that were verified", () =>
      Effect.gen(function*() {
        const { now, they } = yield* World
        const ends = yield* verifyOldest(({ seq }) => seq <= 15)
        const forged = edited(10, { action: "x" })(now)
        for (const other of [forged, relinked(withRetired(claimed(7, 20)(forged)))]) {
          yield* onTampered(
            () => other,
            Effect.gen(function*() {
              assert.include(yield* refusal(deleteVerified(ends)), "does not verify")
              assert.deepStrictEqual(yield* Effect.promise(they.read), other)
            })
          )
        }
        yield* onTampered(
          () => now,
          Effect.gen(function*() {
            yield* Effect.all([deleteVerified(ends), deleteVerified(ends)], { concurrency: "unbounded" })
            assert.deepStrictEqual((yield* means).shown, ["ok", "ok", "ok"])
            assert.lengthOf((yield* Effect.promise(they.read)).audit_log, 34 - 15 + 1, "one row audit.pruned")
          })
        )
      }))

    it.effect("is not proven by the checkpoints of another brain, nor by some of ours", () =>
      Effect.gen(function*() {
        const { path } = yield* World
        const ours = checkpointsIn(path)
        const { key_id, privateKey, public_key } = ownKey()
        const theirs = ours.map((line) =>
          statementBy(privateKey, { ...JSON.parse(line), key_id, signature: undefined })
        )
        assert.include((yield* alone(theirs)).printed, "no --public-key belongs to the key that signed it")
        const foreign = theirs.slice(0, 1).map((line) =>
          statementBy(privateKey, { ...JSON.parse(line), row_hash: "ab".repeat(32), signature: undefined })
        )
        assert.include((yield* alone(foreign, [public_key])).printed, "had another row_hash")
        assert.include((yield* alone(ours.toSpliced(1, 1))).printed, "number 3 follows on 1")
        assert.include((yield* alone(ours.toReversed())).printed, "number 2 follows on 3")
        assert.include(
          (yield* alone(ours.map((line) => line.replace(/"rows":\d+/, "\"rows\":1")))).printed,
          "signature does not hold"
        )
        assert.deepInclude(yield* alone([...ours.slice(1), ...ours.slice(-1)]), { findings: 0 })
      }))

    if (engine === "SQLite") {
      it.effect("shows what only SQLite keeps: a character 0, bytes for text", () =>
        Effect.gen(function*() {
          const { now } = yield* World
          const agent = String(person.user_agent)
          for (const user_agent of [`${agent}\0`, agent.replace("\ufffd", "\0")]) {
            assert.deepStrictEqual((yield* onTampered(() => edited(15, { user_agent })(now), means)).shown, [
              "changed",
              "ok",
              "broken"
            ])
          }
          const blob = edited(15, { action: Buffer.from("project.updated") })
          const sql = yield* SqlClient.SqlClient
          const found = Option.getOrThrow(yield* onTampered(() => blob(now), verifyLog(sql, yield* Keys)))
          assert.strictEqual(found.problem?.kind, "changed")
        }))
    }

    it.effect("is verified by the program as it is started", () =>
      Effect.gen(function*() {
        const { path, they } = yield* World
        const { auditSigning: { signer } } = yield* Keys
        const run = (lines: ReadonlyArray<string>, ...options: ReadonlyArray<string>) =>
          Effect.promise(() =>
            new Promise<string>((resolve) => {
              const child = execFile(
                process.execPath,
                [program, "--checkpoints", path, ...options],
                (error, stdout) => resolve(`${error?.code ?? 0} ${stdout.trim().split("\n").at(-1)}`)
              )
              child.stdin?.end(lines.join("\n"))
            })
          )
        const lines = yield* Effect.promise(they.exported)
        const key = ["--public-key", `${signer.key_id} ${signer.public_key}`]
        const [first = "", , ...rows] = lines
        const { row_hash, row_hmac, seq } = JSON.parse(rows.at(-1) ?? "")
        const ended = { ...JSON.parse(JSON.parse(first).statement), row_hash, row_hmac, seq, signature: undefined }
        const frozen = [JSON.parse(first).statement, ...rows, statementBy(signer.private, ended)]
        const mismatched = [...rows.slice(0, -1), statementBy(signer.private, ended)]
        const outputs = yield* Effect.all([
          run(lines, ...key),
          run(lines.toSpliced(9, 1), ...key),
          run(lines),
          run(frozen, ...key),
          run([JSON.parse(first).statement, ...mismatched], ...key)
        ], { concurrency: 5 })
        const broken = "1 The log is broken: 1 finding."
        assert.deepStrictEqual(outputs, ["0 ok", broken, "2 ", "0 ok", broken])
      }))

    it.scoped("is not written by a brain with keys of its own, even when the tables are made to fit", () =>
      Effect.gen(function*() {
        const { now } = yield* World
        const settings = yield* Settings
        const key = (byte: number) => Redacted.make(Buffer.alloc(32, byte).toString("base64url"))
        const theirs = { ...settings, auditChainKey: key(1), auditSigningKey: key(2) }
        const other = Layer.build(Layer.fresh(auditLog.pipe(Layer.provideMerge(Layer.succeed(Settings, theirs)))))
        assert.include(yield* refusal(other), "is not the key this database was written with")
        // the ids of those keys, as docs/audit.md computes them
        const chain = "a9fdfc5c365f78a9"
        const signing = "b5fe32fe0f7970f1"
        const fitted: Tables = {
          ...now,
          audit_head: now.audit_head.map((row) => ({ ...row, key_id: chain })),
          audit_keys: now.audit_keys.map((row) => ({ ...row, key_id: row.purpose === "chain" ? chain : signing }))
        }
        yield* onTampered(
          () => fitted,
          Effect.gen(function*() {
            assert.include(yield* refusal(Effect.provide(append(1), yield* other)), "its HMAC is not ours")
            assert.include(yield* refusal(append(1)), "of this process does not have")
          })
        )
      }))

    if (engine === "PostgreSQL") {
      it.effect("cannot be kept from checkpoints in silence by a lock", () =>
        Effect.gen(function*() {
          const { path, they } = yield* World
          for (const table of ["audit_watermark", "leases"]) {
            const lock = `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`
            assert.include(yield* they.holding(lock)(impatient(refusal(sign))), "something holds a lock")
          }
          const sql = yield* SqlClient.SqlClient
          const name = yield* checkpointLeaseName(path)
          // the interrupted signature may still hold the lease, until it has given it up
          const takeLease = sql`INSERT INTO leases (name, holder, expires_at) VALUES (${name}, 'they', ${
            Date.now() + 8000
          }) ON CONFLICT DO NOTHING RETURNING name`
          yield* until(takeLease, (rows) => rows.length === 1)
          assert.include(yield* impatient(refusal(sign)), "the lease of the checkpoint file")
          yield* sql`DELETE FROM leases WHERE holder = 'they'`
        }))
    }
  })
})

describe.each(engines)("an audit log on %s whose former key leaked, was retired and is gone", (engine) => {
  layer(settingsOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("shows what an attacker writes with that key, old copies, and rows moved into a file", () =>
      Effect.gen(function*() {
        const settings = yield* Settings
        const keyFile = join(settings.home, "audit-chain.key")
        const brain = Layer.build(Layer.fresh(auditLog.pipe(Layer.provideMerge(Layer.succeed(Settings, settings)))))
        const one = yield* brain
        const they = yield* adversary
        const read = Effect.promise(they.read)
        yield* Effect.provide(append(5), one)
        const before = yield* read
        const leaked = Buffer.from(readFileSync(keyFile, "utf8").trim(), "base64url")
        const activated = yield* Effect.provide(Effect.zipRight(stageChainKey, activateChainKey), one)
        yield* Effect.provide(Effect.zipRight(append(3), retireChainKey(activated?.from ?? "", false)), one)
        writeFileSync(keyFile, readFileSync(keyFile, "utf8").trim().split("\n")[1] ?? "")
        const now = yield* read
        const two = yield* brain
        const kind = Effect.provide(
          Effect.flatMap(
            Effect.all([SqlClient.SqlClient, Keys]),
            ([sql, keys]) => Effect.map(verifyLog(sql, keys), (found) => Option.getOrThrow(found).problem?.kind ?? "ok")
          ),
          two
        )
        const former = activated?.from ?? null
        const by = (tables: Tables) =>
          relinked(tables, (hash, prev, row) => (row.key_id === former ? hmacBy(leaked)(hash, prev) : undefined))
        const headBy = (key_id: string | null) => (tables: Tables): Tables => ({
          ...tables,
          audit_head: tables.audit_head.map((row) => ({ ...row, key_id }))
        })
        const another = { ...now.audit_log.at(-1), id: "01900000-0000-7000-8000-0000000000e1", key_id: former }
        const more = { ...now, audit_log: [...now.audit_log, another] }
        const attacks: ReadonlyArray<readonly [Tables, verify: string, write: string]> = [
          [now, "ok", ""],
          [before, "key_unknown", "of this process does not have"],
          [headBy(activated?.to ?? null)(before), "key_unknown", "its HMAC is not ours"],
          [by(edited(3, { action: "x" })(now)), "changed", "its HMAC is not ours"],
          [by(upTo(6)(now)), "key_unknown", "its HMAC is not ours"],
          [by(more), "key_unknown", "its HMAC is not ours"],
          [{ ...by(more), audit_keys: before.audit_keys }, "key_unknown", "its HMAC is not ours"]
        ]
        for (const [index, [tables, verify, write]] of attacks.entries()) {
          yield* Effect.promise(() => they.write(tables))
          assert.strictEqual(yield* kind, verify, String(index))
          if (write !== "") assert.include(yield* refusal(Effect.provide(append(1), two)), write, String(index))
        }

        yield* Effect.promise(() => they.write(now))
        const path = join(settings.home, "frozen.jsonl")
        const meanwhile = Effect.map(FileSystem.FileSystem, (fs) => ({
          ...fs,
          open: (...given: Parameters<typeof fs.open>) =>
            Effect.zipRight(Effect.orDie(Effect.provide(prune(2), two)), fs.open(...given))
        }))
        const hindered = Effect.provideServiceEffect(exportAndDeleteFrozen(path), FileSystem.FileSystem, meanwhile)
        assert.include(yield* refusal(Effect.provide(hindered, two)), "another process pruned audit rows")
        assert.isFalse(existsSync(path))
        assert.strictEqual(yield* Effect.provide(exportAndDeleteFrozen(path), two), 4)
        assert.strictEqual(yield* kind, "ok")
        const frozen = checkpointsIn(path)
        const findings = (rows: ReadonlyArray<string>) =>
          Effect.map(Effect.provide(examined([], rows), two), ({ findings }) => findings)
        assert.strictEqual(yield* findings(frozen), 0)
        assert.isAbove(yield* findings(frozen.map((line) => line.replace("\"n\\\":3", "\"n\\\":9"))), 0)
        assert.isAbove(yield* findings(frozen.toSpliced(2, 1)), 0)
        const left = yield* read
        const back = [...now.audit_log.slice(0, 6), ...left.audit_log]
        yield* Effect.promise(() => they.write({ ...left, audit_watermark: [], audit_log: back }))
        assert.strictEqual(yield* kind, "watermark")
      }))
  })
})
