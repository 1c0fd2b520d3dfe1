import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { ConnectLink } from "../agents/ConnectLink.tsx"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { Button, buttonClass } from "../ui/Button.tsx"
import { FilterField } from "../ui/FilterField.tsx"
import { Icon } from "../ui/Icon.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Pills } from "../ui/Pills.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { MisfireTable } from "./MisfireTable.tsx"
import { maxListed, projectMisfiresQuery, schedulesQuery } from "./queries.ts"
import { ScheduleForm } from "./ScheduleForm.tsx"
import { Schedulers } from "./Schedulers.tsx"
import { ScheduleTable } from "./ScheduleTable.tsx"
import { type ScheduleFilter, scheduleFilters, type SchedulesSearch } from "./search.ts"
import { findSchedules } from "./states.ts"

const refetchMillis = 5_000

const Misfires = ({ slug }: { readonly slug: string }) => {
  const { schedules: { misfires: texts, tabs } } = useTexts()
  const refetchInterval = useRefetchInterval(refetchMillis)
  const list = useQuery({ ...projectMisfiresQuery(slug), refetchInterval })
  const misfires = list.data ?? []
  return (
    <div className="pt-4">
      <ListFrame
        list={list}
        isEmpty={misfires.length === 0}
        empty={
          <EmptyState title={texts.none} hint={texts.noneHint}>
            <Link to="/projects/$slug/schedules" params={{ slug }} search={{}} className={buttonClass()}>
              {tabs.schedules}
            </Link>
          </EmptyState>
        }
      >
        <MisfireTable slug={slug} misfires={misfires} hasNames />
      </ListFrame>
    </div>
  )
}

const Schedules = ({ onSearch, search: { state, text = "" }, slug }: {
  readonly slug: string
  readonly search: SchedulesSearch
  readonly onSearch: (search: SchedulesSearch, replace: boolean) => void
}) => {
  const { schedules: texts } = useTexts()
  const format = useFormat()
  const refetchInterval = useRefetchInterval(refetchMillis)
  const list = useQuery({ ...schedulesQuery(slug), refetchInterval })
  const { isTruncated = false, schedules = [], threshold = 0 } = list.data ?? {}
  const found = findSchedules(schedules, text, state)
  const search = (
    change: { readonly text?: string; readonly state?: ScheduleFilter | undefined },
    replace: boolean
  ) => {
    const wanted = { text, state, ...change }
    onSearch({
      ...(wanted.text !== "" && { text: wanted.text }),
      ...(wanted.state !== undefined && { state: wanted.state })
    }, replace)
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 px-4 py-3">
        <FilterField label={texts.search} value={text} onType={(typed) => search({ text: typed }, true)} />
        <Pills<ScheduleFilter | undefined>
          label={texts.filter}
          choices={[
            { value: undefined, text: texts.allStates },
            ...scheduleFilters.map((filter) => ({ value: filter, text: texts.filters[filter] }))
          ]}
          isChosen={(filter) => filter === state}
          onChoose={(filter) => search({ state: filter }, false)}
        />
      </div>
      <ListFrame
        list={list}
        isEmpty={found.length === 0}
        empty={schedules.length === 0
          ? (
            <EmptyState title={texts.none} hint={texts.noneHint}>
              <ConnectLink slug={slug} />
            </EmptyState>
          )
          : (
            <EmptyState title={texts.noMatch} hint={texts.noMatchHint}>
              <Button onClick={() => onSearch({}, false)}>{texts.clear}</Button>
            </EmptyState>
          )}
      >
        <ScheduleTable slug={slug} schedules={found} threshold={threshold} />
        {isTruncated && <p className="px-4 pb-4 text-soft">{texts.truncated(format.number(maxListed))}</p>}
      </ListFrame>
    </>
  )
}

/** The schedules of a project with what they did last and do next, and the ticks that did not fire in time. */
export const SchedulesPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/schedules" })
  const search = useSearch({ from: "/signed-in/projects/$slug/schedules" })
  const { schedules: texts } = useTexts()
  const navigate = useNavigate()
  const show = (wanted: SchedulesSearch, replace: boolean) =>
    void navigate({ to: "/projects/$slug/schedules", params: { slug }, search: wanted, replace })
  const isAdmin = useCan(slug, "admin")
  const [isCreating, setCreating] = useState(false)
  const { tab } = search
  return (
    <>
      <PageHeader title={texts.title}>
        {isAdmin && (
          <div className="ml-auto flex gap-2">
            <Link
              to="/projects/$slug/schedules/import"
              params={{ slug }}
              className={buttonClass()}
            >
              {texts.import.open}
            </Link>
            <Button variant="primary" onClick={() => setCreating(true)}>
              <Icon name="add" />
              {texts.form.create}
            </Button>
          </div>
        )}
      </PageHeader>
      <Tabs
        label={texts.tabsLabel}
        tabs={texts.tabs}
        value={tab ?? "schedules"}
        onChoose={(chosen) => show(chosen === "schedules" ? {} : { tab: chosen }, false)}
      />
      {tab === undefined
        ? <Schedules slug={slug} search={search} onSearch={show} />
        : tab === "misfires"
        ? <Misfires slug={slug} />
        : <Schedulers slug={slug} />}
      {isCreating && <ScheduleForm slug={slug} edited={null} onClose={() => setCreating(false)} />}
    </>
  )
}
