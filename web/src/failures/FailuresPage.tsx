import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useTexts } from "../i18n/Language.tsx"
import { isEmptySearch } from "../searchParams.ts"
import { TasksLink } from "../tasks/TasksLink.tsx"
import { Button } from "../ui/Button.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { MoreButton } from "../ui/MoreButton.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { usePagedList } from "../ui/usePagedList.ts"
import { usePaused } from "../ui/usePaused.ts"
import { FailureHeatmap } from "./FailureHeatmap.tsx"
import { FailureTabs } from "./FailureTabs.tsx"
import { GroupFilters } from "./GroupFilters.tsx"
import { GroupTable } from "./GroupTable.tsx"
import { listGroups } from "./queries.ts"
import type { FailuresSearch } from "./search.ts"

const refetchMillis = 10_000

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
        <GroupFilters slug={slug} search={search} onChange={show} />
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
