import { useNow } from "../../format/now.ts"
import { useFormat } from "../../format/useFormat.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { StateShape } from "../../ui/StateMark.tsx"
import { Time } from "../../ui/Time.tsx"
import type { AnyChannel } from "../channels/channelOwner.ts"
import type { Subscription } from "./subscriptionOwner.ts"
import { useFilterText } from "./useFilterText.ts"

export type SubscriptionAction = "edit" | "mute" | "toggle" | "delete"

const shapes = { active: "success", muted: "pending", off: "revoked" } as const

/** What is sent on what, to whom, and whether it is sent now. */
export const SubscriptionRow = ({ channels, onAction, project, subscription }: {
  readonly subscription: Subscription
  /** Those whose names are known. */
  readonly channels: ReadonlyArray<AnyChannel>
  /** The project of a personal one. */
  readonly project?: string
  readonly onAction: (action: SubscriptionAction) => void
}) => {
  const { notifications, subscriptions: texts } = useTexts()
  const format = useFormat()
  const now = useNow()
  const filterText = useFilterText()
  const { escalation, filters, grouping, in_app, is_active, last_fired_at, muted_until, send_hours, trigger } =
    subscription
  const isMuted = muted_until !== null && Date.parse(muted_until) > now
  const state = is_active ? isMuted ? "muted" : "active" : "off"
  const ids = [...subscription.project_channel_ids, ...subscription.user_channel_ids ?? []]
  const names = ids.flatMap((id) => channels.find((channel) => channel.id === id)?.name ?? [])
  const hidden = ids.length - names.length
  const targets = [
    ...(in_app ? [texts.inbox] : []),
    ...names,
    ...(hidden > 0 ? [texts.hiddenCount(format.count(hidden))] : [])
  ]
  const settings = [
    grouping === null && texts.eachOccurrence,
    send_hours !== null && texts.sendHoursText[send_hours.mode](send_hours.start, send_hours.end, send_hours.timezone),
    send_hours?.days !== undefined &&
    `${texts.fields.days} ${send_hours.days.map((day) => texts.days[day]).join(", ")}`,
    send_hours?.always_critical === true && texts.alwaysCritical,
    escalation !== null && texts.escalatesAfter(format.duration(escalation.after_minutes * 60_000))
  ].filter((text) => text !== false)
  const title = notifications.triggers[trigger]
  const labels: Readonly<Record<SubscriptionAction, string>> = {
    edit: texts.actions.edit,
    mute: isMuted ? texts.actions.changeMute : texts.actions.mute,
    toggle: is_active ? texts.actions.disable : texts.actions.enable,
    delete: texts.actions.delete
  }
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-3 border-b border-line px-4 py-3 last:border-0">
      <div className="grid min-w-0 flex-1 gap-1 max-md:basis-full">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
          <span className="font-medium">{title}</span>
          {project !== undefined && <span className="text-soft">{project}</span>}
          <span className="inline-flex items-center gap-2">
            <StateShape state={shapes[state]} />
            {texts.states[state]}
            {is_active && isMuted && <Time isPlanned at={muted_until} />}
          </span>
        </div>
        <p className="break-words text-soft">{filterText(filters)}</p>
        <p className="break-words">{targets.length === 0 ? texts.noTargets : texts.goesTo(targets.join(", "))}</p>
        <p className="text-soft">
          {settings.map((text) => `${text} · `)}
          {last_fired_at === null ? texts.neverFired : (
            <>
              {texts.lastFired} <Time at={last_fired_at} />
            </>
          )}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        {(["edit", "mute", "toggle", "delete"] as const).map((action) => (
          <Button
            key={action}
            variant={action === "delete" ? "danger" : "plain"}
            onClick={() => onAction(action)}
          >
            {labels[action]}
          </Button>
        ))}
      </div>
    </li>
  )
}
