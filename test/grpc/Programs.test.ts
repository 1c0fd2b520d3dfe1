import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SchedulerLeaseService } from "../../proto/generated/lease.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { freshKey, request } from "../brain.ts"
import { engines } from "../databases.ts"
import { world } from "../services/schedules/world.ts"
import { until } from "../until.ts"
import { callUnary, connectCurrent, fireNext, schedulersOn } from "./client.ts"

const day = 86_400

/** The service's own entry of `GET /schedulers`, until it is as it should be. */
const fleetOf = (token: string) =>
  Effect.map(request("GET", "/schedulers", { token }), ({ json }) => json.schedulers[0])

const statesOf = (
  { info }: { readonly info: { readonly programs: ReadonlyArray<{ readonly name: string; readonly state: string }> } }
) => info.programs.map(({ name, state }) => `${name} ${state}`)

describe.each(engines)("scheduler programs on %s", (engine) => {
  layer(schedulersOn(engine), { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.scoped("a program that calls is alive: it stands by until it fires, and is gone with its connection", () =>
      Effect.gen(function*() {
        const { create, project, rewind } = yield* world
        const { token } = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const { id } = yield* create({})
        yield* rewind(id, day)
        yield* until(fleetOf(token), ({ info, ok }) => ok === false && info.programs.length === 0)
        yield* Effect.scoped(Effect.gen(function*() {
          const program = yield* connectCurrent("no-leases")
          yield* program.watch("", (yield* program.snapshot("")).complete.watermark)
          const standby = yield* until(fleetOf(token), ({ ok }) => ok === true)
          assert.deepStrictEqual(statesOf(standby), ["no-leases standby"])
          assert.deepInclude(standby.info, { firing: 0, standby: 1, status: "live" })
          yield* fireNext(program, project.id)
          const firing = yield* until(fleetOf(token), ({ info }) => info.firing === 1)
          assert.deepStrictEqual(statesOf(firing), ["no-leases firing"])
          assert.isNull(firing.error)
        }))
        const gone = yield* until(fleetOf(token), ({ ok }) => ok === false)
        assert.include(gone.error, "No scheduler program has called")
      }))

    it.scoped("of a pair the one with the lease fires, and the other one stands by", () =>
      Effect.gen(function*() {
        const { project } = yield* world
        const { token } = yield* freshKey({ roles: { [project.id]: "viewer" } })
        for (const name of ["pair-1", "pair-2"]) {
          const program = yield* connectCurrent(name)
          yield* program.watch("", (yield* program.snapshot("")).complete.watermark)
          const wanted = { project_ids: [project.id], instance_id: "a", ttl_seconds: 60 }
          yield* callUnary(program.lease, SchedulerLeaseService.hold, wanted)
        }
        const both = yield* until(fleetOf(token), ({ info }) =>
          info.programs.some(({ name }: { readonly name: string }) => name === "pair-2/a"))
        assert.deepStrictEqual(statesOf(both), ["pair-1/a firing", "pair-2/a standby"])
      }))

    it.scoped("a tick that a program fires late, although it called at its time, is late and no outage of programs", () =>
      Effect.gen(function*() {
        const { create, misfires, project } = yield* world
        const { token } = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const program = yield* connectCurrent("slow")
        yield* program.watch("", (yield* program.snapshot("")).complete.watermark)
        yield* until(fleetOf(token), (entry) => statesOf(entry).some((state) => state.startsWith("slow ")))
        const { id, next_run_at: tick } = yield* create({ expression: "3", grace_seconds: 0 })
        yield* until(Timestamp.now, (now) => now > Timestamp.addSeconds(tick, 1))
        yield* fireNext(program, project.id)
        const [misfire, ...others] = yield* misfires(id)
        assert.deepInclude(misfire, { expected_fire_at: tick, cause: "late" })
        assert.deepStrictEqual(others, [])
      }))
  })
})
