import { type ReactNode, useId } from "react"
import { TextField } from "./Fields.tsx"

/** A time zone of the IANA database, with the browser's list of them. */
export const ZoneField = ({ hint, initial, label, name }: {
  readonly label: string
  readonly name: string
  readonly initial: string
  readonly hint?: ReactNode
}) => {
  const id = useId()
  return (
    <>
      <TextField
        label={label}
        name={name}
        list={id}
        defaultValue={initial}
        autoComplete="off"
        maxLength={64}
        {...(hint !== undefined && { hint })}
      />
      <datalist id={id}>
        {["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone) => <option key={zone} value={zone} />)}
      </datalist>
    </>
  )
}
