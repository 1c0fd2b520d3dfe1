import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useTexts } from "../../i18n/Language.tsx"
import { useCan } from "../../session/permissions.ts"
import { meQuery } from "../../session/session.ts"
import { lastProjectOf } from "../../shell/lastProject.ts"
import { SelectField } from "../../ui/Fields.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { channelsOfProject, ownChannels } from "../channels/channelOwner.ts"
import { useChannels } from "../channels/ChannelsPart.tsx"
import { FilterFields } from "./FilterFields.tsx"
import { readSubscription, type Trigger, triggersFor } from "./form.ts"
import { type PresetName, presets, presetsFor } from "./presets.ts"
import { SendHoursFields } from "./SendHoursFields.tsx"
import type { Subscription, SubscriptionOwner } from "./subscriptionOwner.ts"
import { type Choices, EscalationFields, GroupingFields, TargetFields } from "./TargetFields.tsx"

/** The channels that messages of a subscription may go to; undefined while they are read. */
const useChoices = (slug: string, isPersonal: boolean): Choices | undefined => {
  const isAdmin = useCan(slug, "admin") // only admins list a project's channels
  const project = useChannels(channelsOfProject(slug), isAdmin && slug !== "")
  const own = useChannels(ownChannels, isPersonal)
  if ((isAdmin && slug !== "" && project.isPending) || (isPersonal && own.isPending)) return undefined
  return { project: isAdmin ? project.data ?? [] : null, own: isPersonal ? own.data ?? [] : null }
}

/** A new subscription, or a change of one: of a project, or of a person in one of their projects. */
export const SubscriptionDialog = ({ onClose, owner, slug, subscription }: {
  readonly owner: SubscriptionOwner
  /** The project of a default; of a personal one the person chooses it. */
  readonly slug: string | null
  readonly subscription: Subscription | null
  readonly onClose: () => void
}) => {
  const { forms, notifications, subscriptions: texts } = useTexts()
  const queries = useQueryClient()
  const { data: me } = useQuery(meQuery)
  const memberships = me?.memberships ?? []
  const first = subscription === null
    ? lastProjectOf(memberships, ({ project_slug }) => project_slug)
    : memberships.find(({ project_id }) => project_id === subscription.project_id)
  const [chosenSlug, setSlug] = useState(slug ?? first?.project_slug ?? "")
  const [trigger, setTrigger] = useState<Trigger>(subscription?.trigger ?? "task.failed")
  const choices = useChoices(chosenSlug, owner.isPersonal)
  const triggers = triggersFor(owner.isPersonal)
  const [preset, setPreset] = useState<PresetName | "">("")
  const shown: Partial<Subscription> = subscription ?? (preset === "" ? {} : presets[preset]())
  const choosePreset = (name: PresetName | "") => {
    setPreset(name)
    if (name !== "") setTrigger(presets[name]().trigger)
  }
  const save = async (form: FormData) => {
    const hidden = choices === undefined || choices.project === null
      ? { escalation: subscription?.escalation?.project_channel_ids ?? [] }
      : null
    const body = readSubscription(form, owner.isPersonal, hidden)
    const projectId = memberships.find(({ project_slug }) => project_slug === chosenSlug)?.project_id ?? ""
    await (subscription === null ? owner.create(body, projectId) : owner.update(subscription.id, body))
    await queries.invalidateQueries({ queryKey: owner.key })
  }
  return (
    <FormDialog
      size="large"
      title={subscription === null ? texts.create : texts.edit}
      submit={subscription === null ? forms.create : forms.save}
      onSubmit={save}
      onClose={onClose}
    >
      <div className="grid items-start gap-4 md:grid-cols-2">
        {subscription === null && (
          <SelectField<PresetName | "">
            label={texts.fields.preset}
            value={preset}
            choices={{
              "": texts.noPreset,
              ...Object.fromEntries(presetsFor(triggers).map((name) => [name, texts.presets[name]]))
            }}
            onChoose={choosePreset}
          />
        )}
        <SelectField<string>
          label={texts.fields.trigger}
          name="trigger"
          value={trigger}
          choices={Object.fromEntries(triggers.map((one) => [one, notifications.triggers[one]]))}
          onChoose={(chosen) => setTrigger(triggers.find((one) => one === chosen) ?? trigger)}
        />
        {slug === null && subscription === null && (
          <SelectField
            label={texts.fields.project}
            value={chosenSlug}
            choices={Object.fromEntries(memberships.map(({ project_slug }) => [project_slug, project_slug]))}
            onChoose={setSlug}
          />
        )}
      </div>
      <FilterFields key={`${preset} filters`} filters={shown.filters ?? {}} trigger={trigger} />
      {choices !== undefined && <TargetFields key={chosenSlug} choices={choices} subscription={subscription} />}
      <GroupingFields key={`${preset} grouping`} subscription={shown} />
      <SendHoursFields key={`${preset} hours`} hours={shown.send_hours ?? null} />
      {choices !== undefined && (
        <EscalationFields
          key={`${chosenSlug} escalation`}
          choices={choices}
          escalation={subscription?.escalation ?? null}
        />
      )}
    </FormDialog>
  )
}
