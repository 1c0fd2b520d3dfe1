import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { serverOn } from "../../brain.ts"
import { engines } from "../../databases.ts"
import { until } from "../../until.ts"
import { recordedEvents, subscribe, watchOutbox } from "../triggers/TriggerEvents/world.ts"
import { statusesOf, world } from "./world.ts"

describe.each(engines)("outages on %s", (engine) => {
  layer(serverOn(engine, { scheduleBufferSeconds: 2 }), { excludeTestServices: true })((it) => {
    it.scoped("fires that expire before their grace has passed are one misfire, with a message", () =>
      Effect.gen(function*() {
        const { call, create, fires, misfires, project } = yield* world
        yield* watchOutbox
        yield* subscribe(project.id, "schedule.misfired")
        const { id } = yield* create({ expression: "1", grace_seconds: 3600 })
        const listExpired = (rows: ReadonlyArray<string>) => rows.filter((status) => status === "buffer_expired")
        yield* until(fires(id), (rows) => listExpired(statusesOf(rows)).length >= 3)
        yield* call("POST", `/${id}/disable`)
        const ended = yield* until(fires(id), (rows) => !statusesOf(rows).includes("buffered"))
        const first = ended.findLast(({ status }) => status === "buffer_expired")
        const slots = listExpired(statusesOf(ended)).length
        const found = yield* misfires(id)
        assert.lengthOf(found, 1)
        assert.deepInclude(found[0], { expected_fire_at: first?.scheduled_for, slots, cause: "no_agent" })
        assert.strictEqual((yield* call("GET", `/${id}`)).json.skipped_slots_24h, slots)
        const events = (yield* recordedEvents(project.id)).map(({ trigger }) => trigger)
        assert.deepStrictEqual(events, ["schedule.misfired"])
      }))
  })

  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("fires that wait are one misfire, which has more slots at each check, in the order of their ticks", () =>
      Effect.gen(function*() {
        const { call, create, fires, misfires } = yield* world
        const { id } = yield* create({ expression: "1", grace_seconds: 0 })
        const [first] = yield* until(misfires(id), (rows) => rows.length > 0)
        const [later, ...others] = yield* until(misfires(id), ([row]) => row.slots > first.slots)
        assert.deepStrictEqual(others, [])
        assert.deepInclude(later, { expected_fire_at: first.expected_fire_at, cause: "no_agent" })
        assert.include(later.detail, `${later.slots} ticks were missed`)
        yield* call("POST", `/${id}/disable`)
        assert.strictEqual((yield* fires(id)).at(-1)?.scheduled_for, first.expected_fire_at)
      }))
  })
})
