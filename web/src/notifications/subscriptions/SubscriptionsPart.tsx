import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { useRefetchInterval } from "../../api/live.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { ListFrame } from "../../ui/ListFrame.tsx"
import { EmptyState } from "../../ui/Notices.tsx"
import { UntilDialog } from "../../ui/UntilDialog.tsx"
import { useAction } from "../../ui/useAction.ts"
import type { AnyChannel } from "../channels/channelOwner.ts"
import { SubscriptionDialog } from "./SubscriptionDialog.tsx"
import type { Subscription, SubscriptionChange, SubscriptionOwner } from "./subscriptionOwner.ts"
import { SubscriptionRow } from "./SubscriptionRow.tsx"

const refetchMillis = 10_000

type OpenDialog =
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
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null)
  const change = useAction<{ readonly id: string; readonly change: SubscriptionChange }>(
    owner.key,
    ({ change, id }) => owner.update(id, change)
  )
  const close = () => setOpenDialog(null)
  const isEmpty = list.data?.length === 0
  const createButton = (
    <Button variant="primary" onClick={() => setOpenDialog({ kind: "create" })}>{texts.create}</Button>
  )
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 px-4 py-3">
        {!isEmpty && createButton}
        <p className="text-soft">{hint}</p>
      </div>
      <ListFrame
        list={list}
        isEmpty={isEmpty}
        empty={<EmptyState title={texts.none} hint={texts.noneHint}>{createButton}</EmptyState>}
      >
        <ul data-rows aria-label={texts.title} className="mx-4 mb-4 rounded-base border border-line bg-paper">
          {list.data?.map((subscription) => (
            <SubscriptionRow
              key={subscription.id}
              subscription={subscription}
              channels={channels}
              {...(projectOf !== undefined && { project: projectOf(subscription) })}
              onAction={(action) => {
                if (action !== "toggle") return setOpenDialog({ kind: action, subscription })
                change.mutate({ id: subscription.id, change: { is_active: !subscription.is_active } })
              }}
            />
          ))}
        </ul>
      </ListFrame>
      {openDialog?.kind === "create" && (
        <SubscriptionDialog owner={owner} slug={slug} subscription={null} onClose={close} />
      )}
      {openDialog?.kind === "edit" && (
        <SubscriptionDialog owner={owner} slug={slug} subscription={openDialog.subscription} onClose={close} />
      )}
      {openDialog?.kind === "mute" && (
        <UntilDialog
          title={texts.muteTitle}
          subject={notifications.triggers[openDialog.subscription.trigger]}
          hint={texts.muteHint}
          other={texts.muteOther}
          end={texts.endMute}
          silentUntil={openDialog.subscription.muted_until}
          onChoose={(muted_until) => change.mutate({ id: openDialog.subscription.id, change: { muted_until } })}
          onClose={close}
        />
      )}
      {openDialog?.kind === "delete" && (
        <FormDialog
          title={texts.deleteTitle(notifications.triggers[openDialog.subscription.trigger])}
          submit={forms.delete}
          variant="danger"
          onSubmit={async () => {
            await owner.remove(openDialog.subscription.id)
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
