import type { FormEvent } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { ApprovalLink } from "../ui/ApprovalLink.tsx"
import { Button } from "../ui/Button.tsx"
import { draftFields } from "../ui/draftFields.ts"
import { DurationField } from "../ui/DurationField.tsx"
import { CheckField, SelectField, TextField } from "../ui/Fields.tsx"
import { Problem } from "../ui/Problem.tsx"
import { ActionFields } from "./ActionFields.tsx"
import { ConditionFields, type FieldsProps } from "./ConditionFields.tsx"

const maxNameLength = 200

const SafetyFields = ({ draft, isNew, onChange, problemOf }: FieldsProps & { readonly isNew: boolean }) => {
  const { automation: texts } = useTexts()
  const fields = draftFields(draft, onChange)
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-2 font-semibold">{texts.safety}</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label={texts.maxExecutions}
          type="number"
          min={1}
          max={100_000}
          {...fields.text("maxExecutions")}
          problem={problemOf("max_executions_per_window")}
        />
        <DurationField
          label={texts.windowSeconds}
          min={1}
          max={604_800}
          problem={problemOf("window_seconds")}
          {...fields.duration("windowSeconds")}
        />
      </div>
      {isNew && <CheckField label={texts.dryRun} hint={texts.dryRunHint} {...fields.check("dryRun")} />}
    </fieldset>
  )
}

/** The form of a rule, also of one that the person may only read. */
export const RuleForm = (
  { approvalId, failure, isBusy, isChanged, isNew, isReadOnly, onSubmit, slug, ...props }: FieldsProps & {
    readonly slug: string
    readonly isNew: boolean
    readonly isReadOnly: boolean
    readonly isBusy: boolean
    readonly isChanged: boolean
    /** Why the change was refused, where no field says it; null: it was not. */
    readonly failure: unknown
    /** The approval that the change waits for. */
    readonly approvalId: string | null
    readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void
  }
) => {
  const { automation: texts, forms } = useTexts()
  const { draft, onChange, problemOf } = props
  const fields = draftFields(draft, onChange)
  return (
    <form onSubmit={onSubmit}>
      <fieldset disabled={isReadOnly} className="grid gap-6 px-4 py-4">
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            label={texts.name}
            {...fields.text("name")}
            maxLength={maxNameLength}
            autoFocus={isNew}
            problem={problemOf("name")}
          />
          <SelectField
            label={texts.trigger}
            choices={texts.triggers}
            {...fields.choice("trigger")}
          />
        </div>
        <ConditionFields {...props} />
        <ActionFields slug={slug} {...props} />
        <SafetyFields isNew={isNew} {...props} />
      </fieldset>
      <div className="grid gap-2 border-t border-line px-4 py-3">
        {failure !== null && <Problem error={failure} />}
        {approvalId !== null && (
          <p role="status">
            {forms.requested} <ApprovalLink id={approvalId} />
          </p>
        )}
        {isReadOnly ? <p className="text-soft">{texts.readOnly}</p> : (
          <div>
            <Button type="submit" variant="primary" disabled={isBusy || !isChanged}>{texts.save}</Button>
          </div>
        )}
      </div>
    </form>
  )
}
