import type { FormEvent } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { ApprovalLink } from "../ui/ApprovalLink.tsx"
import { Button } from "../ui/Button.tsx"
import { DurationField } from "../ui/DurationField.tsx"
import { CheckField, SelectField, TextField } from "../ui/Fields.tsx"
import { Problem } from "../ui/Problem.tsx"
import { ActionFields } from "./ActionFields.tsx"
import { ConditionFields, type FieldsProps } from "./ConditionFields.tsx"

const maxNameLength = 200

const SafetyFields = ({ draft, isNew, onChange, problemOf }: FieldsProps & { readonly isNew: boolean }) => {
  const { automation: texts } = useTexts()
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-2 font-semibold">{texts.safety}</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label={texts.maxExecutions}
          type="number"
          min={1}
          max={100_000}
          value={draft.maxExecutions}
          problem={problemOf("max_executions_per_window")}
          onChange={({ target }) => onChange({ maxExecutions: target.value })}
        />
        <DurationField
          label={texts.windowSeconds}
          min={1}
          max={604_800}
          initial={draft.windowSeconds}
          problem={problemOf("window_seconds")}
          onValue={(windowSeconds) => onChange({ windowSeconds })}
        />
      </div>
      {isNew && (
        <CheckField
          label={texts.dryRun}
          hint={texts.dryRunHint}
          checked={draft.dryRun}
          onChange={({ target }) => onChange({ dryRun: target.checked })}
        />
      )}
    </fieldset>
  )
}

/** The form of a rule, also of one that the person may only read. */
export const RuleForm = (
  { approvalId, failure, isBusy, isChanged, isNew, isReadOnly, onSave, slug, ...fields }: FieldsProps & {
    readonly slug: string
    readonly isNew: boolean
    readonly isReadOnly: boolean
    readonly isBusy: boolean
    readonly isChanged: boolean
    /** Why the change was refused, where no field says it; null: it was not. */
    readonly failure: unknown
    /** The approval that the change waits for. */
    readonly approvalId: string | null
    readonly onSave: (form: HTMLFormElement) => void
  }
) => {
  const { automation: texts, forms } = useTexts()
  const { draft, onChange, problemOf } = fields
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSave(event.currentTarget)
  }
  return (
    <form onSubmit={submit}>
      <fieldset disabled={isReadOnly} className="grid gap-6 px-4 py-4">
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            label={texts.name}
            value={draft.name}
            maxLength={maxNameLength}
            autoFocus={isNew}
            problem={problemOf("name")}
            onChange={({ target }) => onChange({ name: target.value })}
          />
          <SelectField
            label={texts.trigger}
            value={draft.trigger}
            choices={texts.triggers}
            onChoose={(trigger) => onChange({ trigger })}
          />
        </div>
        <ConditionFields {...fields} />
        <ActionFields slug={slug} {...fields} />
        <SafetyFields isNew={isNew} {...fields} />
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
