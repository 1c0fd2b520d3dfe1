import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useTexts } from "../../i18n/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { CheckField, fieldText, SelectField, TextField } from "../../ui/Fields.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { ChannelFields } from "./ChannelFields.tsx"
import type { AnyChannel, ChannelOwner } from "./channelOwner.ts"
import { channelTypeNames, channelTypes, isChannelType } from "./channelTypes.ts"
import { readConfig } from "./config.ts"
import { TestResult } from "./TestResult.tsx"

/** A new channel, or a change of one. What the form says can be tried before it is saved. */
export const ChannelDialog = ({ channel, onClose, owner }: {
  readonly owner: ChannelOwner
  /** The one to change; null: a new one. */
  readonly channel: AnyChannel | null
  readonly onClose: () => void
}) => {
  const { channels: texts, forms } = useTexts()
  const queries = useQueryClient()
  const test = useMutation({ mutationFn: owner.testConfig })
  const [type, setType] = useState(channel !== null && isChannelType(channel.type) ? channel.type : "webhook")
  const fields = channelTypes[type]
  const stored = channel?.config ?? null
  const save = async (form: FormData) => {
    const name = fieldText(form, "channel name")
    const config = readConfig(fields, form, stored)
    if (channel === null) await owner.create({ name, type, config, is_active: form.has("is active") })
    else await owner.update(channel.id, { name, config })
    await queries.invalidateQueries({ queryKey: owner.key })
  }
  return (
    <FormDialog
      size="large"
      title={channel === null ? texts.createTitle : texts.editTitle(channel.name)}
      submit={channel === null ? forms.create : forms.save}
      onSubmit={save}
      onClose={onClose}
    >
      <div className="grid items-start gap-4 md:grid-cols-2">
        <TextField
          label={texts.name}
          name="channel name"
          maxLength={200}
          defaultValue={channel?.name ?? ""}
          data-autofocus
        />
        {channel === null && (
          <SelectField
            label={texts.type}
            value={type}
            choices={texts.types}
            onChoose={(chosen) => {
              test.reset()
              setType(channelTypeNames.find((one) => one === chosen) ?? type)
            }}
          />
        )}
      </div>
      <p className="text-soft">{texts.typeHints[type]}</p>
      <div key={type} className="grid items-start gap-4 md:grid-cols-2">
        <ChannelFields fields={fields} stored={stored} />
      </div>
      {channel === null && <CheckField label={texts.activeField} name="is active" defaultChecked />}
      <div className="grid gap-2">
        <div className="flex flex-wrap items-center gap-3">
          <Button
            disabled={test.isPending}
            onClick={({ currentTarget: { form } }) => {
              if (form === null || !form.reportValidity()) return
              test.mutate({ type, config: readConfig(fields, new FormData(form), null) })
            }}
          >
            {texts.testForm}
          </Button>
          <span className="text-soft">{channel === null ? texts.testFormHint : texts.testChangeHint}</span>
        </div>
        <TestResult test={test} />
      </div>
    </FormDialog>
  )
}
