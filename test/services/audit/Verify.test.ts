import { SqlClient, type SqlError } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { rowHash } from "../../../src/services/audit/Chain.ts"
import { auditColumnNames, type StoredRow } from "../../../src/services/audit/ChainWriter.ts"
import { exportHead } from "../../../src/services/audit/ExportHead.ts"
import { compareHead } from "../../../src/services/audit/KnownHead.ts"
import { pruneAudit, PruneRefused } from "../../../src/services/audit/Prune.ts"
import { Keys } from "../../../src/services/kernel/keys/Keys.ts"
import { engines } from "../../databases.ts"
import { append, auditOn, rollBack, verification } from "./world.ts"

type Tamper = (sql: SqlClient.SqlClient) => Effect.Effect<unknown, SqlError.SqlError>

/** What an attacker writes who has the database and no key: hashes as they should be, HMACs as they can. */
const forge = (sql: SqlClient.SqlClient, seq: number, after: number) =>
  Effect.gen(function*() {
    const [before] = yield* sql<StoredRow>`SELECT ${sql.literal(auditColumnNames)} FROM audit_log WHERE seq = ${after}`
    if (before === undefined) return yield* Effect.dieMessage("no such row")
    const row = { ...before, id: `01900000-0000-7000-8000-0000000000${10 + seq}`, seq, action: "forged.row" }
    const forged = {
      ...row,
      row_hash: rowHash(row, before.row_hash),
      prev_row_hmac: before.row_hmac,
      row_hmac: "ab".repeat(32)
    }
    yield* sql`INSERT INTO audit_log ${sql.insert(forged)}`
  })

/** Moves rows from `seq` on by `by`, around the unique index. */
const renumber = (sql: SqlClient.SqlClient, seq: number, by: number) =>
  Effect.zipRight(
    sql`UPDATE audit_log SET seq = -seq WHERE seq >= ${seq}`,
    sql`UPDATE audit_log SET seq = -seq + ${by} WHERE seq < 0`
  )

const swap = (sql: SqlClient.SqlClient, one: number, other: number) =>
  Effect.all([
    sql`UPDATE audit_log SET seq = -1 WHERE seq = ${one}`,
    sql`UPDATE audit_log SET seq = ${one} WHERE seq = ${other}`,
    sql`UPDATE audit_log SET seq = ${other} WHERE seq = -1`
  ])

const tamperings: ReadonlyArray<readonly [string, string, number, Tamper]> = [
  ["another column", "changed", 5, (sql) => sql`UPDATE audit_log SET metadata = '{}' WHERE seq = 5`],
  ["a null", "changed", 12, (sql) => sql`UPDATE audit_log SET target_id = NULL WHERE seq = 12`],
  [
    "a microsecond",
    "changed",
    1,
    (sql) =>
      sql`UPDATE audit_log SET occurred_at = substr(occurred_at, 1, 25) || CASE substr(occurred_at, 26, 1) WHEN '1' THEN '2' ELSE '1' END || 'Z' WHERE seq = 1`
  ],
  [
    "a row with its hash",
    "changed",
    5,
    (sql) => Effect.zipRight(sql`DELETE FROM audit_log WHERE seq = 5`, forge(sql, 5, 4))
  ],
  ["an HMAC", "changed", 5, (sql) => sql`UPDATE audit_log SET row_hmac = ${"0".repeat(64)} WHERE seq = 5`],
  ["a hash", "changed", 5, (sql) => sql`UPDATE audit_log SET row_hash = ${"0".repeat(64)} WHERE seq = 5`],
  [
    "what a row hangs on",
    "changed",
    5,
    (sql) => sql`UPDATE audit_log SET prev_row_hmac = ${"0".repeat(64)} WHERE seq = 5`
  ],
  ["a row taken out", "missing", 5, (sql) => sql`DELETE FROM audit_log WHERE seq = 5`],
  [
    "two taken out, the rest renumbered",
    "missing",
    5,
    (sql) => Effect.zipRight(sql`DELETE FROM audit_log WHERE seq IN (5, 6)`, renumber(sql, 7, -2))
  ],
  ["the beginning taken away", "missing", 1, (sql) => sql`DELETE FROM audit_log WHERE seq <= 3`],
  ["a row put in", "inserted", 5, (sql) => Effect.zipRight(renumber(sql, 5, 1), forge(sql, 5, 4))],
  ["a row put at the end", "inserted", 13, (sql) => forge(sql, 13, 12)],
  ["two neighbours swapped", "reordered", 5, (sql) => swap(sql, 5, 6)],
  ["two far ones swapped", "reordered", 3, (sql) => swap(sql, 3, 9)],
  ["a row moved to the end", "reordered", 5, (sql) => sql`UPDATE audit_log SET seq = 100 WHERE seq = 5`],
  ["the end truncated", "cut", 10, (sql) => sql`DELETE FROM audit_log WHERE seq >= 10`],
  ["all taken away", "cut", 1, (sql) => sql`DELETE FROM audit_log`],
  [
    "the head turned back",
    "head",
    12,
    (sql) =>
      sql`UPDATE audit_head SET seq = 11, row_hmac = (SELECT row_hmac FROM audit_log WHERE seq = 11) WHERE id = 1`
  ],
  [
    "another time in the head",
    "head",
    12,
    (sql) => sql`UPDATE audit_head SET occurred_at = '2999-01-01T00:00:00.000000Z'`
  ],
  [
    "another key named",
    "key_unknown",
    5,
    (sql) => sql`UPDATE audit_log SET key_id = '0123456789abcdef' WHERE seq >= 5`
  ],
  ["the keys of all rows called retired", "key_unknown", 12, (sql) =>
    Effect.all([
      sql`UPDATE audit_log SET key_id = '0123456789abcdef' WHERE seq >= 5`,
      sql`INSERT INTO audit_keys ${
        sql.insert({ key_id: "0123456789abcdef", purpose: "chain", state: "retired", public_key: null, created_at: "" })
      }`
    ])],
  ["a watermark of their own", "watermark", 4, (sql) =>
    Effect.zipRight(
      sql`DELETE FROM audit_log WHERE seq <= 3`,
      sql`INSERT INTO audit_watermark ${sql.insert({ id: 1, seq: 3, statement: `{"seq":3}` })}`
    )]
]

describe.each(engines)("verification of the audit log on %s", (engine) => {
  layer(Layer.tap(auditOn(engine), (context) => Effect.provide(append(12), context)), { excludeTestServices: true })(
    (it) => {
      it.effect("finds nothing wrong with an unchanged log", () =>
        Effect.map(verification, (found) => assert.deepInclude(found, { rows: 12, sealed: 0, problem: null })))

      it.effect.each(tamperings)("shows %s: %s at row %d", ([, kind, seq, tamper]) =>
        Effect.gen(function*() {
          const found = yield* rollBack(Effect.zipRight(Effect.flatMap(SqlClient.SqlClient, tamper), verification))
          assert.deepStrictEqual([found?.problem?.kind, found?.problem?.seq], [kind, seq], found?.problem?.detail)
          assert.strictEqual((yield* verification).problem, null)
        }))
    }
  )
})

describe.each(engines)("a head that was exported, on %s", (engine) => {
  const exported = Effect.flatMap(Keys, exportHead)
  const compare = (head: string) =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { auditSigning: { trusted } } = yield* Keys
      return (yield* compareHead(sql, head, yield* verification, trusted)).result
    })
  const pruneTo = (seq: number) => pruneAudit((row) => row.seq <= seq)

  layer(auditOn(engine), { excludeTestServices: true })((it) => {
    it.effect("is compared with the log as it is now", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* append(3)
        const third = yield* exported
        assert.strictEqual(yield* compare(third), "CURRENT_MATCH")
        assert.strictEqual(
          yield* rollBack(Effect.zipRight(
            Effect.zipRight(
              sql`DELETE FROM audit_log WHERE seq = 3`,
              sql`UPDATE audit_head SET (seq, row_hash, row_hmac, occurred_at) =
              (SELECT seq, row_hash, row_hmac, occurred_at FROM audit_log WHERE seq = 2) WHERE id = 1`
            ),
            compare(third)
          )),
          "INVALID",
          "the end was truncated with the head"
        )
        yield* append(1)
        const fourth = yield* exported
        assert.strictEqual(yield* compare(third), "VERIFIED_ANCESTOR")
        yield* pruneTo(3)
        assert.strictEqual(yield* compare(third), "PRUNE_MATCH")
        assert.strictEqual(yield* compare(fourth), "VERIFIED_ANCESTOR")
        assert.strictEqual(yield* compare(yield* exported), "CURRENT_PRUNE_MATCH")
        yield* pruneTo(4)
        assert.strictEqual(yield* compare(third), "UNPROVABLE")
        assert.strictEqual(yield* compare(fourth.replace(`"seq":4`, `"seq":5`)), "INVALID")
        assert.strictEqual(yield* compare("{}"), "INVALID")
        assert.strictEqual((yield* verification).begin.seq, 4)
      }))

    it.effect("does not let rows be pruned that do not verify", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* append(3)
        const { begin } = yield* verification
        const error = yield* rollBack(Effect.zipRight(
          sql`UPDATE audit_log SET metadata = '{"all":"well"}' WHERE seq = ${begin.seq + 2}`,
          Effect.flip(pruneTo(begin.seq + 3))
        ))
        assert.instanceOf(error, PruneRefused)
      }))
  })
})
