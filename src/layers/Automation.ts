import { Layer } from "effect"
import { AutomationRules } from "../services/automation/AutomationRules.ts"
import { RuleBacktests } from "../services/automation/Backtests.ts"
import { AutomationEngine } from "../services/automation/Engine.ts"
import { RuleMessages } from "../services/automation/Messages.ts"
import * as Retention from "../services/automation/Retention.ts"

/** Automation rules, and the loops that let them act. */
export const layer = Layer.mergeAll(
  AutomationRules.layer,
  RuleBacktests.layer,
  AutomationEngine.layerLoop,
  RuleMessages.layerLoop,
  Retention.layerLoop
)
