import { assert, describe, it } from "@effect/vitest"
import { summarize } from "../../web/src/activity/summary.ts"
import { bodyOf, draftOf, fieldOf, isComplete, issuesOf, newDraft, type Rule } from "../../web/src/automation/rule.ts"

const saved: Rule = {
  id: "01a20c12-aa08-7a00-8527-8fd4971c5ab2",
  project_id: "01a20c11-bde8-73f2-b98c-925c1510ddcf",
  name: "Retry lost connections",
  is_enabled: false,
  dry_run: false,
  trigger: "task.failed",
  conditions: { task_name: ["mail.*", "shop.*"], priority: "high", runtime: { min_ms: 1000 } },
  actions: [{ type: "retry", max_retries: 5 }, { type: "notify", channel_ids: ["a"], in_app: false }],
  max_executions_per_window: 10,
  window_seconds: 60,
  cb_tripped: false,
  cb_execution_count: 0,
  created_by: null,
  created_at: "2026-01-31T09:26:53.589793Z",
  updated_at: "2026-01-31T09:26:53.589793Z"
}

describe("the form of a rule", () => {
  it("gives back the rule that it shows", () => {
    const { actions, conditions, dry_run, is_enabled, max_executions_per_window, name, trigger, window_seconds } = saved
    assert.deepStrictEqual(bodyOf(draftOf(saved)), {
      name,
      trigger,
      conditions,
      actions,
      dry_run,
      is_enabled,
      max_executions_per_window,
      window_seconds
    })
  })

  it("leaves out conditions without a value, and those that the trigger cannot evaluate", () => {
    const draft = { ...newDraft, keys: ["task_name", "engine", "exception"] } as const
    assert.deepStrictEqual(bodyOf(draft).conditions, {})
    const lines = { ...newDraft.lines, engine: " celery \n\nrq\n", exception: "Timeout" }
    assert.deepStrictEqual(bodyOf({ ...draft, lines }).conditions, { engine: ["celery", "rq"], exception: "Timeout" })
    const offline = { ...draft, lines, trigger: "worker.offline", onTask: "retry" } as const
    assert.deepStrictEqual(bodyOf(offline).conditions, { engine: ["celery", "rq"] })
    assert.deepStrictEqual(bodyOf(offline).actions, [{ type: "notify", in_app: true, channel_ids: [] }])
  })

  it("is complete with numbers that the API accepts", () => {
    assert.isTrue(isComplete(newDraft))
    for (const change of [{ maxExecutions: "" }, { windowSeconds: "0" }, { onTask: "retry", maxRetries: "1.5" }]) {
      assert.isFalse(isComplete({ ...newDraft, ...change } as typeof newDraft))
    }
  })

  it("shows each issue at its field, also those of a backtest", () => {
    const body = bodyOf(draftOf(saved))
    const paths = [
      "name",
      "rule.conditions.task_name.1",
      "actions.0.max_retries",
      "actions.1.channel_ids",
      "window_seconds"
    ]
    const issues = issuesOf({ issues: paths.map((path) => ({ path, message: "is wrong" })) })
    assert.deepStrictEqual(issues.map((issue) => fieldOf(issue, body)), [
      "name",
      "task_name",
      "retry",
      "notify",
      "window_seconds"
    ])
    assert.deepStrictEqual(issuesOf({}), [])
  })
})

describe("the summary of a row of the audit log", () => {
  it("has the three most telling values, and no nested ones", () => {
    const metadata = {
      by: "agent",
      agent_id: "a",
      engine: "celery",
      name: "mail.send",
      tags: ["x"],
      exception: "Timeout"
    }
    assert.deepStrictEqual(summarize(metadata), [["name", "mail.send"], ["exception", "Timeout"], ["by", "agent"]])
    assert.deepStrictEqual(summarize({ filter: {}, empty: "" }), [])
  })
})
