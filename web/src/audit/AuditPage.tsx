import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { ActivityFilters } from "../activity/Filters.tsx"
import { ExportJobs } from "../exports/ExportJobs.tsx"
import { useTexts } from "../i18n/Language.tsx"
import { usePeople } from "../people/usePeople.ts"
import { isEmptySearch, present } from "../searchParams.ts"
import { useCanAudit } from "../session/permissions.ts"
import { Button } from "../ui/Button.tsx"
import { FilterSelect } from "../ui/FilterSelect.tsx"
import { Icon } from "../ui/Icon.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { MoreButton } from "../ui/MoreButton.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { usePagedList } from "../ui/usePagedList.ts"
import { AuditRow } from "./AuditRow.tsx"
import { ExportDialog } from "./ExportDialog.tsx"
import { Integrity } from "./Integrity.tsx"
import { type AuditFilter, readAudit } from "./queries.ts"

export interface AuditSearch extends AuditFilter {
  readonly tab?: "exports"
}

const refetchMillis = 15_000
const pageSize = 50

const Filters = ({ filter, onFilter, slug }: {
  readonly slug: string
  readonly filter: AuditFilter
  readonly onFilter: (filter: AuditFilter) => void
}) => {
  const { audit: texts } = useTexts()
  const { all, ...windows } = texts.windows
  return (
    <div className="flex flex-wrap gap-2 px-4 py-3">
      <ActivityFilters
        slug={slug}
        prefix={filter.prefix}
        person={filter.person}
        onPrefix={(prefix) => onFilter(present({ ...filter, prefix }))}
        onPerson={(person) => onFilter(present({ ...filter, person }))}
      />
      <FilterSelect
        label={texts.outcome}
        any={texts.anyOutcome}
        choices={texts.outcomes}
        value={filter.outcome}
        onChoose={(outcome) => onFilter(present({ ...filter, outcome }))}
      />
      <FilterSelect
        label={texts.since}
        any={all}
        choices={windows}
        value={filter.window}
        onChoose={(window) => onFilter(present({ ...filter, window }))}
      />
      {filter.from !== undefined && (
        <Button onClick={() => onFilter(present({ ...filter, from: undefined }))}>
          {texts.fromEntry}
          <Icon name="close" />
          <span className="sr-only">{texts.ofAllTargets}</span>
        </Button>
      )}
      {filter.target !== undefined && (
        <Button onClick={() => onFilter(present({ ...filter, target: undefined }))}>
          {texts.ofTarget(filter.target)}
          <Icon name="close" />
          <span className="sr-only">{texts.ofAllTargets}</span>
        </Button>
      )}
    </div>
  )
}

const Log = ({ filter, onFilter, slug }: {
  readonly slug: string
  readonly filter: AuditFilter
  readonly onFilter: (filter: AuditFilter) => void
}) => {
  const { activity, audit: texts, tasks } = useTexts()
  const { nameOf } = usePeople(slug)
  const list = usePagedList({
    key: ["audit", slug, filter],
    read: (cursor) => readAudit(slug, filter, pageSize, cursor ?? filter.from ?? null),
    refetchMillis
  })
  return (
    <ListFrame
      list={list}
      isEmpty={list.rows.length === 0}
      empty={isEmptySearch(filter)
        ? <EmptyState title={texts.none} hint={texts.noneHint} />
        : (
          <EmptyState title={activity.noMatch} hint={texts.noMatchHint}>
            <Button onClick={() => onFilter({})}>{tasks.clear}</Button>
          </EmptyState>
        )}
    >
      <ul data-rows aria-label={texts.title} className="mx-4 mb-4 rounded-base border border-line bg-paper">
        {list.rows.map((row) => (
          <AuditRow
            key={row.id}
            row={row}
            name={nameOf(row.user_id)}
            onPerson={(person) => onFilter({ ...filter, person })}
          />
        ))}
      </ul>
      <MoreButton list={list} />
    </ListFrame>
  )
}

/** The project's audit log, whether it is intact, and files of it. */
export const AuditPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/audit" })
  const { tab, ...filter } = useSearch({ from: "/signed-in/projects/$slug/audit" })
  const navigate = useNavigate({ from: "/projects/$slug/audit" })
  const { audit: texts } = useTexts()
  const canAudit = useCanAudit(slug)
  const [isExporting, setExporting] = useState(false)
  return (
    <>
      <PageHeader title={texts.title}>
        {canAudit && (
          <Button className="ml-auto" onClick={() => setExporting(true)}>
            <Icon name="download" />
            {texts.create}
          </Button>
        )}
      </PageHeader>
      <Integrity slug={slug} />
      <Tabs
        label={texts.tabs}
        tabs={{ log: texts.log, exports: texts.exports }}
        value={tab ?? "log"}
        onChoose={(chosen) => void navigate({ search: { ...filter, ...(chosen === "exports" && { tab: chosen }) } })}
      />
      {tab === "exports" ?
        (
          <div className="pt-4">
            <ExportJobs slug={slug} type="audit" emptyHint={texts.noExportsHint} />
          </div>
        ) :
        (
          <>
            <Filters slug={slug} filter={filter} onFilter={(search) => void navigate({ search })} />
            <Log slug={slug} filter={filter} onFilter={(search) => void navigate({ search })} />
          </>
        )}
      {isExporting && (
        <ExportDialog
          slug={slug}
          filter={filter}
          onStarted={() => void navigate({ search: { ...filter, tab: "exports" } })}
          onClose={() => setExporting(false)}
        />
      )}
    </>
  )
}
