import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useRefetchInterval } from "../../api/live.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { ListFrame } from "../../ui/ListFrame.tsx"
import { EmptyState } from "../../ui/Notices.tsx"
import { useAct } from "../../ui/useAct.ts"
import type { AnyChannel } from "../channels/channelOwner.ts"
import { UntilDialog } from "../UntilDialog.tsx"
import { SubscriptionDialog } from "./SubscriptionDialog.tsx"
import type { Subscription, SubscriptionChange, SubscriptionOwner } from "./subscriptionOwner.ts"
import { SubscriptionRow } from "./SubscriptionRow.tsx"

const refetchMillis = 10_000

type Open =
  | { readonly kind: "create" }
  | { readonly kind: "edit" | "mute" | "delete"; readonly subscription: Subscription }

/** What is sent on what: the defaults of a project, or the subscriptions of a person. */
export const SubscriptionsPart = ({ channels, hint, owner, projectOf, slug }: {
  readonly owner: SubscriptionOwner
  /** The project of defaults; null: personal ones of any project. */
  readonly slug: string | null
  /** For their names. */
  readonly channels: ReadonlyArray<AnyChannel>
  readonly hint: string
  /** The name of a personal one's project. */
  readonly projectOf?: (subscription: Subscription) => string
}) => {
  const { forms, notifications, subscriptions: texts } = useTexts()
  const queries = useQueryClient()
  const refetchInterval = useRefetchInterval(refetchMillis)
  const list = useQuery({ queryKey: owner.key, queryFn: owner.list, refetchInterval })
  const [open, setOpen] = useState<Open | null>(null)
  const change = useAct<{ readonly id: string; readonly change: SubscriptionChange }>(
    owner.key,
    ({ change, id }) => owner.update(id, change)
  )
  const close = () => setOpen(null)
  return (
    <>
      <div className="flex flex-wrap items-center gap-4 px-5 py-4">
        <Button look="primary" onClick={() => setOpen({ kind: "create" })}>{texts.create}</Button>
        <p className="text-soft">{hint}</p>
      </div>
      <ListFrame
        list={list}
        isEmpty={list.data?.length === 0}
        empty={<EmptyState title={texts.none} hint={texts.noneHint} />}
      >
        <ul aria-label={texts.title} className="mx-5 mb-5 rounded-base border border-line bg-paper">
          {list.data?.map((subscription) => (
            <SubscriptionRow
              key={subscription.id}
              subscription={subscription}
              channels={channels}
              {...(projectOf !== undefined && { project: projectOf(subscription) })}
              onAct={(act) => {
                if (act !== "toggle") return setOpen({ kind: act, subscription })
                change.mutate({ id: subscription.id, change: { is_active: !subscription.is_active } })
              }}
            />
          ))}
        </ul>
      </ListFrame>
      {open?.kind === "create" && <SubscriptionDialog owner={owner} slug={slug} subscription={null} onClose={close} />}
      {open?.kind === "edit" && (
        <SubscriptionDialog owner={owner} slug={slug} subscription={open.subscription} onClose={close} />
      )}
      {open?.kind === "mute" && (
        <UntilDialog
          title={texts.muteTitle}
          subject={notifications.triggers[open.subscription.trigger]}
          hint={texts.muteHint}
          other={texts.muteOther}
          end={texts.endMute}
          silentUntil={open.subscription.muted_until}
          onChoose={(muted_until) => change.mutate({ id: open.subscription.id, change: { muted_until } })}
          onClose={close}
        />
      )}
      {open?.kind === "delete" && (
        <FormDialog
          title={texts.deleteTitle(notifications.triggers[open.subscription.trigger])}
          submit={forms.delete}
          look="danger"
          onSubmit={async () => {
            await owner.remove(open.subscription.id)
            await queries.invalidateQueries({ queryKey: owner.key })
          }}
          onClose={close}
        >
          <p className="text-soft">{texts.deleteHint}</p>
        </FormDialog>
      )}
    </>
  )
}
