import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createHmac, type KeyObject } from "node:crypto"
import { system } from "../../../src/domain/kernel/Actor.ts"
import * as Brain from "../../../src/layers/Brain.ts"
import { Audit } from "../../../src/services/audit/Audit.ts"
import { CurrentActor } from "../../../src/services/kernel/CurrentActor.ts"
import { Keys } from "../../../src/services/kernel/keys/Keys.ts"
import { Settings } from "../../../src/services/kernel/Settings.ts"
import { brainOn } from "../../brain.ts"
import { engines, settingsOn } from "../../databases.ts"
import { hashOf, zeros } from "./form.ts"

interface Row {
  readonly seq: number
  readonly row_hash: string
  readonly prev_row_hmac: string
  readonly row_hmac: string
  readonly key_id: string
  readonly [column: string]: string | number | null
}

/** Like `hashOf`, without the code that writes the chain. */
const hmacOf = (key: KeyObject, prev: string, hash: string) =>
  createHmac("sha256", key).update(["svc audit chain 1", prev, hash].join("\n")).digest("hex")

/** Fails at the first row that is not chained to the one before it; returns their number. */
const verification = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { auditChain } = yield* Keys
  const rows = yield* sql<Row>`SELECT * FROM audit_log ORDER BY seq`
  let prev = { hash: zeros, hmac: zeros }
  rows.forEach((row, index) => {
    const key = auditChain.find(row.key_id)?.key
    assert.isDefined(key)
    assert.strictEqual(row.seq, index + 1)
    assert.strictEqual(row.row_hash, hashOf(prev.hash, row))
    assert.strictEqual(row.prev_row_hmac, prev.hmac)
    assert.strictEqual(row.row_hmac, hmacOf(key, prev.hmac, row.row_hash))
    prev = { hash: row.row_hash, hmac: row.row_hmac }
  })
  const [head] = yield* sql`SELECT seq, row_hash, row_hmac FROM audit_head`
  assert.deepStrictEqual(head, { seq: rows.length, row_hash: prev.hash, row_hmac: prev.hmac })
  return rows.length
})

const append = (name: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const audit = yield* Audit
    yield* sql.withTransaction(
      audit.record({ action: "test.done", target_type: "test", target_id: name, metadata: { name } })
    )
  }).pipe(Effect.provideService(CurrentActor, system("test")))

const times = (count: number, name: string) =>
  Effect.forEach(Array.from({ length: count }), (_, n) => append(`${name} ${n} "é`))

describe.each(engines)("the audit log on %s", (engine) => {
  layer(brainOn(engine), { excludeTestServices: true })((it) => {
    it.effect("is one chain when several write at the same time", () =>
      Effect.gen(function*() {
        yield* Effect.forEach(["a", "b", "c", "d"], (name) => times(25, name), { concurrency: "unbounded" })
        assert.strictEqual(yield* verification, 100)
      }))

    it.effect("has no row and no gap of what was rolled back", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const before = yield* verification
        const broken = sql.withTransaction(Effect.zipRight(append("undone"), Effect.fail("undo")))
        yield* Effect.all([Effect.flip(broken), times(3, "kept"), Effect.flip(broken)], { concurrency: "unbounded" })
        assert.strictEqual(yield* verification, before + 3)
      }))

    it.effect("hashes what the database keeps, whatever the characters", () =>
      Effect.gen(function*() {
        const before = yield* verification
        yield* append("half \ud83d and \0 and \u2028 \u{1F600} \x7f")
        assert.strictEqual(yield* verification, before + 1)
      }))

    it.effect("takes rows in a transaction only", () =>
      Effect.gen(function*() {
        const audit = yield* Audit
        const exit = yield* Effect.exit(audit.record({ action: "test.done", target_type: "test" }))
        assert.include(String(exit), "outside of a transaction")
      }).pipe(Effect.provideService(CurrentActor, system("test"))))
  })
})

describe("the audit log of two brains over one PostgreSQL", () => {
  layer(settingsOn("PostgreSQL"), { excludeTestServices: true })((it) => {
    it.scoped("is one chain", () =>
      Effect.gen(function*() {
        const settings = yield* Settings
        const brain = Layer.build(Layer.fresh(Brain.layer.pipe(Layer.provideMerge(Layer.succeed(Settings, settings)))))
        const [first, second] = [yield* brain, yield* brain]
        yield* Effect.forEach(
          ["a", "b", "c", "d"],
          (name) =>
            Effect.all([
              Effect.provide(times(15, `first ${name}`), first),
              Effect.provide(times(15, `second ${name}`), second)
            ], { concurrency: "unbounded" }),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(yield* Effect.provide(verification, second), 120)
      }))
  })
})
