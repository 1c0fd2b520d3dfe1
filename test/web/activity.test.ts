import { assert, describe, it } from "@effect/vitest"
import { readSentence, type Sentence } from "../../web/src/activity/sentence.ts"
import type { Row } from "../../web/src/activity/summary.ts"
import { de } from "../../web/src/i18n/de.ts"
import { en } from "../../web/src/i18n/en.ts"

const row = (action: string, change: Partial<Row>): Row => ({
  id: "0199c0de-7d3a-7c11-9c55-3f0c8f8c2a10",
  project_id: null,
  project_slug: "shop",
  user_id: null,
  action,
  target_type: "task",
  target_id: "t1",
  target_name: null,
  result: "success",
  outcome: "allow",
  metadata: {},
  source_ip: null,
  occurred_at: "2026-11-28T12:00:00.000000Z",
  ...change
})

const write = (sentence: Sentence | null, { activity: texts }: typeof en) => {
  switch (sentence?.kind) {
    case "act":
      return texts.acts[sentence.verb](
        sentence.rule === undefined ? "Demo" : texts.rule(sentence.rule.name ?? ""),
        texts.things[sentence.noun](sentence.thing.name ?? "")
      )
    case "retriedTasks":
      return texts.retriedTasksOf(
        "Demo",
        { value: sentence.count, text: `${sentence.count}` },
        sentence.thing.name ?? ""
      )
    default:
      return sentence?.kind ?? null
  }
}

const retry = row("bulk_retry.created", {
  target_type: "bulk_retry",
  target_name: "payment.charge",
  metadata: { total: 30 }
})
const command = row("command.issued", {
  target_type: "command",
  target_name: "payment.charge",
  metadata: { action: "retry_task", target_type: "task", target_id: "t1", engine: "celery" }
})
const rule = row("automation.rule.executed", {
  target_type: "automation_rule",
  target_id: "r1",
  target_name: "Declined cards",
  metadata: { action: "retry", engine: "celery", task_id: "t1", task_name: "payment.charge" }
})
const group = (action: string) =>
  row(`failure_group.${action}`, { target_type: "failure_group", target_id: "9f2c", target_name: "payment.charge" })

describe("a row of the activity", () => {
  it("is a sentence about a user or a rule", () => {
    const rows = [
      [retry, "Demo retried 30 tasks of payment.charge"],
      [{ ...retry, metadata: { total: 1 } }, "Demo retried 1 task of payment.charge"],
      [command, "Demo retried payment.charge"],
      [rule, "Rule Declined cards retried payment.charge"],
      [row("schedule.paused", { target_type: "schedule", target_name: "nightly" }), "Demo paused schedule nightly"],
      [row("schedule.trigger_now", { target_type: "schedule", target_name: "x" }), "Demo triggered schedule x"],
      [row("membership.granted", { target_type: "membership", target_name: "Ada" }), "Demo added member Ada"],
      [row("deploy.marked", { target_type: "deploy", target_name: "v1.4.2" }), "Demo marked deploy v1.4.2"],
      [group("muted"), "Demo muted failure group payment.charge"],
      [group("note_changed"), "Demo wrote a note on failure group payment.charge"],
      [row("auth.login", { target_type: "session" }), "signedIn"]
    ] as const
    for (const [one, text] of rows) assert.strictEqual(write(readSentence(one), en), text)
    assert.strictEqual(write(readSentence(retry), de), "Demo hat 30 Tasks von payment.charge wiederholt")
    assert.strictEqual(write(readSentence(command), de), "Demo hat payment.charge wiederholt")
  })

  it("leads to the target of a command, with its engine", () => {
    const sentence = readSentence(command)
    assert.deepStrictEqual(sentence?.kind === "act" && sentence.thing, {
      type: "task",
      id: "t1",
      name: "payment.charge",
      engine: "celery"
    })
  })

  it("keeps its words where it was refused, or where the dashboard has no sentence for it", () => {
    assert.isNull(readSentence({ ...command, outcome: "deny" }))
    assert.isNull(readSentence(row("task.failed", {})))
    assert.isNull(readSentence(row("secrets.resealed", { target_type: "secret_key" })))
    assert.isNull(readSentence({ ...command, metadata: { ...command.metadata, action: "a newer one" } }))
  })
})
