import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { engines } from "../../databases.ts"
import { until } from "../../until.ts"
import { brainWithLine, Line } from "./line.ts"
import { world } from "./world.ts"

describe.each(engines)("results of commands on %s", (engine) => {
  layer(brainWithLine(engine), { excludeTestServices: true })((it) => {
    it.effect("one that the database refuses is left out alone", () =>
      Effect.gen(function*() {
        const { agent_id, awaitFrames, cancelTask, get, inbox, project } = yield* world
        const sql = yield* SqlClient.SqlClient
        yield* sql.onDialectOrElse({
          pg: () => sql`ALTER TABLE commands ADD CONSTRAINT no_poison CHECK (result NOT LIKE '%poison%')`,
          orElse: () =>
            sql`CREATE TRIGGER no_poison BEFORE UPDATE ON commands WHEN NEW.result LIKE '%poison%'
              BEGIN SELECT RAISE(ABORT, 'poison'); END`
        })
        const process = yield* (yield* Line).connect({ agentId: agent_id, projectId: project.id })
        const ids = yield* Effect.forEach(
          [0, 1, 2, 3, 4],
          (index) => Effect.map(cancelTask(`t${index}`), ({ id }) => id)
        )
        yield* awaitFrames(process, ids.length)
        const committed: Array<string> = []
        yield* Effect.forEach(ids, (commandId, index) =>
          inbox.offerResult({
            agentId: agent_id,
            sessionId: process.session.sessionId,
            workerId: process.session.workerId,
            commandId,
            status: "success",
            result: index === 3 ? `{"a":"poison"}` : "{}",
            error: null,
            onCommit: () => void committed.push(commandId)
          }))
        yield* inbox.awaitCommitted
        assert.deepStrictEqual(committed, ids, "also of the result that cannot be stored: it need not come again")
        const statuses = yield* Effect.forEach(ids, (id) => Effect.map(get(id), ({ status }) => status))
        assert.deepStrictEqual(statuses, ["completed", "completed", "completed", "dispatched", "completed"])
      }))

    it.effect("a session waits while results of 16 Mi characters are not committed", () =>
      Effect.gen(function*() {
        const { agent_id, awaitFrames, cancelTask, get, inbox, project } = yield* world
        const sql = yield* SqlClient.SqlClient
        const process = yield* (yield* Line).connect({ agentId: agent_id, projectId: project.id })
        const { id } = yield* cancelTask("t")
        yield* awaitFrames(process, 1)
        const isLocked = yield* Deferred.make<void>()
        const mayEnd = yield* Deferred.make<void>()
        const locking = yield* Effect.fork(sql.withTransaction(Effect.gen(function*() {
          yield* sql`UPDATE commands SET acked_at = NULL WHERE id = ${id}`
          yield* Deferred.succeed(isLocked, undefined)
          yield* Deferred.await(mayEnd)
        })))
        yield* Deferred.await(isLocked)
        const result = JSON.stringify({ text: "x".repeat(1024 * 1024 - 512) })
        let offered = 0
        const offer = Effect.tap(
          inbox.offerResult({
            agentId: agent_id,
            sessionId: process.session.sessionId,
            workerId: process.session.workerId,
            commandId: id,
            status: "success",
            result,
            error: null,
            onCommit: () => {}
          }),
          () => offered++
        )
        const offering = yield* Effect.fork(Effect.replicateEffect(offer, 24, { discard: true }))
        yield* until(Effect.sync(() => offered), (count) => count >= 16)
        yield* Effect.sleep("200 millis")
        assert.strictEqual(offered, 16)
        yield* Deferred.succeed(mayEnd, undefined)
        yield* Fiber.join(locking)
        yield* Fiber.join(offering)
        yield* inbox.awaitCommitted
        assert.strictEqual((yield* get(id)).status, "completed")
      }))
  })
})
