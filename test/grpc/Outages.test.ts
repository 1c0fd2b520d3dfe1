import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { ScheduleId } from "../../src/domain/Id.ts"
import { fireIdOf } from "../../src/domain/Schedule/FireId.ts"
import * as Timestamp from "../../src/domain/Timestamp.ts"
import { writeTime } from "../../src/grpc/Convert.ts"
import { FireDisposition, FireScheduleRequest, SchedulerServiceService } from "../../src/grpc/generated/scheduler.ts"
import { engines } from "../databases.ts"
import { world } from "../services/Schedules/world.ts"
import { until } from "../until.ts"
import { ask, connectCurrent, schedulersOn } from "./client.ts"

const day = 86_400

/** A program fires the ticks one after the other, as it decided them while the brain was away. */
const fireByProgram = (projectId: string, count: number) =>
  Effect.gen(function*() {
    const { scheduler, snapshot } = yield* connectCurrent(`s-${randomUUID().slice(0, 8)}`)
    for (let fired = 0; fired < count; fired++) {
      const [row] = (yield* snapshot(projectId)).rows
      if (row === undefined) return assert.fail("the schedule is not in the snapshot")
      const tick = Timestamp.fromEpochMicros((row.next_run_at?.seconds ?? 0n) * 1_000_000n)
      const answer = yield* ask(
        scheduler,
        SchedulerServiceService.fireSchedule,
        FireScheduleRequest.fromPartial({
          schedule_id: row.id,
          fire_id: fireIdOf(ScheduleId.make(row.id), tick),
          scheduled_for: writeTime(tick)!,
          fired_at: writeTime(tick)!,
          scheduler_protocol_epoch: 1,
          observed_control_token: row.control_token,
          definition_digest: row.definition_digest,
          expected_schedule_revision: row.schedule_revision,
          ...(row.last_run_at && { expected_last_run_at: row.last_run_at }),
          expected_next_run_at: row.next_run_at!,
          prepared_next_run_at: writeTime(Timestamp.addSeconds(tick, day))!,
          cadence_semantics_version: 1,
          cadence_runtime_fingerprint: row.cadence_runtime_fingerprint
        })
      )
      assert.strictEqual(answer.disposition, FireDisposition.FIRE_ACCEPTED, answer.error_message)
    }
  })

describe.each(engines)("an outage on %s", (engine) => {
  describe.each([["the brain's fire loop", true], ["a scheduler program", false]] as const)(
    "of %s",
    (_who, embeddedScheduler) => {
      layer(schedulersOn(engine, { embeddedScheduler }), { excludeTestServices: true, timeout: 30_000 })((it) => {
        it.scoped("is one misfire, with its ticks in slots", () =>
          Effect.gen(function*() {
            const { create, fires, misfires, project, rewind } = yield* world
            const { id } = yield* create({ catch_up: "fire_all_missed" })
            const first = yield* rewind(id, 4 * day) // the fourth tick is on time
            if (!embeddedScheduler) yield* fireByProgram(project.id, 3)
            yield* until(fires(id), (rows) => rows.length >= 3)
            const found = yield* misfires(id)
            assert.lengthOf(found, 1)
            assert.deepInclude(found[0], { expected_fire_at: first, slots: 3, cause: "brain_down" })
          }))
      })
    }
  )
})
