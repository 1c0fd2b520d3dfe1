import { SqlClient } from "@effect/sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import { system } from "../../src/domain/Actor.ts"
import * as Brain from "../../src/layers/Brain.ts"
import { Audit } from "../../src/services/Audit.ts"
import { rowHmac } from "../../src/services/Audit/Chain.ts"
import { CurrentActor } from "../../src/services/CurrentActor.ts"
import { Keys } from "../../src/services/Keys.ts"
import { Settings } from "../../src/services/Settings.ts"
import { brainOn } from "../brain.ts"
import { engines, settingsOn } from "../databases.ts"

interface Row {
  readonly seq: number
  readonly prev_row_hmac: string
  readonly row_hmac: string
  readonly [column: string]: string | number | null
}

const columns = [
  "action",
  "api_key_id",
  "event_id",
  "id",
  "metadata",
  "occurred_at",
  "outcome",
  "project_id",
  "result",
  "seq",
  "source_ip",
  "target_id",
  "target_type",
  "user_agent",
  "user_id"
]

/** docs/audit.md read literally, without the code that writes the chain. */
const hmacOf = (key: Buffer, prev: string, row: Row) => {
  const json = `{${columns.map((column) => `"${column}":${JSON.stringify(row[column])}`).join(",")}}`
  return createHmac("sha256", key).update(["svc audit 1", prev, json].join("\n")).digest("hex")
}

/** Fails at the first row that is not chained to the one before it; answers how many there are. */
const verified = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const key = Redacted.value((yield* Keys).auditChain)
  const rows = yield* sql<Row>`SELECT * FROM audit_log ORDER BY seq`
  let prev = "0".repeat(64)
  rows.forEach((row, index) => {
    assert.strictEqual(row.seq, index + 1)
    assert.strictEqual(row.prev_row_hmac, prev)
    assert.strictEqual(row.row_hmac, hmacOf(key, prev, row))
    prev = row.row_hmac
  })
  const [head] = yield* sql<{ seq: number; row_hmac: string }>`SELECT seq, row_hmac FROM audit_head`
  assert.deepStrictEqual(head, { seq: rows.length, row_hmac: prev })
  return rows.length
})

const append = (name: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const audit = yield* Audit
    yield* sql.withTransaction(audit.record({ action: "test.done", target_type: "test", target_id: name, metadata: { name } }))
  }).pipe(Effect.provideService(CurrentActor, system("test")))

const times = (count: number, name: string) => Effect.forEach(Array.from({ length: count }), (_, n) => append(`${name} ${n} "é`))

describe("the audit chain", () => {
  it("has the bytes that docs/audit.md gives", () => {
    const row = {
      id: "01900000-0000-7000-8000-000000000001",
      seq: 1,
      project_id: "01900000-0000-7000-8000-000000000002",
      user_id: "01900000-0000-7000-8000-000000000003",
      api_key_id: null,
      action: "project.created",
      target_type: "project",
      target_id: "01900000-0000-7000-8000-000000000002",
      result: "success",
      outcome: "allow",
      metadata: "{\"name\":\"Café \\\"Ω\\\"\"}",
      source_ip: "192.0.2.7",
      user_agent: null,
      event_id: null,
      occurred_at: "2026-11-21T12:00:00.000001Z"
    }
    const hmac = rowHmac(Buffer.from(Array.from({ length: 32 }, (_, n) => n)), row, "0".repeat(64))
    assert.strictEqual(hmac, "69ad0ff65b3c88ee1a28691879d97ef51829bf9cd1b4f46ccd26c68f5c9821f4")
    assert.include(readFileSync("docs/audit.md", "utf8"), hmac)
  })
})

describe.each(engines)("the audit log on %s", (engine) => {
  layer(brainOn(engine), { excludeTestServices: true })((it) => {
    it.effect("is one chain whoever writes at the same time", () =>
      Effect.gen(function*() {
        yield* Effect.forEach(["a", "b", "c", "d"], (name) => times(25, name), { concurrency: "unbounded" })
        assert.strictEqual(yield* verified, 100)
      }))

    it.effect("has no row and no gap of what was rolled back", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const before = yield* verified
        const broken = sql.withTransaction(Effect.zipRight(append("undone"), Effect.fail("undo")))
        yield* Effect.all([Effect.flip(broken), times(3, "kept"), Effect.flip(broken)], { concurrency: "unbounded" })
        assert.strictEqual(yield* verified, before + 3)
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
          (name) => Effect.all([
            Effect.provide(times(15, `first ${name}`), first),
            Effect.provide(times(15, `second ${name}`), second)
          ], { concurrency: "unbounded" }),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(yield* Effect.provide(verified, second), 120)
      }))
  })
})
