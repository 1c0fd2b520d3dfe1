import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { useRefetchInterval } from "../../api/live.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Dialog } from "../../ui/Dialog.tsx"
import { FormDialog } from "../../ui/FormDialog.tsx"
import { ListFrame } from "../../ui/ListFrame.tsx"
import { EmptyState } from "../../ui/Notices.tsx"
import { useAct } from "../../ui/useAct.ts"
import { ChannelDialog } from "./ChannelDialog.tsx"
import type { AnyChannel, ChannelOwner } from "./channelOwner.ts"
import { type ChannelAct, ChannelRow } from "./ChannelRow.tsx"
import { TestResult } from "./TestResult.tsx"

const refetchMillis = 10_000

/** The list of an owner's channels; also for forms that choose some of them. */
export const useChannels = (owner: ChannelOwner, isReadable = true) => {
  const refetchInterval = useRefetchInterval(refetchMillis)
  return useQuery({ queryKey: owner.key, queryFn: owner.list, refetchInterval, enabled: isReadable })
}

const acts: ReadonlyArray<ChannelAct> = ["test", "edit", "enable", "disable", "delete"]

type Open = { readonly kind: "edit" | "test" | "delete"; readonly channel: AnyChannel } | { readonly kind: "create" }

/** Where messages are sent: the channels of a project or of a person, each with a test that shows the answer. */
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
  const [open, setOpen] = useState<Open | null>(null)
  const test = useMutation({
    mutationFn: owner.test,
    onSettled: () => queries.invalidateQueries({ queryKey: owner.key }) // a success verifies a channel of a person
  })
  const toggle = useAct<{ readonly id: string; readonly is_active: boolean }>(
    owner.key,
    ({ id, is_active }) => owner.update(id, { is_active })
  )
  const close = () => {
    setOpen(null)
    test.reset()
  }
  const begin = (channel: AnyChannel, act: ChannelAct) => {
    if (act === "enable" || act === "disable") return toggle.mutate({ id: channel.id, is_active: act === "enable" })
    if (act === "test") test.mutate(channel.id)
    setOpen({ kind: act, channel })
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 px-5 py-4">
        <Button look="primary" onClick={() => setOpen({ kind: "create" })}>{channels.create}</Button>
        {children}
      </div>
      <ListFrame
        list={list}
        isEmpty={list.data?.length === 0}
        empty={<EmptyState title={channels.none} hint={emptyHint} />}
      >
        <ul aria-label={channels.title} className="mx-5 mb-5 rounded-base border border-line bg-paper">
          {list.data?.map((channel) => (
            <ChannelRow
              key={channel.id}
              channel={channel}
              acts={acts}
              isLinked={channel.id === linked}
              onAct={(act) => begin(channel, act)}
            />
          ))}
        </ul>
      </ListFrame>
      {open?.kind === "create" && <ChannelDialog owner={owner} channel={null} onClose={close} />}
      {open?.kind === "edit" && <ChannelDialog owner={owner} channel={open.channel} onClose={close} />}
      {open?.kind === "test" && (
        <Dialog title={channels.testTitle(open.channel.name)} onClose={close}>
          {(closeDialog) => (
            <div className="mt-4 grid gap-5">
              <TestResult test={test} />
              <div className="flex justify-end gap-3">
                <Button disabled={test.isPending} onClick={() => test.mutate(open.channel.id)}>{channels.again}</Button>
                <Button look="primary" data-autofocus onClick={closeDialog}>{texts.close}</Button>
              </div>
            </div>
          )}
        </Dialog>
      )}
      {open?.kind === "delete" && (
        <FormDialog
          title={channels.deleteTitle(open.channel.name)}
          submit={texts.forms.delete}
          look="danger"
          phrase={open.channel.name}
          onSubmit={async () => {
            await owner.remove(open.channel.id)
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
