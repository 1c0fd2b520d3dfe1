import { Layer } from "effect"
import { AutomationRules } from "./AutomationRules.ts"
import { RuleBacktests } from "./Backtests.ts"
import { AutomationEngine } from "./Engine.ts"
import { RuleMessages } from "./Messages.ts"

/*
 * What the brain does by itself when something happens (docs/automation.md):
 *
 * 1. People keep the rules of a project by `AutomationRules`, and try them on the stored past by `RuleBacktests`.
 * 2. A trigger event waits in the outbox of `triggers/`. `AutomationEngine` takes it: `Decide.ts` says what each rule does,
 *    within the breaker, the ceiling and the loop guard, whose chains of retries `Chains.ts` loads.
 * 3. What is decided is a row of the log (`ExecutionsRepo`), and a command of `commands/` or a message of `RuleMessages`,
 *    which become deliveries of `alerting/`, at most one a minute about one condition.
 */

/** What people use, and the loops that let rules act and send deferred messages. */
export const layer = Layer.mergeAll(
  AutomationRules.layer,
  RuleBacktests.layer,
  AutomationEngine.layerLoop,
  RuleMessages.layerLoop
)
