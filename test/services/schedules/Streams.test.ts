import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SCHEDULE_PROTOCOL, STABLE_SNAPSHOT } from "../../../src/domain/schedules/Schedule/External.ts"
import * as Inbox from "../../../src/services/commands/Inbox.ts"
import * as LateFires from "../../../src/services/schedules/LateFires.ts"
import { ScheduleStreams } from "../../../src/services/schedules/Streams.ts"
import { brainOn } from "../../brain.ts"
import { engines } from "../../databases.ts"
import { until } from "../../until.ts"
import { enter, lineLayer } from "../commands/line.ts"
import { world } from "../commands/world.ts"

/** The streams of a replica, with an agents' line of its own. */
const replica = Layer.build(Layer.fresh(ScheduleStreams.layer.pipe(Layer.provideMerge(lineLayer))))

describe.each(engines)("streams of schedules on %s", (engine) => {
  layer(Inbox.layer.pipe(Layer.provide(LateFires.layer), Layer.provideMerge(brainOn(engine))), {
    excludeTestServices: true
  })((it) => {
    it.scoped("a dead connection takes no stream of a process that is back at another replica", () =>
      Effect.gen(function*() {
        const { agent_id, project, sql } = yield* world
        const [first, second] = [yield* replica, yield* replica]
        const connection = enter({
          agentId: agent_id,
          projectId: project.id,
          workerId: "beat",
          schedulers: ["celery-beat"],
          features: [SCHEDULE_PROTOCOL],
          capabilities: { "celery-beat": [STABLE_SNAPSHOT] }
        })
        const streams = sql<{ readonly session_id: string; readonly epoch_number: number }>`
          SELECT session_id, epoch_number FROM schedule_streams WHERE agent_id = ${agent_id}`
        yield* Effect.provide(connection, first)
        yield* until(streams, ([stream]) => stream?.epoch_number === 1)
        const { session } = yield* Effect.provide(connection, second)
        yield* until(streams, ([stream]) => stream?.session_id === session.sessionId)
        yield* Effect.provide(Effect.flatMap(ScheduleStreams, ({ tick }) => tick), first)
        assert.deepStrictEqual(yield* streams, [{ session_id: session.sessionId, epoch_number: 2 }])
      }))
  })
})
