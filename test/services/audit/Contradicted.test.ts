import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Cause, Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Audit } from "../../../src/services/audit/Audit.ts"
import { Checkpoints } from "../../../src/services/audit/Checkpoints.ts"
import { LogContradicted } from "../../../src/services/audit/CommittedHead.ts"
import { cleanUpFork } from "../../../src/services/audit/ForkCleanup.ts"
import { engines, temporaryHome } from "../../databases.ts"
import { anotherProcess, append, auditOn, truncateLog, verification } from "./world.ts"

const sign = (ending = false) => Effect.flatMap(Checkpoints, (checkpoints) => checkpoints.sign(ending))

/** Why nothing was appended; an empty text when something was. */
const refusal = <E, R>(work: Effect.Effect<unknown, E, R>) =>
  Effect.map(Effect.exit(work), (exit) => (exit._tag === "Success" ? "" : Cause.pretty(exit.cause)))

const newest = Effect.map(verification, ({ head }) => head.seq)

describe.each(engines)("a log on %s that lacks rows that this process committed", (engine) => {
  layer(auditOn(engine), { excludeTestServices: true })((it) => {
    it.effect("gets no row: not when it was truncated after the last checkpoint, not when it has grown since", () =>
      Effect.gen(function*() {
        yield* append(5)
        yield* sign(true)
        yield* append(3)
        yield* truncateLog(5)
        assert.isNull((yield* verification).problem, "nothing in the database shows it")
        assert.include(
          yield* refusal(append(1)),
          "this brain committed row 8 of the audit log, and the log ends at row 5"
        )
        const elsewhere = anotherProcess({ auditCheckpointFile: join(yield* temporaryHome, "checkpoints.jsonl") })
        yield* Effect.provide(append(3), elsewhere)
        assert.include(yield* refusal(append(1)), "has another row 8")
        yield* Effect.provide(append(2), elsewhere)
        assert.include(yield* refusal(append(1)), "has another row 8")
        assert.strictEqual(yield* newest, 10)
      }).pipe(Effect.scoped))

    it.effect("is signed for no more, and the next process on this machine knows it too, until an operator decides", () =>
      Effect.gen(function*() {
        const { path } = yield* Checkpoints
        assert.instanceOf(yield* Effect.flip(sign()), LogContradicted)
        const last = JSON.parse(readFileSync(path, "utf8").trimEnd().split("\n").at(-1) ?? "")
        assert.deepInclude(last, { kind: "checkpoint", seq: 8 })
        assert.instanceOf(yield* Effect.flip(sign()), LogContradicted, "and again")

        const next = yield* Layer.build(anotherProcess())
        assert.instanceOf(yield* Effect.flip(Effect.provide(sign(), next)), LogContradicted)
        assert.include(yield* refusal(Effect.provide(append(1), next)), "checkpoint 2 was signed for row 8")

        assert.isString(yield* Effect.provide(cleanUpFork, anotherProcess()))
        yield* Effect.provide(sign(), next)
        yield* sign()
        yield* append(1)
        yield* Effect.provide(append(1), next)
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<{ metadata: string }>`SELECT metadata FROM audit_log WHERE action = 'audit.forked'`
        assert.deepInclude(JSON.parse(row?.metadata ?? ""), { seq: 8, number: 2 })
        assert.isNull((yield* verification).problem)
      }).pipe(Effect.scoped))

    it.effect("is written to again once it is as it was", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* append(2)
        const seq = yield* newest
        const [head] = yield* sql`SELECT * FROM audit_head`
        const [row] = yield* sql`SELECT * FROM audit_log WHERE seq = ${seq}`
        yield* truncateLog(seq - 1)
        assert.instanceOf(yield* Effect.flip(sign()), LogContradicted)
        assert.include(yield* refusal(append(1)), `this brain committed row ${seq}`)
        yield* sql`INSERT INTO audit_log ${sql.insert({ ...row })}`
        yield* sql`UPDATE audit_head SET ${sql.update({ ...head }, ["id"])}`
        yield* sign()
        yield* append(1)
        assert.strictEqual(yield* newest, seq + 1)
      }))

    it.effect("is not one where a transaction was rolled back, nor one that other replicas have written to", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* append(1)
        yield* Effect.ignore(sql.withTransaction(Effect.zipRight(append(4), Effect.fail("rolled back"))))
        yield* append(1)
        const other = yield* Layer.build(anotherProcess())
        yield* Effect.provide(append(2), other)
        yield* append(1)
        yield* Effect.provide(append(2), other)
        yield* sign()
        const audit = yield* Audit
        assert.isNull(yield* audit.buildAppend([]), "the newest row is the other's")
        yield* append(1)
        yield* Effect.provide(append(2), other)
        yield* sign()
        const seq = yield* newest
        // the read of the log has shown this process what the other one committed
        yield* truncateLog(seq - 1)
        assert.include(yield* refusal(append(1)), `this brain committed row ${seq}`)
      }).pipe(Effect.scoped))
  })
})
