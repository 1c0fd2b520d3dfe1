import { useEffect, useRef } from "react"
import { useTexts } from "../../i18n/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { StateShape } from "../../ui/StateMark.tsx"
import type { AnyChannel } from "./channelOwner.ts"
import { isChannelType } from "./channelTypes.ts"
import { describeDestination } from "./config.ts"

type State = "active" | "off" | "disabled"

const shapes = { active: "success", off: "revoked", disabled: "failure" } as const

/** Disabled: by the brain, after failures. Off: by a person. */
const stateOf = ({ disabled_reason, is_active }: AnyChannel): State =>
  disabled_reason !== undefined ? "disabled" : is_active ? "active" : "off"

export type ChannelAction = "test" | "edit" | "delete" | "enable" | "disable"

/** One channel: where it sends, whether it sends, why not, and what to do about it. */
export const ChannelRow = ({ actions, channel, isLinked, onAction }: {
  readonly channel: AnyChannel
  readonly actions: ReadonlyArray<ChannelAction>
  /** A link led to it: it is scrolled to, and marked. */
  readonly isLinked: boolean
  readonly onAction: (action: ChannelAction) => void
}) => {
  const row = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isLinked) row.current?.scrollIntoView({ block: "center" })
  }, [isLinked])
  const { channels: texts } = useTexts()
  const { config, disabled_reason, is_active, is_verified, name, type, warning } = channel
  const state = stateOf(channel)
  return (
    <li
      ref={row}
      aria-current={isLinked ? "true" : undefined}
      className="flex flex-wrap items-start gap-x-4 gap-y-3 border-b border-line px-4 py-3 last:border-0 aria-[current]:bg-press"
    >
      <div className="grid min-w-0 flex-1 gap-1 max-md:basis-full">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
          <span className="font-medium break-words">{name}</span>
          <span className="text-soft">{isChannelType(type) ? texts.types[type] : type}</span>
          <span className="inline-flex items-center gap-2">
            <StateShape state={shapes[state]} />
            {texts.states[state]}
          </span>
          {is_verified === false && <span className="text-soft">{texts.unverified}</span>}
        </div>
        <p className="font-mono text-small break-all text-soft">{describeDestination(config)}</p>
        {disabled_reason !== undefined && (
          <p>
            <span className="text-failure">{texts.disabledBecause(disabled_reason)}</span> {texts.disabledAdvice}
          </p>
        )}
        {warning !== undefined && <p className="text-retry">{warning}</p>}
      </div>
      <div className="flex flex-wrap gap-2">
        {actions.filter((action) => action !== (is_active ? "enable" : "disable")).map((action) => (
          <Button
            key={action}
            variant={action === "delete" ? "danger" : "plain"}
            aria-label={texts.actionOn(texts.actions[action], name)}
            onClick={() => onAction(action)}
          >
            {texts.actions[action]}
          </Button>
        ))}
      </div>
    </li>
  )
}
