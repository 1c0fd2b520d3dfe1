import { FileSystem } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { Cause, Deferred, Effect, Either, Fiber, Layer, Redacted } from "effect"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Checkpoints } from "../../../src/services/audit/Checkpoints.ts"
import { exportAndDeleteFrozen } from "../../../src/services/audit/FrozenRows.ts"
import { pruneAudit } from "../../../src/services/audit/Prune.ts"
import { resealWatermark } from "../../../src/services/audit/ResealWatermark.ts"
import {
  activateChainKey,
  retireChainKey,
  RotationRefused,
  stageChainKey
} from "../../../src/services/audit/Rotation.ts"
import { Keys } from "../../../src/services/kernel/keys/Keys.ts"
import { publicKeyOf } from "../../../src/services/kernel/keys/SigningKeys.ts"
import { Settings, type SettingsShape } from "../../../src/services/kernel/Settings.ts"
import { engines, settingsOn } from "../../databases.ts"
import { until } from "../../until.ts"
import { auditLog } from "./layer.ts"
import { append, verification } from "./world.ts"

/** Another process over the same database, with these settings besides. */
const replica = (overrides: Partial<SettingsShape> = {}) =>
  Effect.gen(function*() {
    const settings = { ...yield* Settings, ...overrides }
    return yield* Layer.build(Layer.fresh(auditLog.pipe(Layer.provideMerge(Layer.succeed(Settings, settings)))))
  })

/** What an effect that does not succeed has to say. */
const refusal = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(Effect.sandbox(work)), (cause) => Cause.pretty(cause))

const keyFile = Effect.map(Settings, ({ home }) => join(home, "audit-chain.key"))
const keysInFile = Effect.map(keyFile, (file) => readFileSync(file, "utf8").trim().split("\n"))
const recordKeys = Effect.flatMap(Checkpoints, ({ recordSigningKeys }) => recordSigningKeys)
const key = (byte: number) => Buffer.alloc(32, byte).toString("base64url")
const actions = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<
      { action: string; key_id: string }
    >`SELECT action, key_id FROM audit_log WHERE action LIKE 'audit.%' ORDER BY seq`,
    (rows) => rows
  ))

describe.each(engines)("the keys of the chain on %s", (engine) => {
  layer(settingsOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("change while replicas write, are retired, and their rows are moved into a file", () =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const { home } = yield* Settings
        const [one, two] = [yield* replica(), yield* replica()]
        yield* Effect.provide(append(5), one)
        const [first] = yield* Effect.provide(actions, one).pipe(
          Effect.zipRight(Effect.provide(Keys, one)),
          Effect.map(({ auditChain }) => auditChain.all())
        )
        assert.isDefined(first)

        const second = yield* Effect.provide(stageChainKey, one)
        assert.lengthOf(yield* keysInFile, 2)
        assert.strictEqual((yield* fs.stat(yield* keyFile)).mode & 0o777, 0o600)
        assert.instanceOf(yield* Effect.flip(Effect.provide(stageChainKey, one)), RotationRefused)
        yield* Effect.all([
          Effect.provide(Effect.repeatN(append(1), 9), one),
          Effect.provide(Effect.repeatN(append(1), 9), two),
          Effect.provide(activateChainKey, one)
        ], { concurrency: "unbounded" })
        yield* Effect.provide(append(2), two)
        assert.strictEqual(yield* Effect.provide(activateChainKey, two), null, "nothing is staged")
        const found = yield* Effect.provide(verification, two)
        assert.deepInclude(found, { rows: 29, problem: null, sealed: 0 })
        const recordedActions = yield* Effect.provide(actions, one)
        assert.deepStrictEqual(recordedActions, [
          { action: "audit.key_staged", key_id: first.key_id },
          { action: "audit.key_rotated", key_id: second }
        ])

        const early = yield* Effect.flip(Effect.provide(retireChainKey(second, false), one))
        assert.include(early.message, "is active")
        yield* Effect.provide(retireChainKey(first.key_id, false), one)
        yield* fs.writeFileString(yield* keyFile, (yield* keysInFile)[1] ?? "")
        const without = yield* replica()
        const sealed = yield* Effect.provide(verification, without)
        assert.deepInclude(sealed, { rows: 30, problem: null })
        assert.isAtLeast(sealed.sealed, 6)
        const changed = Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`UPDATE audit_log SET metadata = '{}' WHERE seq = 2`
        )
        const back = Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`UPDATE audit_log SET metadata = '{"by":"test","n":1}' WHERE seq = 2`
        )
        yield* Effect.provide(changed, without)
        assert.deepInclude((yield* Effect.provide(verification, without)).problem, { kind: "changed", seq: 2 })
        yield* Effect.provide(back, without)

        const path = join(home, "frozen.jsonl")
        const moved = yield* Effect.provide(exportAndDeleteFrozen(path), without)
        assert.strictEqual(moved, sealed.sealed)
        const lines = readFileSync(path, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line))
        assert.strictEqual(lines.length, moved + 1)
        assert.deepInclude(lines[moved], { kind: "watermark", seq: moved, row_hash: lines[moved - 1].row_hash })
        const rest = yield* Effect.provide(verification, without)
        assert.deepInclude(rest, { problem: null, sealed: 0 })
        assert.strictEqual(rest.begin.seq, moved)
        const [pruned] = yield* Effect.provide(
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) => sql<{ metadata: string }>`SELECT metadata FROM audit_log WHERE action = 'audit.pruned'`
          ),
          without
        )
        assert.deepInclude(JSON.parse(pruned?.metadata ?? ""), {
          archive: "frozen.jsonl",
          archive_sha256: createHash("sha256").update(readFileSync(path)).digest("hex")
        })
        assert.strictEqual(yield* Effect.provide(exportAndDeleteFrozen(join(home, "again.jsonl")), without), 0)
      }))

    it.scoped("change once when two change them at the same time", () =>
      Effect.gen(function*() {
        const one = yield* replica()
        // a wait for SQLite's lock blocks the whole process
        const replicas = [one, engine === "PostgreSQL" ? yield* replica() : one]
        const both = <A, E, R>(work: Effect.Effect<A, E, R>) =>
          Effect.forEach(replicas, (process) => Effect.either(Effect.provide(work, process)), {
            concurrency: "unbounded"
          })
        const before = (yield* keysInFile).length
        const staged = yield* both(stageChainKey)
        const [lost] = staged.flatMap((one) => (Either.isLeft(one) ? [one.left] : []))
        const [won] = staged.flatMap((one) => (Either.isRight(one) ? [one.right] : []))
        assert.include(lost instanceof RotationRefused ? lost.message : lost, `the key ${won} is staged already`)
        assert.lengthOf(yield* keysInFile, before + 1)
        const activated = (yield* both(activateChainKey)).map((one) => Either.getOrThrow(one))
        assert.sameMembers(activated.map((one) => one?.to), [won, undefined])
        const former = activated.find((one) => one !== null)?.from ?? ""
        const ended = (yield* both(retireChainKey(former, false))).map((one) =>
          Either.isLeft(one) && one.left instanceof RotationRefused ? one.left.message : "retired"
        )
        assert.sameMembers(ended, ["retired", `the key ${former} is retired already`])
        const recordedActions = (yield* Effect.provide(actions, one)).map(({ action }) => action)
        assert.deepStrictEqual(recordedActions.slice(-3), [
          "audit.key_staged",
          "audit.key_rotated",
          "audit.key_retired"
        ])
        assert.deepInclude(yield* Effect.provide(verification, one), { problem: null })
      }))
  })
})

describe("the keys of the chain from the environment", () => {
  it.scopedLive("are staged when they were set, and a replica without the new one does not write", () =>
    Effect.gen(function*() {
      const old = yield* replica({ auditChainKey: Redacted.make(key(1)) })
      assert.include((yield* Effect.flip(Effect.provide(stageChainKey, old))).message, "add one to it")
      const both = yield* replica({ auditChainKey: Redacted.make(`${key(1)},${key(2)}`) })
      yield* Effect.provide(Effect.zipRight(append(1), Effect.zipRight(stageChainKey, activateChainKey)), both)
      assert.include(
        yield* refusal(Effect.provide(append(1), old)),
        "which SVC_AUDIT_CHAIN_KEY of this process does not have"
      )
      assert.strictEqual((yield* Effect.provide(verification, both)).problem, null)
      assert.include(
        yield* refusal(replica({ auditChainKey: Redacted.make(key(1)) })),
        "SVC_AUDIT_CHAIN_KEY is not the key"
      )
      const [former] = (yield* Effect.provide(Keys, old)).auditChain.all()
      const lone = yield* replica({ auditChainKey: Redacted.make(key(2)) })
      assert.strictEqual((yield* Effect.provide(verification, lone)).problem?.kind, "key_unknown")
      assert.include(
        (yield* Effect.flip(Effect.provide(retireChainKey(former!.key_id, false), lone))).message,
        "--lost"
      )
      yield* Effect.provide(retireChainKey(former!.key_id, true), lone)
      assert.deepInclude(yield* Effect.provide(verification, lone), { problem: null, sealed: 2 })
    }).pipe(Effect.provide(settingsOn("SQLite"))))

  it.scopedLive("of checkpoints: another one is refused, a new one beside the old is taken, and seals the watermark again", () =>
    Effect.gen(function*() {
      const first = yield* replica({ auditSigningKey: Redacted.make(key(1)) })
      const prune = pruneAudit(({ seq }) => seq <= 2)
      yield* Effect.provide(Effect.zipRight(append(3), prune), first)
      assert.include(
        yield* refusal(replica({ auditSigningKey: Redacted.make(key(2)) })),
        "SVC_AUDIT_SIGNING_KEY is not the key"
      )
      const both = yield* replica({ auditSigningKey: Redacted.make(`${key(2)} ${key(1)}`) })
      yield* Effect.provide(recordKeys, both)
      assert.deepStrictEqual((yield* Effect.provide(actions, both)).map(({ action }) => action), [
        "audit.pruned",
        "audit.signing_key_added"
      ])
      const second = yield* replica({ auditSigningKey: Redacted.make(key(2)) })
      assert.strictEqual((yield* Effect.provide(verification, second)).problem?.kind, "watermark")
      yield* Effect.provide(resealWatermark([]), second)
      assert.deepInclude(yield* Effect.provide(verification, second), { problem: null })
      assert.strictEqual(yield* Effect.provide(resealWatermark([]), second), null)

      const spoil = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`UPDATE audit_watermark SET statement = replace(statement, '"seq":2', '"seq":1') WHERE id = 1`
      )
      yield* Effect.provide(spoil, second)
      const old = publicKeyOf((yield* Effect.provide(Keys, first)).auditSigning.signer.public_key)
      assert.include((yield* Effect.flip(Effect.provide(resealWatermark([old!]), second))).message, "wrong")
    }).pipe(Effect.provide(settingsOn("SQLite"))))
})

describe("the watermark on PostgreSQL", () => {
  it.scopedLive("is not set back to what it was before rows were pruned", () =>
    Effect.gen(function*() {
      const first = yield* replica({ auditSigningKey: Redacted.make(key(1)) })
      const both = yield* replica({ auditSigningKey: Redacted.make(`${key(2)} ${key(1)}`) })
      const prune = (upTo: number, before: Effect.Effect<unknown>) =>
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          sql.withTransaction(Effect.zipRight(pruneAudit(({ seq }) => seq <= upTo), before)))
      yield* Effect.provide(Effect.zipRight(append(5), prune(2, Effect.void)), first)
      const [pruned, committed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const pruning = yield* Effect.fork(
        Effect.provide(prune(4, Effect.zipRight(Deferred.succeed(pruned, undefined), Deferred.await(committed))), first)
      )
      yield* Deferred.await(pruned)
      const resealing = yield* Effect.fork(Effect.flip(Effect.provide(resealWatermark([]), both)))
      const waiting = Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`SELECT 1 FROM pg_locks WHERE locktype = 'relation' AND NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
      yield* until(Effect.provide(waiting, both), (rows) =>
        rows.length > 0)
      yield* Deferred.succeed(committed, undefined)
      yield* Fiber.join(pruning)
      assert.include((yield* Fiber.join(resealing)).message, "run the command again")
      yield* Effect.provide(resealWatermark([]), both)
      assert.deepInclude(
        yield* Effect.provide(verification, both),
        { problem: null, rows: 4 },
        "5, two of pruning, and that of the seal"
      )
    }).pipe(Effect.provide(settingsOn("PostgreSQL"))))
})
