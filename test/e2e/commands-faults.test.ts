import { assert, describe, layer } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import { Context, Effect, Layer, type Scope } from "effect"
import { join } from "node:path"
import { type Engine, engines } from "../databases.ts"
import type { BrainProcess } from "./brainProcess.ts"
import {
  type Arrow,
  arrows,
  issueClaimed,
  issueDelivered,
  issueUnclaimed,
  issueWaiting,
  readEndings,
  sendResult
} from "./faults/Arrows.ts"
import { type Ending, makeFixture } from "./faults/Fixture.ts"
import { siteBehind } from "./faults/Site.ts"

/**
 * The table of docs/commands.md: at each arrow of a command's journey something breaks. Brain and agents are processes,
 * killed with -9; sockets are closed, and the database's response is delayed, by proxies between them. One column of the table
 * is played at once, each arrow with an agent of its own; each cell is a test of how its command came out.
 */
class Outcome extends Context.Tag("test/Outcome")<Outcome, ReadonlyMap<string, Ending>>() {}

type Cell = readonly [status: string, executions: number, error?: RegExp]

const unconfirmed = /did not confirm it .* unknown/
const withoutResult = /confirmed it, but sent no result .* unknown/

const column = (
  title: string,
  play: Effect.Effect<ReadonlyMap<string, Ending>, unknown, Scope.Scope>,
  expected: Partial<Record<Arrow, Cell>>
) =>
  describe(`when ${title}`, () => {
    layer(Layer.scoped(Outcome, Effect.orDie(play)), { excludeTestServices: true, timeout: "150 seconds" })((it) => {
      for (const arrow of arrows) {
        const cell = expected[arrow]
        if (cell === undefined) continue
        const [status, executions, error] = cell
        it.effect(`${arrow}: ${status}, executed ${executions === 0 ? "never" : "once"}`, () =>
          Effect.map(Outcome, (outcome) => {
            const ending = outcome.get(arrow)
            assert.deepInclude(ending, { status })
            assert.strictEqual(ending?.executions.length, executions)
            if (error !== undefined) assert.match(ending?.error ?? "", error)
          }))
      }
    })
  })

/** Commands at this brain, one at each arrow but `claimed`, which is brought about when it is time. */
const prepareCommands = (brain: BrainProcess) =>
  Effect.gen(function*() {
    const fixture = yield* makeFixture(brain)
    return { fixture, underway: yield* issueDelivered(fixture), waiting: yield* issueWaiting(fixture) }
  })

/** On SQLite a claim is over at once, and nothing can happen within it. */
const claimedOn = (engine: Engine, cell: Cell): Partial<Record<Arrow, Cell>> =>
  engine === "SQLite" ? {} : { claimed: cell }

describe.each(engines)("commands on %s", (engine) => {
  column(
    "the brain is killed",
    Effect.gen(function*() {
      // on a busy machine a brain takes 25 s to start, and then the commands must still be open
      const { database, site } = yield* siteBehind(engine, 45)
      const brain = yield* site.brain
      const { fixture, underway, waiting } = yield* prepareCommands(brain)
      const first = database === null ? yield* issueUnclaimed(fixture) : yield* issueClaimed(fixture, database)
      yield* brain.freeze
      yield* sendResult(underway.reported)
      yield* brain.kill
      if (database === null) { // what a kill between claim and frame leaves behind
        const db = new BetterSqlite3(join(site.env.SVC_HOME ?? "", "svc.db"))
        db.prepare(
          "UPDATE commands SET status = 'dispatched', worker_id = ?, session_id = 'gone', dispatched_at = issued_at WHERE id = ?"
        )
          .run(first.process.workerId, first.id)
        db.close()
      } else database.release()
      yield* brain.start
      first.actor.proxy.refuse(false)
      yield* Effect.forEach(Object.values(underway), ({ process }) => process.openGate)
      yield* waiting.actor.start(null)
      return yield* readEndings(fixture, { issued: waiting, claimed: first, ...underway })
    }),
    {
      issued: ["completed", 1],
      claimed: ["completed", 1],
      sent: ["completed", 1],
      acknowledged: ["completed", 1],
      executed: ["completed", 1],
      reported: ["timeout", 1, withoutResult]
    }
  )

  // the brain does the same on both where only agents and sockets break; a claim can be delayed on PostgreSQL
  if (engine === "PostgreSQL") {
    column(
      "the agent is killed, and another process of it comes",
      Effect.gen(function*() {
        const { database, site } = yield* siteBehind(engine, 25)
        const { fixture, underway, waiting } = yield* prepareCommands(yield* site.brain)
        const killedProcess = yield* waiting.actor.start(null)
        yield* killedProcess.kill
        yield* sendResult(underway.reported)
        for (const { process } of Object.values(underway)) yield* process.kill
        const first = database === null ? null : yield* issueClaimed(fixture, database)
        if (first !== null) {
          yield* first.process.kill
          yield* fixture.waitForOffline(first.process)
          database?.release()
        }
        const all = { issued: waiting, ...(first !== null && { claimed: first }), ...underway }
        for (const { actor } of Object.values(all)) yield* actor.start(null)
        return yield* readEndings(fixture, all)
      }),
      {
        issued: ["completed", 1],
        ...claimedOn(engine, ["completed", 1]),
        sent: ["timeout", 0, unconfirmed],
        acknowledged: ["timeout", 0, withoutResult],
        executed: ["timeout", 1, withoutResult],
        reported: ["completed", 1]
      }
    )

    column(
      "the socket drops, and the process comes back",
      Effect.gen(function*() {
        const { database, site } = yield* siteBehind(engine, 25)
        const { fixture, underway, waiting } = yield* prepareCommands(yield* site.brain)
        waiting.actor.proxy.refuse(true)
        yield* waiting.actor.start(null)
        underway.reported.actor.proxy.lose(true)
        yield* sendResult(underway.reported)
        const first = database === null ? null : yield* issueClaimed(fixture, database)
        for (const { actor } of [...Object.values(underway), ...(first === null ? [] : [first])]) actor.proxy.drop()
        if (first !== null) {
          yield* first.process.waitForReport("connected", 2)
          database?.release()
        }
        underway.reported.actor.proxy.lose(false)
        waiting.actor.proxy.refuse(false)
        yield* Effect.forEach(Object.values(underway), ({ process }) => process.openGate)
        return yield* readEndings(fixture, { issued: waiting, ...(first !== null && { claimed: first }), ...underway })
      }),
      {
        issued: ["completed", 1],
        ...claimedOn(engine, ["completed", 1]),
        sent: ["completed", 1],
        acknowledged: ["completed", 1],
        executed: ["completed", 1],
        reported: ["timeout", 1, withoutResult]
      }
    )

    column(
      "the result is late",
      Effect.gen(function*() {
        const { database, site } = yield* siteBehind(engine, 4)
        const { fixture, underway, waiting } = yield* prepareCommands(yield* site.brain)
        underway.reported.actor.proxy.delay(true)
        yield* sendResult(underway.reported)
        const first = database === null ? null : yield* issueClaimed(fixture, database)
        const all = { issued: waiting, ...(first !== null && { claimed: first }), ...underway }
        for (const { id } of Object.values(all)) yield* fixture.waitForStatus(id, "timeout")
        database?.release()
        underway.reported.actor.proxy.delay(false)
        yield* Effect.forEach(Object.values(underway), ({ process }) => process.openGate)
        for (const { id } of Object.values(underway)) yield* fixture.waitForStatus(id, "completed")
        // the one that no process took is not sent to the process that comes now; a later command shows that it is served
        yield* waiting.actor.start(null)
        yield* fixture.waitForStatus(yield* waiting.actor.issue, "completed")
        if (first !== null) yield* fixture.waitForStatus(yield* first.actor.issue, "completed")
        return yield* readEndings(fixture, all)
      }),
      {
        issued: ["timeout", 0, /^Never sent/],
        ...claimedOn(engine, ["timeout", 0, unconfirmed]),
        sent: ["completed", 1],
        acknowledged: ["completed", 1],
        executed: ["completed", 1],
        reported: ["completed", 1]
      }
    )
  }
})

describe("commands of two brains over one PostgreSQL", () => {
  column(
    "the process is gone and another one is connected to the other brain",
    Effect.gen(function*() {
      const { database, site } = yield* siteBehind("PostgreSQL", 25)
      const [one, two] = [yield* site.brain, yield* site.brain]
      const { fixture, underway, waiting } = yield* prepareCommands(one)
      underway.reported.actor.proxy.lose(true)
      yield* sendResult(underway.reported)
      const first = yield* issueClaimed(fixture, database ?? (yield* Effect.dieMessage("PostgreSQL has a proxy")))
      const all = { issued: waiting, claimed: first, ...underway }
      for (const { actor } of Object.values(all)) {
        yield* Effect.flatMap(actor.start(null, two), (process) => process.waitForReport("connected"))
      }
      for (const { process } of [first, ...Object.values(underway)]) yield* process.kill
      yield* fixture.waitForOffline(first.process)
      database?.release()
      const outcome = yield* readEndings(fixture, all)
      assert.deepStrictEqual(outcome.get("executed")?.executions, [underway.executed.process.workerId])
      assert.deepStrictEqual(outcome.get("reported")?.executions, [underway.reported.process.workerId])
      return outcome
    }),
    {
      issued: ["completed", 1],
      claimed: ["completed", 1],
      sent: ["timeout", 0, unconfirmed],
      acknowledged: ["timeout", 0, withoutResult],
      executed: ["timeout", 1, withoutResult],
      reported: ["timeout", 1, withoutResult]
    }
  )
})
