import { AutomationRules } from "../../../services/automation/AutomationRules.ts"
import { RuleBacktests } from "../../../services/automation/Backtests.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup("automation", function*(handlers) {
  const rules = yield* AutomationRules
  const backtests = yield* RuleBacktests
  return handlers
    .handle("list", () => rules.list())
    .handle("create", ({ payload }) => rules.create(payload))
    .handle("backtest", ({ payload }) => backtests.run(payload))
    .handle("get", ({ path }) => rules.get(path.rule_id))
    .handle("update", ({ path, payload }) => rules.update(path.rule_id, payload))
    .handle("remove", ({ path }) => rules.remove(path.rule_id))
    .handle("resetCircuit", ({ path }) => rules.resetCircuit(path.rule_id))
    .handle("executions", ({ path, urlParams }) => rules.listExecutions(path.rule_id, urlParams))
    .handle("getSettings", () => rules.getSettings())
    .handle("setSettings", ({ payload }) => rules.setSettings(payload))
})
