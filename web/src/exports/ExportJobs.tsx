import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { base } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { lineOfJob } from "../bulkJobs/bulkJob.ts"
import { FilterLink } from "../bulkJobs/FilterLink.tsx"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { usePeople } from "../people/usePeople.ts"
import { useCan } from "../session/permissions.ts"
import { meQuery } from "../session/session.ts"
import { TasksLink } from "../tasks/TasksLink.tsx"
import { Button } from "../ui/Button.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { Icon } from "../ui/Icon.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { Table } from "../ui/Table.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { type ExportJob, isActive, useProgressText } from "./exportJob.ts"
import { deleteExport, exportsKey, listExports } from "./queries.ts"

const colours: Readonly<Record<ExportJob["status"], string>> = {
  pending: "text-waiting",
  running: "text-running",
  completed: "text-success",
  failed: "text-failure"
}

const activeMillis = 1_500
const idleMillis = 15_000

const Status = ({ job: { downloadable, error, status, truncated } }: { readonly job: ExportJob }) => {
  const { exportJobs: texts } = useTexts()
  return (
    <div>
      <span className={colours[status]}>{texts.statuses[status]}</span>
      {error !== null && <p>{error}</p>}
      {truncated && <p className="text-soft">{texts.truncated}</p>}
      {status === "completed" && !downloadable && <p className="text-soft">{texts.hidden}</p>}
    </div>
  )
}

const Filters = ({ job, slug }: { readonly job: ExportJob; readonly slug: string }) => {
  const { audit: texts } = useTexts()
  if (job.export_type === "tasks") {
    return (
      <FilterLink
        slug={slug}
        filter={job.filters}
        line={lineOfJob({ created_at: job.created_at, filter: job.filters })}
      />
    )
  }
  const terms = Object.entries(job.filters)
  if (terms.length === 0) return <span className="text-soft">{texts.noFilters}</span>
  return <span className="break-words">{terms.map(([name, value]) => `${name}: ${String(value)}`).join(", ")}</span>
}

/** Asks, and deletes the export with its file. */
const DeleteButton = ({ job, slug }: { readonly job: ExportJob; readonly slug: string }) => {
  const { exportJobs: texts } = useTexts()
  const format = useFormat()
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const created = format.dateTime(Date.parse(job.created_at))
  return (
    <>
      <Button aria-label={texts.removeName(created)} onClick={() => setOpen(true)}>{texts.remove}</Button>
      {isOpen && (
        <FormDialog
          title={texts.removeQuestion}
          submit={texts.remove}
          variant="danger"
          onClose={() => setOpen(false)}
          onSubmit={async () => {
            await deleteExport(slug, job.export_type, job.id)
            await queries.invalidateQueries({ queryKey: exportsKey(slug, job.export_type) })
          }}
        >
          <p className="text-soft">{texts.removeHint}</p>
        </FormDialog>
      )}
    </>
  )
}

/** Exports of a kind: how far each is, and its file. */
export const ExportJobs = ({ emptyHint, slug, type }: {
  readonly slug: string
  readonly type: ExportJob["export_type"]
  /** How the first one is made. */
  readonly emptyHint: string
}) => {
  const { audit, exportJobs: texts } = useTexts()
  const progress = useProgressText()
  const { nameOf } = usePeople(slug)
  const { data: me } = useQuery(meQuery)
  const isAdmin = useCan(slug, "admin")
  const whileActive = useRefetchInterval(activeMillis)
  const whileIdle = useRefetchInterval(idleMillis)
  const list = useQuery({
    queryKey: exportsKey(slug, type),
    queryFn: () => listExports(slug, type),
    refetchInterval: ({ state: { data } }) => (data?.some(isActive) === true ? whileActive : whileIdle)
  })
  const jobs = list.data ?? []
  return (
    <ListFrame
      list={list}
      isEmpty={jobs.length === 0}
      empty={
        <EmptyState title={texts.none} hint={emptyHint}>{type === "tasks" && <TasksLink slug={slug} />}</EmptyState>
      }
    >
      <Table
        label={texts.title}
        rows={jobs}
        rowKey={({ id }) => id}
        columns={[
          { title: texts.status, cell: (job) => <Status job={job} /> },
          { title: texts.format, cell: (job) => job.format.toUpperCase() },
          { title: audit.filters, isMinor: true, cell: (job) => <Filters slug={slug} job={job} /> },
          {
            title: texts.rows,
            isNumber: true,
            isMinor: true,
            cell: (job) => job.row_count !== null && progress.rows(job)
          },
          {
            title: texts.size,
            isNumber: true,
            isMinor: true,
            cell: (job) => job.size_bytes !== null && progress.size(job)
          },
          { title: texts.by, isMinor: true, cell: ({ user_id }) => nameOf(user_id) },
          { title: texts.created, isNumber: true, cell: ({ created_at }) => <Time at={created_at} /> },
          {
            title: "",
            isNumber: true,
            cell: (job) => (
              <span className="inline-flex flex-wrap items-center justify-end gap-3">
                {job.downloadable && job.location !== null && (
                  <a
                    href={`${base}${job.location}`}
                    download
                    className={`${linkClass.text} inline-flex items-center gap-1 font-medium`}
                  >
                    <Icon name="download" />
                    {texts.download}
                  </a>
                )}
                {(isAdmin || job.user_id === me?.id) && <DeleteButton slug={slug} job={job} />}
              </span>
            )
          }
        ]}
      />
    </ListFrame>
  )
}
