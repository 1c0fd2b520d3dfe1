import { useState } from "react"
import { useTexts } from "../../i18n/Language.tsx"
import { DurationField } from "../../ui/DurationField.tsx"
import { CheckField } from "../../ui/Fields.tsx"
import type { AnyChannel } from "../channels/channelOwner.ts"
import { defaultEscalationMinutes, defaultGrouping } from "./form.ts"
import { ChannelChoice, FormPart } from "./parts.tsx"
import type { Subscription } from "./subscriptionOwner.ts"

/** The channels to choose from; null: the person may not list the project's, or there are none of a person. */
export interface Choices {
  readonly project: ReadonlyArray<AnyChannel> | null
  readonly own: ReadonlyArray<AnyChannel> | null
}

const Channels = ({ chosenOwn, chosenProject, choices: { own, project }, prefix }: {
  readonly choices: Choices
  readonly chosenProject: ReadonlyArray<string>
  readonly chosenOwn: ReadonlyArray<string>
  /** Of the names of the fields. */
  readonly prefix: "" | "escalation "
}) => {
  const { subscriptions: texts } = useTexts()
  return (
    <div className="grid items-start gap-4 md:grid-cols-2">
      {own !== null && (
        <ChannelChoice label={texts.ownChannels} name={`own ${prefix}channel`} channels={own} chosen={chosenOwn} />
      )}
      {project === null
        ? <p className="text-soft">{texts.hiddenChannels}</p>
        : (
          <ChannelChoice
            label={texts.projectChannels}
            name={prefix === "" ? "project channel" : "escalation channel"}
            channels={project}
            chosen={chosenProject}
          />
        )}
    </div>
  )
}

/** Where messages go. */
export const TargetFields = ({ choices, subscription }: {
  readonly choices: Choices
  readonly subscription: Subscription | null
}) => {
  const { subscriptions: texts } = useTexts()
  return (
    <FormPart title={texts.parts.targets}>
      <CheckField
        label={choices.own === null ? texts.inAppAll : texts.inAppOwn}
        name="in_app"
        defaultChecked={subscription?.in_app ?? true}
      />
      <Channels
        choices={choices}
        prefix=""
        chosenProject={subscription?.project_channel_ids ?? []}
        chosenOwn={subscription?.user_channel_ids ?? []}
      />
    </FormPart>
  )
}

/** How many occurrences become how few messages. */
export const GroupingFields = ({ subscription }: {
  readonly subscription: Partial<Pick<Subscription, "grouping" | "cooldown_seconds" | "notify_recovery">>
}) => {
  const { subscriptions: texts } = useTexts()
  const stored = subscription.grouping
  const [isGrouped, setGrouped] = useState(stored !== null)
  const grouping = stored ?? defaultGrouping
  return (
    <FormPart title={texts.parts.grouping}>
      <CheckField
        label={texts.isGrouped}
        hint={texts.groupingHint}
        name="is grouped"
        checked={isGrouped}
        onChange={({ target }) => setGrouped(target.checked)}
      />
      <div className="grid items-start gap-4 md:grid-cols-2">
        {isGrouped && (
          <>
            <DurationField
              label={texts.fields.wait_seconds}
              name="wait_seconds"
              initial={grouping.wait_seconds}
              min={0}
              max={3_600}
            />
            <DurationField
              label={texts.fields.interval_seconds}
              name="interval_seconds"
              initial={grouping.interval_seconds}
              min={10}
              max={86_400}
            />
            <DurationField
              label={texts.fields.repeat_seconds}
              name="repeat_seconds"
              initial={grouping.repeat_seconds}
              min={60}
              max={604_800}
            />
          </>
        )}
        <DurationField
          label={texts.fields.cooldown_seconds}
          name="cooldown_seconds"
          initial={subscription.cooldown_seconds ?? 0}
          min={0}
          max={86_400}
        />
      </div>
      <CheckField
        label={texts.notifyRecovery}
        name="notify_recovery"
        defaultChecked={subscription.notify_recovery ?? true}
      />
    </FormPart>
  )
}

/** Who else hears of an alert that is not acknowledged. */
export const EscalationFields = ({ choices, escalation }: {
  readonly choices: Choices
  readonly escalation: Subscription["escalation"]
}) => {
  const { subscriptions: texts } = useTexts()
  const [isEscalated, setEscalated] = useState(escalation !== null)
  return (
    <FormPart title={texts.parts.escalation}>
      <CheckField
        label={texts.isEscalated}
        hint={texts.escalationHint}
        name="is escalated"
        checked={isEscalated}
        onChange={({ target }) => setEscalated(target.checked)}
      />
      {isEscalated && (
        <>
          <DurationField
            label={texts.fields.after_minutes}
            name="after_minutes"
            unit="min"
            initial={escalation?.after_minutes ?? defaultEscalationMinutes}
            min={1}
            max={10_080}
          />
          <Channels
            choices={choices}
            prefix="escalation "
            chosenProject={escalation?.project_channel_ids ?? []}
            chosenOwn={escalation?.user_channel_ids ?? []}
          />
        </>
      )}
    </FormPart>
  )
}
