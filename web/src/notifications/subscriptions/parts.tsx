import type { ReactNode } from "react"
import { useTexts } from "../../i18n/Language.tsx"
import { CheckField, TextField } from "../../ui/Fields.tsx"
import type { AnyChannel } from "../channels/channelOwner.ts"

/** A titled part of the form. */
export const FormPart = ({ children, title }: { readonly title: string; readonly children: ReactNode }) => (
  <fieldset className="grid gap-3 border-t border-line pt-3">
    <legend className="float-left text-large font-semibold">{title}</legend>
    <div className="clear-both grid gap-3">{children}</div>
  </fieldset>
)

export const NumberField = ({ initial, label, max, min, name, step = 1 }: {
  readonly label: string
  readonly name: string
  readonly initial: number
  readonly min: number
  readonly max: number
  readonly step?: number
}) => (
  <TextField label={label} name={name} type="number" min={min} max={max} step={step} defaultValue={initial} />
)

/** Some of the channels, as boxes to tick. */
export const ChannelChoice = ({ channels, chosen, label, name }: {
  readonly label: string
  readonly name: string
  readonly channels: ReadonlyArray<AnyChannel>
  /** Ids. */
  readonly chosen: ReadonlyArray<string>
}) => {
  const { subscriptions: texts } = useTexts()
  return (
    <fieldset className="grid content-start gap-2">
      <legend className="float-left font-medium">{label}</legend>
      {channels.length === 0 && <p className="clear-both text-soft">{texts.noChannels}</p>}
      {channels.map((channel) => (
        <CheckField
          key={channel.id}
          label={channel.is_active ? channel.name : texts.inactiveChannel(channel.name)}
          name={name}
          value={channel.id}
          defaultChecked={chosen.includes(channel.id)}
        />
      ))}
    </fieldset>
  )
}
