import { useNavigate, useSearch } from "@tanstack/react-router"
import { shortId } from "../format/shortId.ts"
import { useTexts } from "../i18n/Language.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { MoreButton } from "../ui/MoreButton.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { StateShape } from "../ui/StateMark.tsx"
import { Table } from "../ui/Table.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { usePagedList } from "../ui/usePagedList.ts"
import { type BulkRetry, isMoving, itemShapes, outcomeShapes } from "./bulkRetry.ts"
import { bulkRetriesKey, listItems } from "./queries.ts"
import type { ItemsSearch } from "./search.ts"

const movingMillis = 3_000
/** The tasks of an outcome are found among all retried ones, which takes 0.4 s for 100 000. */
const maxMoving = 10_000
const endedMillis = 60_000

const TaskLink = ({ engine, slug, taskId, text }: {
  readonly slug: string
  readonly engine: string
  readonly taskId: string
  readonly text: string
}) => (
  <TextLink
    to="/projects/$slug/tasks/$engine/$taskId"
    params={{ slug, engine, taskId }}
    look="row"
  >
    {text}
  </TextLink>
)

/** The frozen tasks of a request in the order of their retries, by how far they are and by outcome. */
export const Items = ({ request, slug }: { readonly slug: string; readonly request: BulkRetry }) => {
  const { outcome, status } = useSearch({ from: "/signed-in/projects/$slug/bulk-retries/$requestId" })
  const { bulkRetries: texts } = useTexts()
  const navigate = useNavigate()
  const shown = { ...(status !== undefined && { status }), ...(outcome !== undefined && { outcome }) }
  const list = usePagedList({
    key: [...bulkRetriesKey(slug), request.id, "items", shown],
    read: (cursor) => listItems(slug, request.id, shown, cursor),
    refetchMillis: isMoving(request) && request.counts.succeeded <= maxMoving ? movingMillis : endedMillis
  })
  const show = (search: ItemsSearch) =>
    void navigate({
      to: "/projects/$slug/bulk-retries/$requestId",
      params: { slug, requestId: request.id },
      search,
      replace: true
    })
  return (
    <div className="grid gap-3">
      <Tabs
        label={texts.status}
        value={status ?? "all"}
        tabs={{ all: texts.allTasks, ...texts.counts }}
        onChoose={(tab) => show(tab === "all" ? {} : { status: tab })}
      />
      {status === "succeeded" && (
        <Tabs
          label={texts.outcomeTitle}
          value={outcome ?? "all"}
          tabs={{ all: texts.allTasks, ...texts.outcomes }}
          onChoose={(tab) => show({ status, ...(tab !== "all" && { outcome: tab }) })}
        />
      )}
      <ListFrame list={list} isEmpty={list.rows.length === 0} empty={<EmptyState title={texts.noItems} />}>
        <Table
          label={texts.tasks}
          rows={list.rows}
          rowKey={({ position }) => String(position)}
          columns={[
            {
              title: texts.status,
              cell: ({ outcome, status }) => (
                <span
                  className="inline-flex items-center gap-2 whitespace-nowrap"
                  title={outcome === null ? texts.countHints[status] : texts.outcomeHints[outcome]}
                >
                  <StateShape state={outcome === null ? itemShapes[status] : outcomeShapes[outcome]} />
                  {outcome === null ? texts.counts[status] : texts.outcomes[outcome]}
                </span>
              )
            },
            {
              title: texts.task,
              cell: ({ engine, name, task_id }) => (
                <span className="font-medium">
                  <TaskLink slug={slug} engine={engine} taskId={task_id} text={name} />
                </span>
              )
            },
            {
              title: texts.reason,
              isMinor: true,
              cell: ({ error, reason }) => (
                <span className="block max-w-[56ch] truncate" title={error ?? undefined}>
                  {error ?? (reason === null ? "" : texts.reasons[reason])}
                </span>
              )
            },
            {
              title: texts.newTask,
              isMinor: true,
              cell: ({ engine, new_task_id }) =>
                new_task_id !== null && (
                  <span className="block max-w-[20ch] truncate font-mono text-small" title={new_task_id}>
                    <TaskLink slug={slug} engine={engine} taskId={new_task_id} text={shortId(new_task_id)} />
                  </span>
                )
            },
            {
              title: texts.finished,
              isNumber: true,
              cell: ({ ended_at }) => ended_at !== null && <Time at={ended_at} />
            }
          ]}
        />
        <MoreButton list={list} />
      </ListFrame>
    </div>
  )
}
