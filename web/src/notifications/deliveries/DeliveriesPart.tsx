import type { ReactNode } from "react"
import { useFormat } from "../../format/useFormat.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { isEmptySearch } from "../../searchParams.ts"
import { Button } from "../../ui/Button.tsx"
import { ListFrame } from "../../ui/ListFrame.tsx"
import { MoreButton } from "../../ui/MoreButton.tsx"
import { EmptyState } from "../../ui/Notices.tsx"
import { Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { usePagedList } from "../../ui/usePagedList.ts"
import { type DeliverySearch, deliveryStatuses } from "../search.ts"
import { DeliveryDialog } from "./DeliveryDialog.tsx"
import { DeliveryMark } from "./DeliveryMark.tsx"
import type { Delivery, DeliveryOwner } from "./deliveryOwner.ts"

const refetchMillis = 5_000

const isKnown = <A extends object>(texts: A, name: string): name is Extract<keyof A, string> => name in texts

/** Each message to a channel of the owner, newest first, with what became of it. */
export const DeliveriesPart = ({ channels, children, onSearch, owner, projects, search, toChannels }: {
  readonly owner: DeliveryOwner
  /** To filter by. */
  readonly channels: ReadonlyArray<{ readonly id: string; readonly name: string }>
  /** Slugs to filter by, where deliveries are of several projects. */
  readonly projects?: ReadonlyArray<string>
  /** Of the page's address. */
  readonly search: DeliverySearch
  readonly onSearch: (search: DeliverySearch) => void
  /** The way forward while nothing was sent. */
  readonly toChannels: ReactNode
  /** At the end of the line of filters. */
  readonly children?: ReactNode
}) => {
  const { deliveries: texts, notifications } = useTexts()
  const format = useFormat()
  const { shown, ...filter } = search
  const list = usePagedList({
    key: [...owner.key, filter],
    read: (cursor) => owner.list(filter, cursor),
    refetchMillis
  })
  const show = ({ id }: Pick<Delivery, "id">) => onSearch({ ...filter, shown: id })
  const { alert, channel = "", delivery: status = "", project = "" } = filter
  const isFiltered = !isEmptySearch(filter)
  const choose = (name: "channel" | "delivery" | "project", value: string) => {
    const { [name]: _, ...others } = filter
    onSearch(value === "" ? others : { ...others, [name]: value })
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 px-4 py-3">
        <select
          aria-label={texts.status}
          value={status}
          onChange={({ target }) => choose("delivery", target.value)}
          className="h-7.5 rounded-base border border-line bg-paper px-2"
        >
          <option value="">{texts.allStatuses}</option>
          {deliveryStatuses.map((one) => <option key={one} value={one}>{texts.statuses[one]}</option>)}
        </select>
        <select
          aria-label={texts.channel}
          value={channel}
          onChange={({ target }) => choose("channel", target.value)}
          className="h-7.5 max-w-64 rounded-base border border-line bg-paper px-2"
        >
          <option value="">{texts.allChannels}</option>
          {channels.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
        </select>
        {projects !== undefined && (
          <select
            aria-label={texts.project}
            value={project}
            onChange={({ target }) => choose("project", target.value)}
            className="h-7.5 max-w-64 rounded-base border border-line bg-paper px-2"
          >
            <option value="">{texts.allProjects}</option>
            {projects.map((slug) => <option key={slug} value={slug}>{slug}</option>)}
          </select>
        )}
        {alert !== undefined && <span className="text-soft">{texts.ofOneAlert}</span>}
        {isFiltered && <Button variant="quiet" onClick={() => onSearch({})}>{texts.clearFilter}</Button>}
        <div className="ml-auto">{children}</div>
      </div>
      <ListFrame
        list={list}
        isEmpty={list.rows.length === 0}
        empty={isFiltered
          ? <EmptyState title={texts.noneMatch} />
          : <EmptyState title={texts.none} hint={texts.noneHint}>{toChannels}</EmptyState>}
      >
        <Table
          label={texts.title}
          rows={list.rows}
          rowKey={({ id }) => id}
          columns={[
            {
              title: texts.status,
              cell: (delivery) => (
                <button
                  type="button"
                  className="hover:underline hover:underline-offset-2"
                  onClick={() => show(delivery)}
                >
                  <DeliveryMark delivery={delivery} />
                </button>
              )
            },
            {
              title: texts.channel,
              cell: ({ channel_name }) => <span className="font-medium">{channel_name}</span>
            },
            {
              title: texts.trigger,
              cell: ({ resend_of, trigger }) =>
                `${isKnown(notifications.triggers, trigger) ? notifications.triggers[trigger] : trigger}${
                  resend_of === null ? "" : ` (${texts.resent})`
                }`
            },
            { title: texts.task, isMinor: true, cell: ({ task_name }) => task_name },
            {
              title: texts.attempts,
              isNumber: true,
              isMinor: true,
              cell: ({ attempts }) => format.number(attempts)
            },
            {
              title: texts.response,
              isMinor: true,
              cell: ({ error, response_code }) =>
                error ?? (response_code === null ? null : texts.code(format.number(response_code)))
            },
            { title: texts.when, isNumber: true, cell: ({ sent_at }) => <Time at={sent_at} /> }
          ]}
        />
        <MoreButton list={list} />
      </ListFrame>
      {shown !== undefined && (
        <DeliveryDialog
          key={shown}
          owner={owner}
          id={shown}
          onClose={() => onSearch(filter)}
          onResent={(id) => show({ id })}
        />
      )}
    </>
  )
}
