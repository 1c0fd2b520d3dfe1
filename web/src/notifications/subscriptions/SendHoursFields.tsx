import { useState } from "react"
import { useTexts } from "../../i18n/Language.tsx"
import { CheckField, SelectField, TextField } from "../../ui/Fields.tsx"
import { ZoneField } from "../../ui/ZoneField.tsx"
import { type SendMode, sendModes, weekdays } from "./form.ts"
import { FormPart } from "./parts.tsx"
import type { Subscription } from "./subscriptionOwner.ts"

/** When messages are sent, by the wall clock of a zone. */
export const SendHoursFields = ({ hours }: { readonly hours: Subscription["send_hours"] }) => {
  const { subscriptions: texts } = useTexts()
  const [mode, setMode] = useState<SendMode>(hours?.mode ?? "always")
  return (
    <FormPart title={texts.parts.sendHours}>
      <SelectField
        label={texts.fields.send_mode}
        name="send mode"
        value={mode}
        choices={Object.fromEntries(sendModes.map((one) => [one, texts.sendModes[one]]))}
        onChoose={setMode}
        {...(mode !== "always" && { hint: texts.sendHint })}
      />
      {mode !== "always" && (
        <>
          <div className="grid items-start gap-4 md:grid-cols-3">
            <TextField label={texts.fields.start} name="start" type="time" defaultValue={hours?.start ?? "22:00"} />
            <TextField label={texts.fields.end} name="end" type="time" defaultValue={hours?.end ?? "07:00"} />
            <ZoneField
              label={texts.fields.timezone}
              name="timezone"
              initial={hours?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
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
                defaultChecked={hours?.days?.includes(day) ?? true}
              />
            ))}
            <span className="text-soft">{texts.noneMeansAll}</span>
          </fieldset>
          <CheckField
            key={mode}
            label={texts.alwaysCritical}
            name="always_critical"
            defaultChecked={hours?.mode === mode ? hours.always_critical : mode === "except"}
          />
        </>
      )}
    </FormPart>
  )
}
