import { assert, describe, it } from "@effect/vitest"
import { ruleMessage } from "../../../src/domain/automation/RuleMessage.ts"
import { ProjectId, RuleId } from "../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"

const id = "0199c0de-0000-7000-8000-000000000001"
const now = Timestamp.fromEpochMicros(0)

const messageOfTrip = (dry_run: boolean) =>
  ruleMessage(
    {
      rule_id: RuleId.make(id),
      rule_name: "retry payments",
      trigger_key: "task.failed",
      condition_key: "breaker",
      first_at: now,
      occurrences: 1,
      unsent: 1,
      cause: { kind: "tripped", executions: 100, window_seconds: 3600, dry_run },
      sent_at: null
    },
    { id: ProjectId.make(id), slug: "shop", name: "Shop" },
    null,
    now
  )

describe("the message that a rule tripped its breaker", () => {
  it("says that the rule executed, or that it would have, and the window as people write it", () => {
    const active = messageOfTrip(false)
    assert.strictEqual(active.title, "The rule \"retry payments\" tripped its breaker")
    assert.match(active.text, /^It executed 100 times within 1 h, /)
    const dry = messageOfTrip(true)
    assert.strictEqual(dry.title, "The rule \"retry payments\" tripped its breaker in its dry run")
    assert.match(dry.text, /^It would have executed 100 times within 1 h, /)
  })
})
