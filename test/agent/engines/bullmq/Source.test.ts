import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bullmq, bullmqFromOutside } from "../../../../src/agent/engines/bullmq/BullMQ.ts"
import type { Engine } from "../../../../src/agent/runtime/Engine.ts"
import { has } from "../../../needs.ts"
import { bull, connection, listening } from "./world.ts"

const ready = await has("Redis")

const nameOf = (engine: Engine) =>
  Effect.gen(function*() {
    yield* listening(engine)
    return yield* engine.source ?? Effect.dieMessage("it names no source")
  })

describe.skipIf(!ready)("the source of BullMQ's job ids", () => {
  it.scopedLive("has one name for all agents of a Redis and prefix, and another one for others", () =>
    Effect.gen(function*() {
      const { prefix, queue } = yield* bull
      const mail = yield* queue("mail")
      const [beside, outside] = yield* Effect.all([
        nameOf(bullmq({ queues: [mail] })),
        nameOf(bullmqFromOutside({ connection, prefix, queues: ["mail"] }))
      ], { concurrency: 2 })
      assert.strictEqual(beside, outside)
      const other = yield* bull
      assert.notStrictEqual(yield* nameOf(bullmq({ queues: [yield* other.queue("mail")] })), beside)
    }))
})
