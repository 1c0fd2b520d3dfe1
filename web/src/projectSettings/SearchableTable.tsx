import { useQuery } from "@tanstack/react-query"
import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { searchablePathsQuery, useStopSearchable } from "../tasks/searchablePaths.ts"
import { Button } from "../ui/Button.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { Table } from "../ui/Table.tsx"

/** How often a list is read while an index is filled. */
const fillingMillis = 2000

/** The places of tasks whose values are in an index. A task's page adds them. */
export const SearchableTable = ({ canChange, slug }: { readonly slug: string; readonly canChange: boolean }) => {
  const { projectSettings: texts } = useTexts()
  const format = useFormat()
  const stop = useStopSearchable(slug)
  const list = useQuery({
    ...searchablePathsQuery(slug),
    refetchInterval: (
      { state }
    ) => (state.data?.every(({ status }) => status === "ready") === true ? false : fillingMillis)
  })
  const statusOf = ({ filled_to, status }: Schemas["SearchablePath"]) =>
    filled_to === null
      ? texts.searchableStatuses[status]
      : texts.searchableSince(format.dateTime(Date.parse(filled_to)))
  return (
    <ListFrame
      list={list}
      isEmpty={list.data?.length === 0}
      empty={<p className="px-4 py-3 text-soft">{texts.noSearchable}</p>}
    >
      <Table
        isInPanel
        label={texts.searchable}
        rows={list.data ?? []}
        rowKey={({ id }) => id}
        columns={[
          {
            title: texts.taskName,
            cell: ({ task_name }) => <span className="font-mono text-[12px] break-all">{task_name}</span>
          },
          {
            title: texts.place,
            cell: ({ path }) => <span className="font-mono text-[12px] break-all">{path}</span>
          },
          { title: texts.status, cell: statusOf },
          {
            title: texts.actions,
            isNumber: true,
            cell: ({ id, path, task_name }) => (
              <Button
                variant="quiet"
                aria-label={`${texts.stopSearchable}: ${path}, ${task_name}`}
                disabled={!canChange || stop.isPending}
                onClick={() => stop.mutate(id)}
              >
                {texts.stopSearchable}
              </Button>
            )
          }
        ]}
      />
    </ListFrame>
  )
}
