import { useTexts } from "../../i18n/Language.tsx"
import { DurationField } from "../../ui/DurationField.tsx"
import { CheckField, TextField } from "../../ui/Fields.tsx"
import { defaultRate, passingPriorities, priorities, type Trigger } from "./form.ts"
import { FormPart, NumberField } from "./parts.tsx"
import type { Subscription } from "./subscriptionOwner.ts"

type Filters = Subscription["filters"]

const textOf = (filters: Filters, name: string): string => {
  const value = filters[name]
  return typeof value === "string" ? value : ""
}

const numberOf = (filters: Filters, name: keyof typeof defaultRate): number => {
  const value = filters[name]
  return typeof value === "number" ? value : defaultRate[name]
}

/** Which events of the trigger count. */
export const FilterFields = ({ filters, trigger }: { readonly filters: Filters; readonly trigger: Trigger }) => {
  const { forms, subscriptions: texts } = useTexts()
  const passing = passingPriorities(filters)
  const isTask = trigger.startsWith("task.")
  return (
    <FormPart title={texts.parts.filters}>
      <p className="text-soft">{texts.filterHint}</p>
      {trigger === "task.failure_rate" && (
        <div className="grid items-start gap-4 md:grid-cols-3">
          <NumberField
            label={texts.fields.rate_percent}
            name="rate_percent"
            initial={numberOf(filters, "rate_percent")}
            min={0.1}
            max={100}
            step={0.1}
          />
          <DurationField
            label={texts.fields.window_seconds}
            name="window_seconds"
            initial={numberOf(filters, "window_seconds")}
            min={60}
            max={86_400}
          />
          <NumberField
            label={texts.fields.min_tasks}
            name="min_tasks"
            initial={numberOf(filters, "min_tasks")}
            min={1}
            max={1_000_000}
          />
        </div>
      )}
      <div className="grid items-start gap-4 md:grid-cols-2">
        {isTask && (
          <>
            <TextField
              label={`${texts.fields.task_name} (${forms.optional})`}
              name="task_name"
              hint={texts.patternHint}
              required={false}
              maxLength={500}
              defaultValue={textOf(filters, "task_name")}
            />
            <TextField
              label={`${texts.fields.task_name_pattern} (${forms.optional})`}
              name="task_name_pattern"
              hint={texts.secondPatternHint}
              required={false}
              maxLength={200}
              defaultValue={textOf(filters, "task_name_pattern")}
            />
            <TextField
              label={`${texts.fields.queue} (${forms.optional})`}
              name="queue"
              required={false}
              maxLength={200}
              defaultValue={textOf(filters, "queue")}
            />
          </>
        )}
        <TextField
          label={`${texts.fields.engine} (${forms.optional})`}
          name="engine"
          required={false}
          maxLength={40}
          defaultValue={textOf(filters, "engine")}
        />
      </div>
      {isTask && (
        <fieldset className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <legend className="float-left mr-4 font-medium">{texts.fields.priority}</legend>
          {priorities.map((priority) => (
            <CheckField
              key={priority}
              label={texts.priorities[priority]}
              name="priority"
              value={priority}
              defaultChecked={passing.includes(priority)}
            />
          ))}
        </fieldset>
      )}
    </FormPart>
  )
}
