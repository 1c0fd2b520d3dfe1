import { assert, describe, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { enginesOr, isFullLane } from "../engines.ts"
import { seed } from "../properties.ts"
import { type BrainProcess, type Call, signedIn } from "./brainProcess.ts"
import { site } from "./site.ts"
import { expectStoredOnce, runOf, streaming } from "./streaming.ts"

/** How the published agents send, and how ours may. `kills` of the brain in a run. */
const manners = [
  { name: "one event a frame", tasks: 200, size: 1, window: 256, kills: 2 },
  { name: "a hundred events a frame", tasks: 600, size: 100, window: 4, kills: 2 }
]

/** A new project with an agent in it. */
const freshAgentAt = (call: Call, slug: string) =>
  Effect.gen(function*() {
    yield* call("POST", "/projects", { slug, name: slug })
    const { json } = yield* call("POST", `/projects/${slug}/agents`, { name: "agent" })
    return { token: String(json.token), hmac_secret: String(json.hmac_secret) }
  })

const random = Random.make(seed)

/** As many places in a run of that length, in order, each in a part of its own. */
const places = (count: number, length: number) =>
  Effect.map(
    Effect.replicateEffect(random.next, count),
    (parts) => parts.map((part, index) => Math.floor(((index + part) / count) * length * 0.95))
  )

const restartBrain = (brain: BrainProcess) => Effect.zipRight(brain.kill, brain.start)

describe.each(enginesOr("SQLite"))("ingest on %s", (engine) => {
  it.scopedLive("loses and doubles nothing when the brain is killed", () =>
    Effect.gen(function*() {
      const brain = yield* (yield* site(engine)).brain
      const call = (yield* signedIn(brain))(brain)
      for (const [index, { kills, size, tasks, window }] of manners.entries()) {
        const project = `kill-${index}`
        const agent = yield* freshAgentAt(call, project)
        const run = runOf(tasks, size)
        const { done, streamer } = yield* streaming(agent, [brain.url], run.batches, window)
        for (const place of yield* places(kills, run.batches.length)) {
          yield* Effect.promise(() => streamer.when(place))
          yield* restartBrain(brain)
        }
        yield* Effect.promise(() => done)
        assert.isAtLeast(streamer.connections, 2)
        assert.strictEqual(streamer.rejected, 0)
        yield* expectStoredOnce(call, project, run)
      }
    }))

  it.scopedLive("loses and doubles nothing when the agent's connection drops", () =>
    Effect.gen(function*() {
      const brain = yield* (yield* site(engine)).brain
      const call = (yield* signedIn(brain))(brain)
      for (const [index, { size, tasks, window }] of manners.entries()) {
        const project = `cut-${index}`
        const agent = yield* freshAgentAt(call, project)
        const run = runOf(tasks, size)
        const { done, streamer } = yield* streaming(agent, [brain.url], run.batches, window)
        for (const place of yield* places(8, run.batches.length)) {
          yield* Effect.promise(() => streamer.when(place))
          streamer.cut()
        }
        yield* Effect.promise(() => done)
        assert.isAtLeast(streamer.connections, 2)
        yield* expectStoredOnce(call, project, run)
      }
    }))
})

describe.runIf(isFullLane)("ingest of two brains over one PostgreSQL", () => {
  it.scopedLive(
    "loses and doubles nothing when an agent hops between them, and another sends the same",
    () =>
      Effect.gen(function*() {
        const shared = yield* site("PostgreSQL")
        const brains = yield* Effect.all([shared.brain, shared.brain])
        const [one] = brains
        const call = (yield* signedIn(one))(one)
        const agent = yield* freshAgentAt(call, "hop")
        const run = runOf(300, 10)
        const urls = brains.map(({ url }) => url)
        // a process that takes over the buffer of a dead one sends what that one had sent
        const first = yield* streaming(agent, urls, run.batches, 32)
        const second = yield* streaming(agent, urls.toReversed(), run.batches, 32)
        for (const place of yield* places(8, run.batches.length)) {
          yield* Effect.promise(() => first.streamer.when(place))
          first.streamer.cut()
        }
        yield* Effect.promise(() => Promise.all([first.done, second.done]))
        assert.isAtLeast(first.streamer.connections, 2)
        yield* expectStoredOnce(call, "hop", run)
      })
  )

  it.scopedLive("continues at the other one when one is killed", () =>
    Effect.gen(function*() {
      const shared = yield* site("PostgreSQL")
      const brains = yield* Effect.all([shared.brain, shared.brain])
      const [one, other] = brains
      const call = (yield* signedIn(one))(other)
      const agent = yield* freshAgentAt(call, "left")
      const run = runOf(200, 1)
      const { done, streamer } = yield* streaming(agent, brains.map(({ url }) => url), run.batches, 256)
      yield* Effect.promise(() => streamer.when(300))
      yield* one.kill
      yield* Effect.promise(() => done)
      yield* expectStoredOnce(call, "left", run)
    }))
})
