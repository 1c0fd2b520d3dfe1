import type { Schemas } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"

type Outcome = Schemas["RuleExecution"]["outcome"]

const colours: Readonly<Record<Outcome, string>> = {
  executed: "text-success",
  dry_run: "text-waiting",
  degraded: "text-retry",
  ceiling: "text-retry",
  loop_guard: "text-retry",
  not_allowed: "text-stopped"
}

/** What became of an event that matched a rule. */
export const OutcomeMark = ({ isTried = false, outcome }: {
  readonly outcome: Outcome
  /** Of a try on the past: nothing was done. */
  readonly isTried?: boolean
}) => {
  const { automation: texts } = useTexts()
  const shown = isTried && outcome === "executed" ? "dry_run" : outcome
  return <span className={colours[shown]}>{texts.outcomes[shown]}</span>
}
