import { useQueryClient } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useState } from "react"
import { CommandTabs } from "../bulkRetries/CommandTabs.tsx"
import { ExportJobs } from "../exports/ExportJobs.tsx"
import { useTexts } from "../i18n/Language.tsx"
import { usePeople } from "../people/usePeople.ts"
import { useCan } from "../session/permissions.ts"
import { TasksLink } from "../tasks/TasksLink.tsx"
import { Button } from "../ui/Button.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { MoreButton } from "../ui/MoreButton.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { StateShape } from "../ui/StateMark.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { usePagedList } from "../ui/usePagedList.ts"
import { type BulkJob, lineOfJob, statusShapes } from "./bulkJob.ts"
import { FilterLink } from "./FilterLink.tsx"
import { JobCounts, JobProgress } from "./Progress.tsx"
import { bulkJobsKey, listBulkJobs, stopBulkJob } from "./queries.ts"

const refetchMillis = 3_000

const Status = ({ job: { note, status } }: { readonly job: BulkJob }) => {
  const { bulkJobs: texts } = useTexts()
  return (
    <>
      <span className="inline-flex items-center gap-2 whitespace-nowrap">
        <StateShape state={statusShapes[status]} />
        {texts.statuses[status]}
      </span>
      {note !== null && <span className="block max-w-[36ch] text-small text-soft">{note}</span>}
    </>
  )
}

/** Asks, and stops the job for good. */
const StopButton = ({ job, slug }: { readonly job: BulkJob; readonly slug: string }) => {
  const { bulkJobs: texts, keepRunning } = useTexts()
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>{texts.stop}</Button>
      {isOpen && (
        <FormDialog
          title={texts.stopQuestion}
          submit={texts.stop}
          dismiss={keepRunning}
          variant="danger"
          onClose={() => setOpen(false)}
          onSubmit={async () => {
            await stopBulkJob(slug, job.id)
            await queries.invalidateQueries({ queryKey: bulkJobsKey(slug) })
          }}
        >
          <p className="text-soft">{texts.stopHint}</p>
        </FormDialog>
      )}
    </>
  )
}

/** Every bulk job of the project, how far it is, and how to stop it; and the exports of tasks with their files. */
export const BulkJobsPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/bulk-jobs" })
  const { bulkJobs: texts, exportJobs } = useTexts()
  const { nameOf } = usePeople(slug)
  const canOperate = useCan(slug, "operator")
  const list = usePagedList({
    key: [...bulkJobsKey(slug), "list"],
    read: (cursor) => listBulkJobs(slug, cursor),
    refetchMillis
  })
  const canStopAny = canOperate && list.rows.some(({ status }) => status === "running")
  return (
    <>
      <PageHeader title={texts.title} />
      <CommandTabs slug={slug} />
      <ListFrame
        list={list}
        isEmpty={list.rows.length === 0}
        empty={
          <EmptyState title={texts.none} hint={texts.noneHint}>
            <TasksLink slug={slug} />
          </EmptyState>
        }
      >
        <Table
          label={texts.title}
          rows={list.rows}
          rowKey={({ id }) => id}
          columns={[
            { title: texts.what, cell: ({ act }) => texts.actions[act] },
            {
              title: texts.filter,
              cell: (job) => <FilterLink slug={slug} filter={job.filter} line={lineOfJob(job)} />
            },
            { title: texts.status, cell: (job) => <Status job={job} /> },
            { title: texts.progress, isMinor: true, cell: (job) => <JobProgress job={job} /> },
            { title: texts.done, isNumber: true, cell: (job) => <JobCounts job={job} /> },
            {
              title: texts.by,
              isMinor: true,
              cell: ({ created_by, created_by_name }) => nameOf(created_by, created_by_name)
            },
            { title: texts.created, isNumber: true, isMinor: true, cell: ({ created_at }) => <Time at={created_at} /> },
            ...(canStopAny
              ? [{
                title: texts.action,
                cell: (job: BulkJob) => job.status === "running" && <StopButton slug={slug} job={job} />
              }]
              : [])
          ]}
        />
        <MoreButton list={list} />
      </ListFrame>
      <div className="border-t border-line pt-4">
        <h2 className="px-4 pb-2 font-semibold">{exportJobs.title}</h2>
        <ExportJobs slug={slug} type="tasks" emptyHint={exportJobs.noneHint} />
      </div>
    </>
  )
}
