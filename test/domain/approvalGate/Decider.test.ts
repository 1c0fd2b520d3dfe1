import { assert, describe, it } from "@effect/vitest"
import { canApprove, type Decider } from "../../../src/domain/approvalGate/Approval/Decider.ts"
import { UserId } from "../../../src/domain/kernel/Id.ts"
import { addSeconds, fromEpochMicros, secondsPerDay } from "../../../src/domain/kernel/Timestamp.ts"

const requestedAt = fromEpochMicros(Date.UTC(2026, 10, 28) * 1000)
const daysBefore = (days: number) => addSeconds(requestedAt, -days * secondsPerDay)

const adminSince = (days: number): Decider => ({
  user_id: UserId.make("0197c0de-0000-7000-8000-000000000001"),
  account_since: daysBefore(100),
  admin_since: daysBefore(days),
  member_since: null,
  vouched_at: null
})

describe("who may approve a request (SVC_APPROVAL_DECIDER_DAYS)", () => {
  it.each([[0, 0], [1, 1], [7, 7], [30, 30]])("with %d days: a person who has decided for %d", (minDays, days) => {
    assert.isTrue(canApprove(adminSince(days), requestedAt, minDays))
    assert.isFalse(canApprove(adminSince(days - 0.0001), requestedAt, minDays))
  })

  it("with 0 days no person who became a decider after the request, unless the operator vouched for them since", () => {
    const later = adminSince(-1)
    assert.isFalse(canApprove(later, requestedAt, 0))
    assert.isTrue(canApprove({ ...later, vouched_at: daysBefore(-2) }, requestedAt, 0))
    assert.isFalse(canApprove({ ...later, vouched_at: daysBefore(1) }, requestedAt, 0))
  })
})
