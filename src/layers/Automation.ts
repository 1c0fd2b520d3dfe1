import { Layer } from "effect"
import { AutomationEngine } from "../services/Automation/Engine.ts"
import { RuleMessages } from "../services/Automation/Messages.ts"
import { ExecutionsRetention } from "../services/Automation/Retention.ts"
import { AutomationRules } from "../services/AutomationRules.ts"

/** Automation rules, and the loops that let them act. */
export const layer = Layer.mergeAll(
  AutomationRules.layer,
  AutomationEngine.layerLoop,
  RuleMessages.layerLoop,
  ExecutionsRetention.layerLoop
)
