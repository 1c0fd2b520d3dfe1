import { useParams } from "@tanstack/react-router"
import { HiddenQuery } from "../bulkJobs/FilterLink.tsx"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { TasksLink } from "../tasks/TasksLink.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { MoreButton } from "../ui/MoreButton.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Table } from "../ui/Table.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { usePagedList } from "../ui/usePagedList.ts"
import { type BulkRetry, countNamed, isQueryHidden, lineOf } from "./bulkRetry.ts"
import { CommandTabs } from "./CommandTabs.tsx"
import { PhaseMark, ProgressBar } from "./Progress.tsx"
import { bulkRetriesKey, listBulkRetries } from "./queries.ts"

const refetchMillis = 3_000

/** Every bulk retry of the project, and how far it is. */
export const BulkRetriesPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/bulk-retries" })
  const { bulkRetries: texts, tasks } = useTexts()
  const format = useFormat()
  const describe = (filter: BulkRetry["filter"]) => {
    const named = countNamed(filter)
    if (named !== null) return tasks.count(format.count(named))
    return isQueryHidden(filter) ? <HiddenQuery line={lineOf(filter)} /> : lineOf(filter)
  }
  const list = usePagedList({
    key: [...bulkRetriesKey(slug), "list"],
    read: (cursor) => listBulkRetries(slug, cursor),
    refetchMillis
  })
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
            { title: texts.status, cell: (request) => <PhaseMark request={request} /> },
            {
              title: texts.filter,
              cell: ({ filter, id, target_name }) => (
                <TextLink
                  to="/projects/$slug/bulk-retries/$requestId"
                  params={{ slug, requestId: id }}
                  look="row"
                  className="grid max-w-[48ch] py-1"
                >
                  {target_name !== null && <span className="truncate font-medium">{target_name}</span>}
                  <span className="truncate font-mono text-small">{describe(filter)}</span>
                </TextLink>
              )
            },
            { title: texts.progress, isMinor: true, cell: ({ counts }) => <ProgressBar counts={counts} /> },
            {
              title: texts.done,
              isNumber: true,
              cell: ({ counts: { claimed, pending, total } }) =>
                texts.ofTotal(format.number(total - pending - claimed), format.number(total))
            },
            {
              title: texts.failed,
              isNumber: true,
              isMinor: true,
              cell: ({ counts: { failed } }) => (
                <span className={failed > 0 ? "text-failure" : undefined}>{format.number(failed)}</span>
              )
            },
            { title: texts.created, isNumber: true, isMinor: true, cell: ({ created_at }) => <Time at={created_at} /> }
          ]}
        />
        <MoreButton list={list} />
      </ListFrame>
    </>
  )
}
