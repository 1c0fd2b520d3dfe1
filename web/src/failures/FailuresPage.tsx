import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { usePeople } from "../people/usePeople.ts"
import { isEmptySearch, present } from "../searchParams.ts"
import { TasksLink } from "../tasks/TasksLink.tsx"
import { Button } from "../ui/Button.tsx"
import { FilterField } from "../ui/FilterField.tsx"
import { FilterSelect } from "../ui/FilterSelect.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { MoreButton } from "../ui/MoreButton.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Sparkline } from "../ui/Sparkline.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { usePagedList } from "../ui/usePagedList.ts"
import { usePaused } from "../ui/usePaused.ts"
import { FailureHeatmap } from "./FailureHeatmap.tsx"
import { FailureTabs } from "./FailureTabs.tsx"
import { FirstDeploy } from "./FirstDeploy.tsx"
import { GroupMark } from "./GroupMark.tsx"
import { enginesQuery, type FailureGroup, listGroups } from "./queries.ts"
import type { FailuresSearch, FailureWindow } from "./search.ts"
import { useDeploysBefore } from "./useDeploysBefore.ts"
import { WindowSelect } from "./WindowSelect.tsx"

const refetchMillis = 10_000

const Filters = ({ onChange, search, slug }: {
  readonly slug: string
  readonly search: FailuresSearch
  readonly onChange: (search: FailuresSearch, replace?: boolean) => void
}) => {
  const { failures: texts } = useTexts()
  const { data: engines } = useQuery(enginesQuery(slug))
  const { assignee, engine, hours, sort, status } = search
  const { "": newest, ...sorts } = texts.sorts
  const change = <Name extends keyof FailuresSearch>(
    name: Name,
    value: FailuresSearch[Name] | undefined,
    replace?: boolean
  ) => onChange(present({ ...search, [name]: value }), replace)
  return (
    <div className="flex flex-wrap gap-2">
      <FilterField
        label={texts.search}
        value={search.search ?? ""}
        onType={(typed) => change("search", typed === "" ? undefined : typed, true)}
      />
      <FilterSelect
        label={texts.status}
        any={texts.openGroups}
        choices={{ ...texts.statuses, all: texts.allStatuses }}
        value={status}
        onChoose={(chosen) => change("status", chosen)}
      />
      <FilterSelect
        label={texts.assignee}
        any={texts.anyone}
        choices={{ me: texts.assignedToMe, none: texts.nobody }}
        value={assignee}
        onChoose={(chosen) => change("assignee", chosen)}
      />
      <WindowSelect any={texts.anyTime} hours={hours} onChoose={(chosen) => change("hours", chosen)} />
      {(engines === undefined || engines.length > 1 || engine !== undefined) && (
        <FilterSelect
          label={texts.engine}
          any={texts.allEngines}
          choices={Object.fromEntries((engines ?? []).map((one) => [one, one]))}
          value={engine}
          onChoose={(chosen) => change("engine", chosen)}
        />
      )}
      <FilterSelect
        label={texts.sort}
        any={newest}
        choices={sorts}
        value={sort}
        onChoose={(chosen) => change("sort", chosen)}
      />
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
  const { nameOf } = usePeople(slug)
  const deploys = useDeploysBefore(slug, rows.map(({ first_seen }) => first_seen))
  const assignees: ReadonlyArray<Column<FailureGroup>> = rows.every(({ assignee }) => assignee === null) ? [] : [{
    title: texts.assignee,
    isMinor: true,
    cell: ({ assignee }) =>
      assignee !== null && <span className="whitespace-nowrap">{nameOf(assignee.id, assignee.name)}</span>
  }]
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
            <Sparkline counts={window.counts} className="mr-3 text-failure max-md:hidden" />
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
        { title: texts.status, cell: (group) => <GroupMark group={group} isShort /> },
        {
          title: texts.failure,
          cell: ({ fingerprint, first_seen, sample_exception, sample_task_name }) => (
            <Link
              to="/projects/$slug/failures/$fingerprint"
              params={{ slug, fingerprint }}
              search={hours === undefined ? {} : { hours }}
              className="group block max-w-[50ch] min-w-0 py-2 2xl:max-w-[72ch] max-md:max-w-[36vw]"
            >
              <span className="block truncate font-medium group-hover:underline group-hover:underline-offset-2">
                {sample_task_name ?? fingerprint}
              </span>
              <span className="block truncate font-mono text-small text-soft" title={sample_exception ?? undefined}>
                {sample_exception?.split("\n", 1)[0] ?? texts.noException}
              </span>
              {first_seen !== null && (
                <FirstDeploy deploys={deploys} firstSeen={first_seen} className="truncate text-small" />
              )}
            </Link>
          )
        },
        {
          title: texts.engine,
          isMinor: true,
          cell: ({ engines }) => <span className="whitespace-nowrap">{engines.join(", ")}</span>
        },
        ...assignees,
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

/** Failures of a project as the few different ones they are, without those that are muted or resolved unless asked for. */
export const FailuresPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/failures" })
  const search = useSearch({ from: "/signed-in/projects/$slug/failures" })
  const { failures: texts, tasks } = useTexts()
  const navigate = useNavigate()
  const { search: typed = "", ...others } = search
  const text = usePaused(typed)
  const wanted: FailuresSearch = text === "" ? others : { ...others, search: text }
  const list = usePagedList({
    key: ["failures", slug, "list", wanted],
    read: (cursor) => listGroups(slug, wanted, cursor),
    refetchMillis
  })
  const show = (next: FailuresSearch, replace = false) =>
    void navigate({ to: "/projects/$slug/failures", params: { slug }, search: next, replace })
  return (
    <>
      <PageHeader title={texts.title}>
        <Filters slug={slug} search={search} onChange={show} />
      </PageHeader>
      <FailureTabs slug={slug} />
      <FailureHeatmap slug={slug} />
      <ListFrame
        list={list}
        isEmpty={list.rows.length === 0}
        empty={isEmptySearch(search)
          ? (
            <EmptyState title={texts.none} hint={texts.noneHint}>
              <TasksLink slug={slug} />
            </EmptyState>
          )
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
