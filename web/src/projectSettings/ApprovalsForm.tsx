import type { Schemas } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { CheckField, fieldText, TextField } from "../ui/Fields.tsx"
import { InlineForm } from "../ui/InlineForm.tsx"
import { useProjectChange } from "./project.ts"

/** The policy as the API has it: null where nothing waits. */
const policyOf = (form: FormData): Schemas["ApprovalPolicy"] | null => {
  const over = fieldText(form, "bulk_over")
  const policy = {
    purge: form.get("purge") !== null,
    bulk_over: over === "" ? null : Number(over),
    destructive_rules: form.get("rules") !== null
  }
  return policy.purge || policy.destructive_rules || policy.bulk_over !== null ? policy : null
}

/** Which actions wait for a second person. */
export const ApprovalsForm = ({ project: { approvals, slug } }: { readonly project: Schemas["Project"] }) => {
  const { projectSettings: texts } = useTexts()
  const change = useProjectChange(slug)
  return (
    <InlineForm onSubmit={(form) => change({ approvals: policyOf(form) })}>
      <p className="text-soft">{approvals === null ? texts.approvalsHint : texts.approvalsActiveHint}</p>
      <CheckField name="purge" label={texts.holdPurges} defaultChecked={approvals?.purge === true} />
      <CheckField
        name="rules"
        label={texts.holdRules}
        hint={texts.holdRulesHint}
        defaultChecked={approvals?.destructive_rules === true}
      />
      <TextField
        label={texts.holdBulk}
        hint={texts.holdBulkHint}
        name="bulk_over"
        type="number"
        min={0}
        max={10_000}
        required={false}
        defaultValue={approvals?.bulk_over ?? ""}
        className="max-w-40"
      />
    </InlineForm>
  )
}
