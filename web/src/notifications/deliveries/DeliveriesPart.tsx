import type { ReactNode } from "react"
import { useFormat } from "../../format/useFormat.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { isEmptySearch, present } from "../../searchParams.ts"
import { Button } from "../../ui/Button.tsx"
import { FilterSelect } from "../../ui/FilterSelect.tsx"
import { ListFrame } from "../../ui/ListFrame.tsx"
import { MoreButton } from "../../ui/MoreButton.tsx"
import { EmptyState } from "../../ui/Notices.tsx"
import { Table } from "../../ui/Table.tsx"
import { linkClass } from "../../ui/TextLink.tsx"
import { Time } from "../../ui/Time.tsx"
import { usePagedList } from "../../ui/usePagedList.ts"
import type { DeliverySearch } from "../search.ts"
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
  const { alert, channel, delivery, project } = filter
  const isFiltered = !isEmptySearch(filter)
  const choose = (name: "channel" | "delivery" | "project", value: string | undefined) =>
    onSearch(present({ ...filter, [name]: value }))
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 px-4 py-3">
        <FilterSelect
          label={texts.status}
          any={texts.allStatuses}
          choices={texts.statuses}
          value={delivery}
          onChoose={(chosen) => choose("delivery", chosen)}
        />
        <FilterSelect
          label={texts.channel}
          any={texts.allChannels}
          choices={Object.fromEntries(channels.map(({ id, name }) => [id, name]))}
          value={channel}
          className="max-w-64"
          onChoose={(chosen) => choose("channel", chosen)}
        />
        {projects !== undefined && (
          <FilterSelect
            label={texts.project}
            any={texts.allProjects}
            choices={Object.fromEntries(projects.map((slug) => [slug, slug]))}
            value={project}
            className="max-w-64"
            onChoose={(chosen) => choose("project", chosen)}
          />
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
                  className={linkClass.row}
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
