import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { readFileSync } from "node:fs"
import { enginesOr, isFullLane } from "../engines.ts"
import { until } from "../until.ts"
import { makeFixture } from "./faults/Fixture.ts"
import { siteBehind } from "./faults/Site.ts"
import { site } from "./site.ts"

/** Commands that are issued before each kill of the brain. */
const between = 150
const kills = 3

describe.each(enginesOr("PostgreSQL"))("on %s, while commands are issued and executed", (engine) => {
  it.scopedLive(
    "the brain is killed again and again: none is lost, stuck or executed twice",
    () =>
      Effect.gen(function*() {
        const { brain: start } = yield* site(engine, { SVC_COMMAND_TIMEOUT_SECONDS: "15" })
        const brain = yield* start
        const fixture = yield* makeFixture(brain)
        const actor = yield* fixture.actor
        for (const process of [yield* actor.start(null), yield* actor.start(null)]) {
          yield* process.waitForReport("connected")
        }

        const accepted = new Set<string>()
        const post = Effect.suspend(() => actor.issue).pipe(
          Effect.tap((id) => Effect.sync(() => accepted.add(id))),
          Effect.catchAllCause(() => Effect.sleep("50 millis")) // the brain is gone: the poster tries again
        )
        const posters = yield* Effect.fork(
          Effect.all(Array.from({ length: 4 }, () => Effect.forever(post)), { concurrency: "unbounded" })
        )
        for (let kill = 1; kill <= kills; kill++) {
          yield* until(Effect.sync(() => accepted.size), (count) => count >= kill * between)
          yield* brain.kill
          yield* brain.start
        }
        yield* Fiber.interrupt(posters)

        const openCommands = Effect.map(
          Effect.all([
            fixture.call("GET", "/projects/faults/commands?status=pending&limit=1"),
            fixture.call("GET", "/projects/faults/commands?status=dispatched&limit=1")
          ]),
          (responses) => responses.flatMap(({ json }) => json.items)
        )
        yield* until(openCommands, (items) => items.length === 0)

        const executed = new Map<string, number>()
        for (const line of readFileSync(fixture.journal, "utf8").split("\n")) {
          const id = line.split(" ")[0] ?? ""
          executed.set(id, (executed.get(id) ?? 0) + 1)
        }
        const commandIds = new Set<string>()
        for (let cursor: string | null = ""; cursor !== null;) {
          const { json }: { readonly json: Page } = yield* fixture.call(
            "GET",
            `/projects/faults/commands?limit=500${cursor}`
          )
          for (const { error, id, status } of json.items) {
            commandIds.add(id)
            const times = executed.get(id) ?? 0
            assert.include(["completed", "timeout"], status)
            if (status === "completed") assert.strictEqual(times, 1, id)
            else assert.isAtMost(times, error?.startsWith("Never sent") === true ? 0 : 1, id)
          }
          cursor = json.next_cursor === null ? null : `&cursor=${json.next_cursor}`
        }
        assert.deepStrictEqual([...accepted].filter((id) => !commandIds.has(id)), [])
      })
  )
})

describe.runIf(isFullLane)("on PostgreSQL", () => {
  it.scopedLive(
    "the database goes away while an agent sends a result: the result is kept, and requests get 503",
    () =>
      Effect.gen(function*() {
        const { database, site } = yield* siteBehind("PostgreSQL", 60)
        const brain = yield* site.brain
        const fixture = yield* makeFixture(brain)
        const actor = yield* fixture.actor
        const process = yield* actor.start("result")
        yield* process.waitForReport("connected")
        const id = yield* actor.issue
        yield* process.waitForReport("result")
        database?.refuse(true)
        database?.drop()
        yield* process.openGate
        yield* process.waitForReport("reported")
        const away = yield* until(
          fixture.call("POST", "/projects/faults/commands/cancel-task", {
            agent_id: actor.agentId,
            engine: "celery",
            task_id: "t"
          }),
          ({ status }) => status !== 202
        )
        assert.deepInclude(away.json, { status: 503, code: "unavailable" })
        database?.refuse(false)
        assert.deepInclude(yield* fixture.endingOf(id), { status: "completed", executions: [process.workerId] })
        yield* until(Effect.exit(actor.issue), Exit.isSuccess)
      })
  )
})

/** What is read of a CommandList. */
interface Page {
  readonly items: ReadonlyArray<{ readonly id: string; readonly status: string; readonly error: string | null }>
  readonly next_cursor: string | null
}
