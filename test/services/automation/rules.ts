import type { RuleCreate } from "../../../src/domain/automation/Automation.ts"

/** A rule that retries each failed task, at most three times. */
export const retry: RuleCreate = {
  name: "retry",
  trigger: "task.failed",
  conditions: {},
  actions: [{ type: "retry", max_retries: 3 }],
  dry_run: false,
  is_enabled: true,
  max_executions_per_window: 100,
  window_seconds: 3600
}
