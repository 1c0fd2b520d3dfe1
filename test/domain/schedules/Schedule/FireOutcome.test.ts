import { assert, describe, it } from "@effect/vitest"
import { FireRowId, ProjectId, ScheduleId } from "../../../../src/domain/kernel/Id.ts"
import { addSeconds, fromEpochMicros } from "../../../../src/domain/kernel/Timestamp.ts"
import { type CommandedFire, lateResultCode, moveOf } from "../../../../src/domain/schedules/Schedule/FireOutcome.ts"

const sent = fromEpochMicros(Date.UTC(2026, 10, 28) * 1000)

const fire: CommandedFire = {
  id: FireRowId.make("0197c0de-0000-7000-8000-000000000001"),
  schedule_id: ScheduleId.make("0197c0de-0000-7000-8000-000000000002"),
  project_id: ProjectId.make("0197c0de-0000-7000-8000-000000000003"),
  fire_id: "0197c0de-0000-7000-8000-000000000004",
  scheduled_for: sent,
  command_status: "pending",
  dispatched_at: sent,
  completed_at: addSeconds(sent, 2),
  error: null,
  error_code: null
}

describe("the status of a fire follows that of its command (docs/schedules.md, Outcomes)", () => {
  it.each<readonly [status: string, code: string | null, given: Partial<CommandedFire>]>([
    ["delivered", null, { command_status: "pending", dispatched_at: null, completed_at: null }],
    ["delivered", null, { command_status: "dispatched", completed_at: null }],
    ["acked_success", null, { command_status: "completed" }],
    ["acked_failed", "agent_failed", { command_status: "failed" }],
    ["failed", "not_sent", { command_status: "failed", dispatched_at: null }],
    ["terminal_timeout", "no_answer", { command_status: "timeout" }],
    ["failed", "not_sent", { command_status: "timeout", dispatched_at: null }],
    ["terminal_cancelled", "cancelled", { command_status: "cancelled" }],
    ["terminal_cancelled", "cancelled", { command_status: "cancelled", dispatched_at: null }],
    ["terminal_timeout", "command_deleted", { command_status: null }],
    ["terminal_completed", null, { command_status: "completed", error_code: lateResultCode }],
    ["terminal_failed", "agent_failed", { command_status: "failed", error_code: lateResultCode }]
  ])("%s, %s", (status, code, given) => {
    const move = moveOf({ ...fire, ...given })
    assert.deepStrictEqual([move.status, move.error_code ?? null], [status, code])
  })

  it("one with a result says how long the result took", () => {
    assert.strictEqual(moveOf({ ...fire, command_status: "completed" }).latency_ms, 2000)
  })
})
