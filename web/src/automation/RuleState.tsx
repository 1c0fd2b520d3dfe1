import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { automationKey } from "./queries.ts"
import type { Rule } from "./rule.ts"
import { resetBreaker, useCanChangeRule } from "./ruleActs.ts"

/** Whether a rule acts, only says what it would do, or does not take part. */
export const RuleState = ({ rule: { dry_run, is_enabled } }: { readonly rule: Rule }) => {
  const { automation: texts } = useTexts()
  if (!is_enabled) return <span className="whitespace-nowrap text-stopped">{texts.states.off}</span>
  return dry_run
    ? <span className="whitespace-nowrap text-waiting">{texts.states.dryRun}</span>
    : <span className="whitespace-nowrap text-success">{texts.states.active}</span>
}

/** How many executions the breaker has counted, of how many; and a button to arm one that has tripped. */
export const BreakerState = ({ rule, slug }: { readonly slug: string; readonly rule: Rule }) => {
  const { automation: texts } = useTexts()
  const format = useFormat()
  const queries = useQueryClient()
  const canChange = useCanChangeRule(slug)
  const [isAsking, setAsking] = useState(false)
  const { cb_execution_count, cb_tripped, id, max_executions_per_window, name, window_seconds } = rule
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
      <span className="figures whitespace-nowrap">
        {texts.breakerOf(format.number(cb_execution_count), format.number(max_executions_per_window))}{" "}
        <span className="text-soft">{texts.perWindow(format.duration(window_seconds * 1_000))}</span>
      </span>
      {cb_tripped && (
        <>
          <span className="font-medium text-failure" title={texts.trippedHint}>{texts.tripped}</span>
          {canChange(rule) && <Button className="h-6.5" onClick={() => setAsking(true)}>{texts.arm}</Button>}
        </>
      )}
      {isAsking && (
        <FormDialog
          title={texts.armQuestion(name)}
          submit={texts.arm}
          onClose={() => setAsking(false)}
          onSubmit={async () => {
            await resetBreaker(slug, id)
            await queries.invalidateQueries({ queryKey: automationKey(slug) })
          }}
        >
          <p className="text-soft">{texts.armHint}</p>
        </FormDialog>
      )}
    </div>
  )
}
