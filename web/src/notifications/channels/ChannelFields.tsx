import { useTexts } from "../../i18n/Language.tsx"
import { CheckField, SelectField, TextAreaField, TextField } from "../../ui/Fields.tsx"
import { type ChannelField, type ChannelFieldName, smtpPorts } from "./channelTypes.ts"
import { type ChannelConfig, removalOf, writeLines, writePairs } from "./config.ts"

const ports = Object.fromEntries(smtpPorts.map((port) => [port, port]))

const OneField = ({ field: { isRequired, kind, name }, stored }: {
  readonly field: ChannelField
  readonly stored: ChannelConfig | null
}) => {
  const { channels: texts, forms, notifications } = useTexts()
  const label = isRequired ? texts.fields[name] : `${texts.fields[name]} (${forms.optional})`
  const hints: Partial<Record<ChannelFieldName, string>> = texts.fieldHints
  const hint = hints[name]
  const value = stored?.[name]
  const about = { label, name, ...(hint !== undefined && { hint }) }
  switch (kind) {
    case "secret":
    case "secretUrl":
      return (
        <div className="grid gap-2">
          <TextField
            {...about}
            type={kind === "secret" ? "password" : "text"}
            autoComplete="off"
            required={isRequired && value === undefined}
            placeholder={value === undefined ? "" : kind === "secretUrl" ? String(value) : texts.kept}
            {...(value !== undefined && { hint: texts.keptHint })}
          />
          {value !== undefined && !isRequired && <CheckField label={texts.remove} name={removalOf(name)} />}
        </div>
      )
    case "secretPairs":
    case "pairs":
      return <TextAreaField {...about} rows={3} defaultValue={writePairs(value)} />
    case "lines":
      return <TextAreaField {...about} rows={2} required={isRequired} defaultValue={writeLines(value)} />
    case "port":
      return <SelectField {...about} choices={ports} initial={value === undefined ? "587" : String(value)} />
    case "tls":
      return <CheckField {...about} label={texts.fields[name]} defaultChecked={value !== false} />
    case "severity":
      return (
        <SelectField
          {...about}
          choices={{ "": texts.ownSeverity, ...notifications.severities }}
          initial={(value ?? stored?.severity ?? "") as keyof typeof notifications.severities | ""} // the API's own value
        />
      )
    default:
      return (
        <TextField
          {...about}
          type={kind === "url" ? "url" : "text"}
          required={isRequired}
          autoComplete="off"
          defaultValue={typeof value === "string" ? value : ""}
        />
      )
  }
}

/** The fields of one type of channel. */
export const ChannelFields = ({ fields, stored }: {
  readonly fields: ReadonlyArray<ChannelField>
  /** Of a channel that is changed, with its secrets masked. */
  readonly stored: ChannelConfig | null
}) => fields.map((field) => <OneField key={field.name} field={field} stored={stored} />)
