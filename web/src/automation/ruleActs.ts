import { api, unwrap } from "../api/client.ts"
import { useCan } from "../session/permissions.ts"
import { useAction } from "../ui/useAction.ts"
import { automationKey } from "./queries.ts"
import { isDestructive, type Rule, type RuleShape } from "./rule.ts"

/** Whether the person may change such a rule: rules that retry or cancel are for admins (docs/automation.md). */
export const useCanChangeRule = (slug: string) => {
  const isOperator = useCan(slug, "operator")
  const isAdmin = useCan(slug, "admin")
  return (rule: Pick<RuleShape, "actions">) => (isDestructive(rule) ? isAdmin : isOperator)
}

export const updateRule = (slug: string, ruleId: string, change: Partial<Rule>) =>
  unwrap(
    api.PATCH("/api/v1/projects/{slug}/automation/rules/{rule_id}", {
      params: { path: { slug, rule_id: ruleId } },
      body: change
    })
  )

export const resetBreaker = (slug: string, ruleId: string) =>
  unwrap(
    api.POST("/api/v1/projects/{slug}/automation/rules/{rule_id}/reset-circuit", {
      params: { path: { slug, rule_id: ruleId } }
    })
  )

/** Changes fields of a rule by one click. */
export const useUpdateRule = (slug: string, ruleId: string) =>
  useAction(automationKey(slug), (change: Partial<Rule>) => updateRule(slug, ruleId, change))
