import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { engines } from "../databases.ts"
import { world } from "../services/schedules/world.ts"
import { until } from "../until.ts"
import { connectCurrent, fireNext, schedulersOn } from "./client.ts"

const day = 86_400

describe.each(engines)("an outage on %s", (engine) => {
  describe.each([["the brain's fire loop", true], ["a scheduler program", false]] as const)(
    "of %s",
    (_who, embeddedScheduler) => {
      layer(schedulersOn(engine, { embeddedScheduler }), { excludeTestServices: true })((it) => {
        it.scoped("is one misfire, with its ticks in slots", () =>
          Effect.gen(function*() {
            const { create, fires, misfires, project, rewind } = yield* world
            const { id } = yield* create({ catch_up: "fire_all_missed" })
            const first = yield* rewind(id, 4 * day) // the fourth tick is on time
            if (!embeddedScheduler) yield* fireNext(yield* connectCurrent("late"), project.id, 3)
            yield* until(fires(id), (rows) => rows.length >= 3)
            const found = yield* misfires(id)
            assert.lengthOf(found, 1)
            assert.deepInclude(found[0], { expected_fire_at: first, slots: 3, cause: "brain_down" })
          }))

        it.scoped("a pause is not one: catch_up decides about its ticks, although it was shorter than the grace", () =>
          Effect.gen(function*() {
            const { call, create, fires, misfires } = yield* world
            for (const catch_up of ["skip", "fire_all_missed"]) {
              const { id, next_run_at: tick } = yield* create({ name: catch_up, catch_up, expression: "10" })
              yield* call("POST", `/${id}/pause`)
              yield* until(Timestamp.now, (now) => now > tick)
              const { json: resumed } = yield* call("POST", `/${id}/resume`)
              assert.isTrue(resumed.next_run_at > tick, "the tick is decided")
              yield* call("POST", `/${id}/disable`)
              const ticks = (yield* fires(id)).map((fire) => fire.scheduled_for)
              if (catch_up === "skip") {
                assert.notInclude(ticks, tick)
                assert.deepInclude((yield* misfires(id)).at(-1), { expected_fire_at: tick, cause: "paused" })
              } else assert.include(ticks, tick)
            }
          }))
      })
    }
  )
})
