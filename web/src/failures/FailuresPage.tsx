import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { isEmptySearch } from "../searchParams.ts"
import { Button } from "../ui/Button.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { MoreButton } from "../ui/MoreButton.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Sparkline } from "../ui/Sparkline.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { usePagedList } from "../ui/usePagedList.ts"
import { FailureTabs } from "./FailureTabs.tsx"
import { GroupMark } from "./GroupMark.tsx"
import {
  enginesQuery,
  type FailureGroup,
  type FailuresSearch,
  type FailureWindow,
  type GroupStatus,
  listGroups
} from "./queries.ts"
import { WindowSelect } from "./WindowSelect.tsx"

const refetchMillis = 10_000
const statuses: ReadonlyArray<GroupStatus> = ["ongoing", "recovered"]

const Filters = ({ onChange, search, slug }: {
  readonly slug: string
  readonly search: FailuresSearch
  readonly onChange: (search: FailuresSearch) => void
}) => {
  const { failures: texts } = useTexts()
  const { data: engines = [] } = useQuery(enginesQuery(slug))
  const { engine, hours, status } = search
  const select = "h-[30px] rounded-base border border-line bg-paper px-3"
  return (
    <div className="flex flex-wrap gap-3">
      <select
        aria-label={texts.status}
        value={status ?? ""}
        className={select}
        onChange={({ target }) => {
          const { status: _, ...rest } = search
          const chosen = statuses.find((one) => one === target.value)
          onChange(chosen === undefined ? rest : { ...rest, status: chosen })
        }}
      >
        <option value="">{texts.allStatuses}</option>
        {statuses.map((one) => <option key={one} value={one}>{texts.statuses[one]}</option>)}
      </select>
      <WindowSelect
        hasAnyTime
        hours={hours}
        onChoose={(chosen) => {
          const { hours: _, ...rest } = search
          onChange(chosen === undefined ? rest : { ...rest, hours: chosen })
        }}
      />
      {(engines.length > 1 || engine !== undefined) && (
        <select
          aria-label={texts.engine}
          value={engine ?? ""}
          className={select}
          onChange={({ target }) => {
            const { engine: _, ...rest } = search
            onChange(target.value === "" ? rest : { ...rest, engine: target.value })
          }}
        >
          <option value="">{texts.allEngines}</option>
          {[...new Set([...engines, ...(engine === undefined ? [] : [engine])])].map((one) => (
            <option key={one} value={one}>{one}</option>
          ))}
        </select>
      )}
    </div>
  )
}

const GroupTable = ({ hours, rows, slug }: {
  readonly slug: string
  readonly rows: ReadonlyArray<FailureGroup>
  /** Their failed attempts are counted in this window; else of all time. */
  readonly hours: FailureWindow | undefined
}) => {
  const { failures: texts } = useTexts()
  const format = useFormat()
  const counts: ReadonlyArray<Column<FailureGroup>> = hours === undefined
    ? [
      {
        title: texts.recovered,
        isNumber: true,
        isMinor: true,
        cell: ({ recovered_count }) => format.number(recovered_count)
      },
      {
        title: texts.occurrences,
        isNumber: true,
        isMinor: true,
        cell: ({ occurrences }) => format.number(occurrences)
      }
    ]
    : [{
      title: texts.occurrences,
      isNumber: true,
      cell: ({ window }) =>
        window !== null && (
          <>
            <Sparkline counts={window.counts} className="mr-4 text-failure max-md:hidden" />
            {format.number(window.occurrences)}
          </>
        )
    }]
  return (
    <Table
      label={texts.title}
      rows={rows}
      rowKey={({ fingerprint }) => fingerprint}
      columns={[
        { title: texts.status, cell: ({ status }) => <GroupMark status={status} isShort /> },
        {
          title: texts.failure,
          cell: ({ fingerprint, sample_exception, sample_task_name }) => (
            <Link
              to="/projects/$slug/failures/$fingerprint"
              params={{ slug, fingerprint }}
              search={hours === undefined ? {} : { hours }}
              className="group block max-w-[50ch] min-w-0 py-3 2xl:max-w-[72ch] max-md:max-w-[36vw]"
            >
              <span className="block truncate font-medium group-hover:underline group-hover:underline-offset-2">
                {sample_task_name ?? fingerprint}
              </span>
              <span className="block truncate font-mono text-small text-soft" title={sample_exception ?? undefined}>
                {sample_exception?.split("\n", 1)[0] ?? texts.noException}
              </span>
            </Link>
          )
        },
        {
          title: texts.engine,
          isMinor: true,
          cell: ({ engines }) => <span className="whitespace-nowrap">{engines.join(", ")}</span>
        },
        {
          title: texts.openNow,
          isNumber: true,
          cell: ({ open_count }) => (
            <span className={open_count > 0 ? "font-medium text-failure" : "text-soft"}>
              {format.number(open_count)}
            </span>
          )
        },
        ...counts,
        {
          title: texts.lastSeen,
          isNumber: true,
          cell: ({ last_seen }) => last_seen !== null && <Time at={last_seen} />
        },
        {
          title: texts.firstSeen,
          isNumber: true,
          isMinor: true,
          cell: ({ first_seen }) => first_seen !== null && <Time at={first_seen} />
        }
      ]}
    />
  )
}

/** Failures of a project as the few different ones they are: most recently failed first. */
export const FailuresPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/failures" })
  const search = useSearch({ from: "/signed-in/projects/$slug/failures" })
  const { failures: texts, tasks } = useTexts()
  const navigate = useNavigate()
  const list = usePagedList({
    key: ["failures", slug, "list", search],
    read: (cursor) => listGroups(slug, search, cursor),
    refetchMillis
  })
  const show = (next: FailuresSearch) =>
    void navigate({ to: "/projects/$slug/failures", params: { slug }, search: next })
  return (
    <>
      <PageHeader title={texts.title}>
        <Filters slug={slug} search={search} onChange={show} />
      </PageHeader>
      <FailureTabs slug={slug} />
      <ListFrame
        list={list}
        isEmpty={list.rows.length === 0}
        empty={isEmptySearch(search)
          ? <EmptyState title={texts.none} hint={texts.noneHint} />
          : (
            <EmptyState title={texts.noMatch} hint={texts.noMatchHint}>
              <Button onClick={() => show({})}>{tasks.clear}</Button>
            </EmptyState>
          )}
      >
        <GroupTable slug={slug} rows={list.rows} hours={search.hours} />
        <MoreButton list={list} />
      </ListFrame>
    </>
  )
}
