import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { draftFields } from "../ui/draftFields.ts"
import { DurationField } from "../ui/DurationField.tsx"
import { CheckField, TextAreaField } from "../ui/Fields.tsx"
import { FilterSelect } from "../ui/FilterSelect.tsx"
import { Icon } from "../ui/Icon.tsx"
import { type ConditionKey, keysOf, priorities, type RuleDraft } from "./rule.ts"

export interface FieldsProps {
  readonly draft: RuleDraft
  readonly onChange: (change: Partial<RuleDraft>) => void
  /** What is wrong with a field, by its name in the API. */
  readonly problemOf: (field: string) => string | null
}

const RuntimeFields = ({ draft, onChange, problemOf }: FieldsProps) => {
  const { automation: texts } = useTexts()
  const fields = draftFields(draft, onChange)
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <DurationField
        label={`${texts.keys.runtime}: ${texts.minMs}`}
        unit="ms"
        required={false}
        problem={problemOf("runtime")}
        {...fields.duration("minMs")}
      />
      <DurationField
        label={`${texts.keys.runtime}: ${texts.maxMs}`}
        unit="ms"
        required={false}
        {...fields.duration("maxMs")}
      />
    </div>
  )
}

const PriorityFields = ({ draft, onChange, problemOf }: FieldsProps) => {
  const { automation: texts } = useTexts()
  const problem = problemOf("priority")
  return (
    <fieldset className="grid gap-1">
      <legend className="font-medium">{texts.keys.priority}</legend>
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {priorities.map((priority) => (
          <CheckField
            key={priority}
            label={texts.priorities[priority]}
            checked={draft.priorities.includes(priority)}
            onChange={({ target }) =>
              onChange({
                priorities: priorities.filter((one) =>
                  one === priority ? target.checked : draft.priorities.includes(one)
                )
              })}
          />
        ))}
      </div>
      {problem !== null && <p className="text-failure">{problem}</p>}
    </fieldset>
  )
}

const ConditionField = ({ conditionKey, ...props }: FieldsProps & { readonly conditionKey: ConditionKey }) => {
  const { automation: texts } = useTexts()
  if (conditionKey === "runtime") return <RuntimeFields {...props} />
  if (conditionKey === "priority") return <PriorityFields {...props} />
  const { draft, onChange, problemOf } = props
  const lines = draft.lines[conditionKey]
  return (
    <TextAreaField
      label={texts.keys[conditionKey]}
      hint={texts.keyHints[conditionKey]}
      rows={Math.max(1, lines.split("\n").length)}
      value={lines}
      problem={problemOf(conditionKey)}
      onChange={({ target }) => onChange({ lines: { ...draft.lines, [conditionKey]: target.value } })}
    />
  )
}

/** The conditions of a rule: those that its trigger can evaluate, one field each. */
export const ConditionFields = (props: FieldsProps) => {
  const { automation: texts } = useTexts()
  const { draft, onChange } = props
  const available = keysOf(draft.trigger)
  const shown = draft.keys.filter((key) => available.includes(key))
  const further = available.filter((key) => !draft.keys.includes(key))
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-2 font-semibold">{texts.conditionsTitle}</legend>
      <p className="text-soft">{texts.conditionsHint}</p>
      {shown.map((key) => (
        <div key={key} className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <ConditionField {...props} conditionKey={key} />
          </div>
          <Button
            variant="quiet"
            className="mt-6 px-2"
            aria-label={texts.removeCondition(texts.keys[key])}
            title={texts.removeCondition(texts.keys[key])}
            onClick={() => onChange({ keys: draft.keys.filter((one) => one !== key) })}
          >
            <Icon name="close" />
          </Button>
        </div>
      ))}
      {further.length > 0 && (
        <FilterSelect
          label={texts.addCondition}
          any={`${texts.addCondition}…`}
          choices={Object.fromEntries(further.map((key) => [key, texts.keys[key]]))}
          value={undefined}
          className="w-fit"
          onChoose={(chosen) => {
            const key = further.find((one) => one === chosen)
            if (key !== undefined) onChange({ keys: [...draft.keys, key] })
          }}
        />
      )}
    </fieldset>
  )
}
