import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { useRefetchInterval } from "../../api/live.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { ListFrame } from "../../ui/ListFrame.tsx"
import { EmptyState } from "../../ui/Notices.tsx"
import { useAction } from "../../ui/useAction.ts"
import { ChannelDialog } from "./ChannelDialog.tsx"
import type { AnyChannel, ChannelOwner } from "./channelOwner.ts"
import { type ChannelAction, ChannelRow } from "./ChannelRow.tsx"
import { TestResult } from "./TestResult.tsx"

const refetchMillis = 10_000

/** The list of an owner's channels; also for forms that choose some of them. */
export const useChannels = (owner: ChannelOwner, isReadable = true) => {
  const refetchInterval = useRefetchInterval(refetchMillis)
  return useQuery({ queryKey: owner.key, queryFn: owner.list, refetchInterval, enabled: isReadable })
}

const actions: ReadonlyArray<ChannelAction> = ["test", "edit", "enable", "disable", "delete"]

type OpenDialog = { readonly kind: "edit" | "test" | "delete"; readonly channel: AnyChannel } | {
  readonly kind: "create"
}

/** Where messages are sent: the channels of a project or of a person, each with a test that shows the response. */
export const ChannelsPart = ({ children, emptyHint, linked, owner }: {
  readonly owner: ChannelOwner
  /** The id of the channel that the address leads to. */
  readonly linked: string | undefined
  readonly emptyHint: string
  /** Beside the button that creates one, such as copying one. */
  readonly children?: ReactNode
}) => {
  const texts = useTexts()
  const { channels } = texts
  const queries = useQueryClient()
  const list = useChannels(owner)
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null)
  const test = useMutation({
    mutationFn: owner.test,
    onSettled: () => queries.invalidateQueries({ queryKey: owner.key }) // a success verifies a channel of a person
  })
  const toggle = useAction<{ readonly id: string; readonly is_active: boolean }>(
    owner.key,
    ({ id, is_active }) => owner.update(id, { is_active })
  )
  const close = () => {
    setOpenDialog(null)
    test.reset()
  }
  const begin = (channel: AnyChannel, action: ChannelAction) => {
    if (action === "enable" || action === "disable") {
      return toggle.mutate({ id: channel.id, is_active: action === "enable" })
    }
    if (action === "test") test.mutate(channel.id)
    setOpenDialog({ kind: action, channel })
  }
  const isEmpty = list.data?.length === 0
  const createButton = (
    <Button variant="primary" onClick={() => setOpenDialog({ kind: "create" })}>{channels.create}</Button>
  )
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 px-4 py-3">
        {!isEmpty && createButton}
        {children}
      </div>
      <ListFrame
        list={list}
        isEmpty={isEmpty}
        empty={<EmptyState title={channels.none} hint={emptyHint}>{createButton}</EmptyState>}
      >
        <ul data-rows aria-label={channels.title} className="mx-4 mb-4 rounded-base border border-line bg-paper">
          {list.data?.map((channel) => (
            <ChannelRow
              key={channel.id}
              channel={channel}
              actions={actions}
              isLinked={channel.id === linked}
              onAction={(action) => begin(channel, action)}
            />
          ))}
        </ul>
      </ListFrame>
      {openDialog?.kind === "create" && <ChannelDialog owner={owner} channel={null} onClose={close} />}
      {openDialog?.kind === "edit" && <ChannelDialog owner={owner} channel={openDialog.channel} onClose={close} />}
      {openDialog?.kind === "test" && (
        <Dialog title={channels.testTitle(openDialog.channel.name)} onClose={close}>
          {(closeDialog) => (
            <div className="mt-3 grid gap-4">
              <TestResult test={test} />
              <div className="flex justify-end gap-2">
                <Button disabled={test.isPending} onClick={() => test.mutate(openDialog.channel.id)}>
                  {channels.again}
                </Button>
                <Button variant="primary" data-autofocus onClick={closeDialog}>{texts.close}</Button>
              </div>
            </div>
          )}
        </Dialog>
      )}
      {openDialog?.kind === "delete" && (
        <FormDialog
          title={channels.deleteTitle(openDialog.channel.name)}
          submit={texts.forms.delete}
          variant="danger"
          phrase={openDialog.channel.name}
          onSubmit={async () => {
            await owner.remove(openDialog.channel.id)
            await queries.invalidateQueries({ queryKey: owner.key })
          }}
          onClose={close}
        >
          <p className="text-soft">{channels.deleteHint}</p>
        </FormDialog>
      )}
    </>
  )
}
