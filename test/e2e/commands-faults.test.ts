import { assert, describe, layer } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import { Context, Effect, Layer, type Scope } from "effect"
import { join } from "node:path"
import { type Engine, engines } from "../databases.ts"
import type { BrainProcess } from "./brainProcess.ts"
import { answer, type Arrow, arrows, claimed, endings, issued, later, unclaimed } from "./faults/Arrows.ts"
import { type Ending, sceneAt } from "./faults/Scene.ts"
import { siteBehind } from "./faults/Site.ts"

/**
 * The table of docs/commands.md: at each arrow of a command's journey something breaks. Brain and agents are processes,
 * killed with -9; sockets are cut, and the database's answer is held, by proxies between them. One column of the table
 * is played at once, each arrow with an agent of its own; each cell is a test of how its command came out.
 */
class Outcome extends Context.Tag("test/Outcome")<Outcome, ReadonlyMap<string, Ending>>() {}

type Cell = readonly [status: string, executions: number, error?: RegExp]

const unconfirmed = /did not confirm it .* unknown/
const unanswered = /confirmed it, but sent no result .* unknown/

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
const prepared = (brain: BrainProcess) =>
  Effect.gen(function*() {
    const scene = yield* sceneAt(brain)
    return { scene, underway: yield* later(scene), waiting: yield* issued(scene) }
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
      const { scene, underway, waiting } = yield* prepared(brain)
      const first = database === null ? yield* unclaimed(scene) : yield* claimed(scene, database)
      yield* brain.freeze
      yield* answer(underway.answered)
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
      yield* Effect.forEach(Object.values(underway), ({ process }) => process.open)
      yield* waiting.actor.start(null)
      return yield* endings(scene, { issued: waiting, claimed: first, ...underway })
    }),
    {
      issued: ["completed", 1],
      claimed: ["completed", 1],
      sent: ["completed", 1],
      acknowledged: ["completed", 1],
      executed: ["completed", 1],
      answered: ["timeout", 1, unanswered]
    }
  )

  // the brain does the same on both where only agents and sockets break; a claim can be held on PostgreSQL
  if (engine === "PostgreSQL") {
    column(
      "the agent is killed, and another process of it comes",
      Effect.gen(function*() {
        const { database, site } = yield* siteBehind(engine, 25)
        const { scene, underway, waiting } = yield* prepared(yield* site.brain)
        const stillborn = yield* waiting.actor.start(null)
        yield* stillborn.kill
        yield* answer(underway.answered)
        for (const { process } of Object.values(underway)) yield* process.kill
        const first = database === null ? null : yield* claimed(scene, database)
        if (first !== null) {
          yield* first.process.kill
          yield* scene.goneOffline(first.process)
          database?.release()
        }
        const all = { issued: waiting, ...(first !== null && { claimed: first }), ...underway }
        for (const { actor } of Object.values(all)) yield* actor.start(null)
        return yield* endings(scene, all)
      }),
      {
        issued: ["completed", 1],
        ...claimedOn(engine, ["completed", 1]),
        sent: ["timeout", 0, unconfirmed],
        acknowledged: ["timeout", 0, unanswered],
        executed: ["timeout", 1, unanswered],
        answered: ["completed", 1]
      }
    )

    column(
      "the socket drops, and the process comes back",
      Effect.gen(function*() {
        const { database, site } = yield* siteBehind(engine, 25)
        const { scene, underway, waiting } = yield* prepared(yield* site.brain)
        waiting.actor.proxy.refuse(true)
        yield* waiting.actor.start(null)
        underway.answered.actor.proxy.lose(true)
        yield* answer(underway.answered)
        const first = database === null ? null : yield* claimed(scene, database)
        for (const { actor } of [...Object.values(underway), ...(first === null ? [] : [first])]) actor.proxy.drop()
        if (first !== null) {
          yield* first.process.told("connected", 2)
          database?.release()
        }
        underway.answered.actor.proxy.lose(false)
        waiting.actor.proxy.refuse(false)
        yield* Effect.forEach(Object.values(underway), ({ process }) => process.open)
        return yield* endings(scene, { issued: waiting, ...(first !== null && { claimed: first }), ...underway })
      }),
      {
        issued: ["completed", 1],
        ...claimedOn(engine, ["completed", 1]),
        sent: ["completed", 1],
        acknowledged: ["completed", 1],
        executed: ["completed", 1],
        answered: ["timeout", 1, unanswered]
      }
    )

    column(
      "the answer is late",
      Effect.gen(function*() {
        const { database, site } = yield* siteBehind(engine, 4)
        const { scene, underway, waiting } = yield* prepared(yield* site.brain)
        underway.answered.actor.proxy.delay(true)
        yield* answer(underway.answered)
        const first = database === null ? null : yield* claimed(scene, database)
        const all = { issued: waiting, ...(first !== null && { claimed: first }), ...underway }
        for (const { id } of Object.values(all)) yield* scene.reaches(id, "timeout")
        database?.release()
        underway.answered.actor.proxy.delay(false)
        yield* Effect.forEach(Object.values(underway), ({ process }) => process.open)
        for (const { id } of Object.values(underway)) yield* scene.reaches(id, "completed")
        // the one that nobody took is not given to the process that comes now; a later command shows that it is served
        yield* waiting.actor.start(null)
        yield* scene.reaches(yield* waiting.actor.issue, "completed")
        if (first !== null) yield* scene.reaches(yield* first.actor.issue, "completed")
        return yield* endings(scene, all)
      }),
      {
        issued: ["timeout", 0, /^Never sent/],
        ...claimedOn(engine, ["timeout", 0, unconfirmed]),
        sent: ["completed", 1],
        acknowledged: ["completed", 1],
        executed: ["completed", 1],
        answered: ["completed", 1]
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
      const { scene, underway, waiting } = yield* prepared(one)
      underway.answered.actor.proxy.lose(true)
      yield* answer(underway.answered)
      const first = yield* claimed(scene, database ?? (yield* Effect.dieMessage("PostgreSQL has a proxy")))
      const all = { issued: waiting, claimed: first, ...underway }
      for (const { actor } of Object.values(all)) {
        yield* Effect.flatMap(actor.start(null, two), (process) => process.told("connected"))
      }
      for (const { process } of [first, ...Object.values(underway)]) yield* process.kill
      yield* scene.goneOffline(first.process)
      database?.release()
      const outcome = yield* endings(scene, all)
      assert.deepStrictEqual(outcome.get("executed")?.executions, [underway.executed.process.workerId])
      assert.deepStrictEqual(outcome.get("answered")?.executions, [underway.answered.process.workerId])
      return outcome
    }),
    {
      issued: ["completed", 1],
      claimed: ["completed", 1],
      sent: ["timeout", 0, unconfirmed],
      acknowledged: ["timeout", 0, unanswered],
      executed: ["timeout", 1, unanswered],
      answered: ["timeout", 1, unanswered]
    }
  )
})
