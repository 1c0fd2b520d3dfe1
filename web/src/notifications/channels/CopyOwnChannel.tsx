import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { api, unwrap } from "../../api/client.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { fieldText, SelectField, TextField } from "../../ui/Fields.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { ownChannels } from "./channelOwner.ts"
import { useChannels } from "./ChannelsPart.tsx"

/** Copies one of the person's own channels, with its secrets, into the project. */
export const CopyOwnChannel = ({ slug }: { readonly slug: string }) => {
  const { channels: texts, forms } = useTexts()
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const { data: own = [] } = useChannels(ownChannels)
  if (own.length === 0) return null
  const copy = async (form: FormData) => {
    const name = fieldText(form, "channel name")
    await unwrap(api.POST("/api/v1/projects/{slug}/notifications/channels/import_from_user", {
      params: { path: { slug } },
      body: { user_channel_id: fieldText(form, "source"), ...(name !== "" && { name }) }
    }))
    await queries.invalidateQueries({ queryKey: ["channels", slug] })
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>{texts.copyOwn}</Button>
      {isOpen && (
        <FormDialog title={texts.copyOwn} submit={texts.copy} onSubmit={copy} onClose={() => setOpen(false)}>
          <p className="text-soft">{texts.copyOwnHint}</p>
          <SelectField
            label={texts.source}
            name="source"
            choices={Object.fromEntries(own.map(({ id, name }) => [id, name]))}
          />
          <TextField
            label={`${texts.copyName} (${forms.optional})`}
            name="channel name"
            required={false}
            maxLength={200}
          />
        </FormDialog>
      )}
    </>
  )
}
