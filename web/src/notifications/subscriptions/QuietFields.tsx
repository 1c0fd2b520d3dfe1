import { useState } from "react"
import { useTexts } from "../../i18n/Language.tsx"
import { CheckField, TextField } from "../../ui/Fields.tsx"
import { ZoneField } from "../../ui/ZoneField.tsx"
import { weekdays } from "./form.ts"
import { FormPart } from "./parts.tsx"
import type { Subscription } from "./subscriptionOwner.ts"

/** When channels stay silent, by the wall clock of a zone. */
export const QuietFields = ({ quiet }: { readonly quiet: Subscription["quiet_hours"] }) => {
  const { subscriptions: texts } = useTexts()
  const [isQuiet, setQuiet] = useState(quiet !== null)
  return (
    <FormPart title={texts.parts.quiet}>
      <CheckField
        label={texts.isQuiet}
        hint={texts.quietHint}
        name="is quiet"
        checked={isQuiet}
        onChange={({ target }) => setQuiet(target.checked)}
      />
      {isQuiet && (
        <>
          <div className="grid items-start gap-4 md:grid-cols-3">
            <TextField label={texts.fields.start} name="start" type="time" defaultValue={quiet?.start ?? "22:00"} />
            <TextField label={texts.fields.end} name="end" type="time" defaultValue={quiet?.end ?? "07:00"} />
            <ZoneField
              label={texts.fields.timezone}
              name="timezone"
              initial={quiet?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
            />
          </div>
          <fieldset className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <legend className="float-left mr-4 font-medium">{texts.fields.days}</legend>
            {weekdays.map((day) => (
              <CheckField
                key={day}
                label={texts.days[day]}
                name="day"
                value={day}
                defaultChecked={quiet?.days?.includes(day) ?? true}
              />
            ))}
          </fieldset>
          <CheckField
            label={texts.exceptCritical}
            name="except_critical"
            defaultChecked={quiet?.except_critical ?? true}
          />
        </>
      )}
    </FormPart>
  )
}
