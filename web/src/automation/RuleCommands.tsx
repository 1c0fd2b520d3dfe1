import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { api, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { automationKey, rulesQuery } from "./queries.ts"
import type { Rule } from "./rule.ts"
import { updateRule, useCanChangeRule, useUpdateRule } from "./ruleActs.ts"
import { RuleSentence } from "./RuleSentence.tsx"

type Question = "act" | "remove"

/** Enables, disables and deletes a rule, and ends its dry run. Only what lets a rule act, or cannot be undone, asks. */
export const RuleCommands = ({ rule, slug }: { readonly slug: string; readonly rule: Rule }) => {
  const { automation: texts, forms } = useTexts()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const canChange = useCanChangeRule(slug)
  const update = useUpdateRule(slug, rule.id)
  const [question, setQuestion] = useState<Question | null>(null)
  if (!canChange(rule)) return null
  const close = () => setQuestion(null)
  return (
    <div className="ml-auto flex flex-wrap gap-2">
      {rule.dry_run
        ? <Button onClick={() => setQuestion("act")}>{texts.endDryRun}</Button>
        : (
          <Button disabled={update.isPending} onClick={() => update.mutate({ dry_run: true })}>
            {texts.startDryRun}
          </Button>
        )}
      <Button disabled={update.isPending} onClick={() => update.mutate({ is_enabled: !rule.is_enabled })}>
        {rule.is_enabled ? texts.disable : texts.enable}
      </Button>
      <Button variant="danger" onClick={() => setQuestion("remove")}>{forms.delete}</Button>
      {question === "act" && (
        <FormDialog
          title={texts.endDryRunQuestion}
          submit={texts.endDryRun}
          onClose={close}
          onSubmit={async () => {
            await updateRule(slug, rule.id, { dry_run: false })
            await queries.invalidateQueries({ queryKey: automationKey(slug) })
          }}
        >
          <p className="text-soft">{texts.endDryRunHint}</p>
          <RuleSentence rule={rule} />
        </FormDialog>
      )}
      {question === "remove" && (
        <FormDialog
          title={texts.removeQuestion(rule.name)}
          submit={forms.delete}
          variant="danger"
          phrase={rule.name}
          onClose={close}
          onSubmit={async () => {
            await unwrap(
              api.DELETE("/api/v1/projects/{slug}/automation/rules/{rule_id}", {
                params: { path: { slug, rule_id: rule.id } }
              })
            )
            await navigate({ to: "/projects/$slug/automation", params: { slug } })
            await queries.invalidateQueries({ queryKey: rulesQuery(slug).queryKey })
          }}
        >
          <p className="text-soft">{texts.removeHint}</p>
        </FormDialog>
      )}
    </div>
  )
}
