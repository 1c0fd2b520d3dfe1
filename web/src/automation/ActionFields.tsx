import { useQuery } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { draftFields } from "../ui/draftFields.ts"
import { CheckField, SelectField, TextField } from "../ui/Fields.tsx"
import type { FieldsProps } from "./ConditionFields.tsx"
import { isAboutTask } from "./rule.ts"

const ChannelFields = ({ draft: { channelIds }, onChange, slug }: FieldsProps & { readonly slug: string }) => {
  const { automation: texts } = useTexts()
  const format = useFormat()
  const isAdmin = useCan(slug, "admin")
  const { data: channels } = useQuery({
    queryKey: ["channels", slug, "names"],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/notifications/channels", { params: { path: { slug } } })),
    enabled: isAdmin
  })
  if (!isAdmin) {
    return channelIds.length === 0 ?
      null :
      <p className="text-soft">{texts.channelsKept(format.count(channelIds.length))}</p>
  }
  if (channels === undefined) return null
  if (channels.length === 0) return <p className="text-soft">{texts.noChannels}</p>
  return (
    <fieldset className="grid gap-1">
      <legend className="text-soft">{texts.channelsTitle}</legend>
      {channels.map(({ id, name, type }) => (
        <CheckField
          key={id}
          label={`${name} (${type})`}
          checked={channelIds.includes(id)}
          onChange={({ target }) =>
            onChange({ channelIds: target.checked ? [...channelIds, id] : channelIds.filter((one) => one !== id) })}
        />
      ))}
    </fieldset>
  )
}

/** What a rule does: retry or cancel the task, and whom it notifies. */
export const ActionFields = (props: FieldsProps & { readonly slug: string }) => {
  const { automation: texts } = useTexts()
  const { draft, onChange, problemOf, slug } = props
  const fields = draftFields(draft, onChange)
  const isAdmin = useCan(slug, "admin")
  const { none } = texts.onTaskChoices
  const choices: Partial<Record<typeof draft.onTask, string>> = isAdmin || draft.onTask !== "none"
    ? texts.onTaskChoices
    : { none }
  const problem = problemOf("actions") ?? problemOf("cancel") ?? problemOf("notify")
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-2 font-semibold">{texts.actionsTitle}</legend>
      {!isAboutTask(draft.trigger) ?
        <p className="text-soft">{texts.withoutTask}</p> :
        (
          <div className="grid gap-3 sm:grid-cols-2">
            <SelectField
              label={texts.onTask}
              choices={choices}
              {...(!isAdmin && { hint: texts.needsAdmin })}
              {...fields.choice("onTask")}
            />
            {draft.onTask === "retry" && (
              <TextField
                label={texts.maxRetries}
                type="number"
                min={1}
                max={100}
                {...fields.text("maxRetries")}
                problem={problemOf("retry")}
              />
            )}
          </div>
        )}
      <CheckField
        label={texts.notify}
        {...fields.check("notifies")}
      />
      {draft.notifies && (
        <div className="grid gap-2 pl-5">
          <CheckField
            label={texts.inApp}
            {...fields.check("inApp")}
          />
          <ChannelFields {...props} />
        </div>
      )}
      {problem !== null && <p className="text-failure">{problem}</p>}
    </fieldset>
  )
}
