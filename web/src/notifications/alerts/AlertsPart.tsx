import { useNavigate, useSearch } from "@tanstack/react-router"
import { useId } from "react"
import { api, unwrap } from "../../api/client.ts"
import { useNow } from "../../format/now.ts"
import { useFormat } from "../../format/useFormat.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { ListFrame } from "../../ui/ListFrame.tsx"
import { MoreButton } from "../../ui/MoreButton.tsx"
import { EmptyState } from "../../ui/Notices.tsx"
import { Pills } from "../../ui/Pills.tsx"
import { usePagedList } from "../../ui/usePagedList.ts"
import { alertStatuses } from "../search.ts"
import { SubscribeLink } from "../SubscribeLink.tsx"
import { AlertRow } from "./AlertRow.tsx"
import { type Alert, type AlertState, stateOf } from "./state.ts"

const refetchMillis = 5_000
/** Open alerts are grouped by who takes care of them, so one page has all of them but in a disaster. */
const pageSize = 200

const Group = ({ rows, slug, title }: {
  readonly title: string
  readonly slug: string
  readonly rows: ReadonlyArray<Alert>
}) => {
  const id = useId()
  const format = useFormat()
  if (rows.length === 0) return null
  return (
    <section aria-labelledby={id} className="mx-4 mb-4 rounded-base border border-line bg-paper">
      <h2 id={id} className="border-b border-line px-4 py-2 font-semibold">
        {title} <span className="figures font-normal text-soft">{format.number(rows.length)}</span>
      </h2>
      <ul data-rows>
        {rows.map((alert) => <AlertRow key={alert.id} slug={slug} alert={alert} />)}
      </ul>
    </section>
  )
}

const groups = ["open", "acknowledged", "snoozed"] as const satisfies ReadonlyArray<AlertState>

/** The alerts of a project with one status; open ones by whether a person takes care of them. */
export const AlertsPart = ({ slug }: { readonly slug: string }) => {
  const { alerts: texts } = useTexts()
  const now = useNow()
  const navigate = useNavigate()
  const { status = "open" } = useSearch({ from: "/signed-in/projects/$slug/notifications" })
  const list = usePagedList({
    key: ["alerts", slug, status],
    read: (cursor) =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/notifications/alerts", {
          params: { path: { slug }, query: { status, limit: pageSize, ...(cursor !== null && { cursor }) } }
        })
      ),
    refetchMillis
  })
  return (
    <>
      <Pills
        label={texts.status}
        className="px-4 py-3"
        choices={alertStatuses.map((one) => ({ value: one, text: texts.statuses[one], hint: texts.stateHints[one] }))}
        isChosen={(one) => one === status}
        onChoose={(one) =>
          void navigate({
            to: "/projects/$slug/notifications",
            params: { slug },
            search: one === "open" ? {} : { status: one }
          })}
      />
      <ListFrame
        list={list}
        isEmpty={list.rows.length === 0}
        empty={status === "open"
          ? (
            <EmptyState title={texts.none} hint={texts.noneHint}>
              <SubscribeLink />
            </EmptyState>
          )
          : <EmptyState title={texts.noneOfStatus} hint={texts.noneOfStatusHint} />}
      >
        {status === "open"
          ? groups.map((group) => (
            <Group
              key={group}
              title={texts.groups[group]}
              slug={slug}
              rows={list.rows.filter((alert) => stateOf(alert, now) === group)}
            />
          ))
          : <Group title={texts.statuses[status]} slug={slug} rows={list.rows} />}
        <MoreButton list={list} />
      </ListFrame>
    </>
  )
}
