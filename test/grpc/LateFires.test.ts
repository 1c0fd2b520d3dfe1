import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { FireDisposition, type FireScheduleResponse, SchedulerServiceService } from "../../proto/generated/scheduler.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { laneEngines } from "../engines.ts"
import { succeed, world } from "../services/schedules/world.ts"
import { until } from "../until.ts"
import { callUnary, connectCurrent, day, fireOf, schedulersOn, tickOf } from "./client.ts"

describe.each(laneEngines)("a scheduler that was disconnected for days, on %s", (engine) => {
  layer(schedulersOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("hands over late fires, which wait for their turn; one in time is sent at once", () =>
      Effect.gen(function*() {
        const { connect, create, fires, project, rewind } = yield* world
        yield* connect(succeed)
        const { id } = yield* create({})
        const first = yield* rewind(id, 3 * day)
        const { scheduler, snapshot } = yield* connectCurrent("cut-off")
        const responses: Array<FireScheduleResponse> = []
        for (let index = 0; index < 3; index++) {
          const row = (yield* snapshot(project.id)).rows.find((one) => one.id === id)
          if (row?.next_run_at === undefined) return assert.fail("the snapshot lacks the schedule")
          assert.strictEqual(tickOf(row), Timestamp.addSeconds(first, index * day))
          responses.push(yield* callUnary(scheduler, SchedulerServiceService.fireSchedule, fireOf(row)))
        }
        const [oldest] = responses
        for (const { disposition } of responses) assert.strictEqual(disposition, FireDisposition.FIRE_ACCEPTED)
        assert.isTrue(oldest?.buffered)
        assert.strictEqual(oldest?.command_id, "")
        yield* until(fires(id), (rows) => rows.length === 3 && rows.every(({ status }) => status === "acked_success"))
      }))
  })
})
