import { Layer } from "effect"
import { RuleBacktests } from "../services/Automation/Backtests.ts"
import { AutomationEngine } from "../services/Automation/Engine.ts"
import { RuleMessages } from "../services/Automation/Messages.ts"
import { ExecutionsRetention } from "../services/Automation/Retention.ts"
import { AutomationRules } from "../services/AutomationRules.ts"

/** Automation rules, and the loops that let them act. */
export const layer = Layer.mergeAll(
  AutomationRules.layer,
  RuleBacktests.layer,
  AutomationEngine.layerLoop,
  RuleMessages.layerLoop,
  ExecutionsRetention.layerLoop
)
