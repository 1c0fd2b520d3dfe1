import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { usePeople } from "../people/usePeople.ts"
import { TasksLink } from "../tasks/TasksLink.tsx"
import { Button } from "../ui/Button.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { MoreButton } from "../ui/MoreButton.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { ActivityFilters, PersonButton } from "./Filters.tsx"
import { ActionName, Summary, Target } from "./RowParts.tsx"
import type { Row } from "./summary.ts"
import { useActivityFeed } from "./useActivityFeed.ts"

export interface ActivitySearch {
  /** The beginning of the actions. */
  readonly prefix?: string
  /** The id of who did it. */
  readonly person?: string
}

const Feed = ({ search: { person, prefix }, slug, title }: {
  readonly slug?: string
  readonly title: string
  readonly search: ActivitySearch
}) => {
  const { activity: texts, tasks } = useTexts()
  const format = useFormat()
  const { nameOf } = usePeople(slug)
  const navigate = useNavigate()
  const list = useActivityFeed({ slug, prefix, person })
  const filter = (change: Readonly<Record<keyof ActivitySearch, string | undefined>>) =>
    void navigate({
      to: ".",
      search: {
        ...(change.prefix !== undefined && { prefix: change.prefix }),
        ...(change.person !== undefined && { person: change.person })
      }
    })
  const project: Column<Row> = {
    title: texts.project,
    isMinor: true,
    cell: ({ project_slug }) =>
      project_slug !== null && (
        <Link
          to="/projects/$slug/activity"
          params={{ slug: project_slug }}
          className="hover:underline hover:underline-offset-2"
        >
          {project_slug}
        </Link>
      )
  }
  return (
    <>
      <PageHeader title={title}>
        <ActivityFilters
          slug={slug}
          prefix={prefix}
          person={person}
          onPrefix={(chosen) => filter({ prefix: chosen, person })}
          onPerson={(chosen) => filter({ prefix, person: chosen })}
        />
        {list.newCount > 0 && (
          <Button className="ml-auto" onClick={list.showNews}>{texts.newRows(format.count(list.newCount))}</Button>
        )}
      </PageHeader>
      <ListFrame
        list={list}
        isEmpty={list.rows.length === 0}
        empty={prefix === undefined && person === undefined
          ? (
            <EmptyState title={texts.none} hint={texts.noneHint}>
              {slug !== undefined && <TasksLink slug={slug} />}
            </EmptyState>
          )
          : (
            <EmptyState title={texts.noMatch} hint={texts.noMatchHint}>
              <Button onClick={() => filter({ prefix: undefined, person: undefined })}>{tasks.clear}</Button>
            </EmptyState>
          )}
      >
        <Table
          label={title}
          rows={list.rows}
          rowKey={({ id }) => id}
          columns={[
            {
              title: texts.person,
              cell: ({ user_id, user_name }) => (
                <PersonButton
                  id={user_id}
                  name={nameOf(user_id, user_name)}
                  onChoose={(chosen) => filter({ prefix, person: chosen })}
                />
              )
            },
            { title: texts.action, cell: (row) => <ActionName row={row} /> },
            ...(slug === undefined ? [project] : []),
            { title: texts.target, isMinor: true, cell: (row) => <Target row={row} /> },
            { title: texts.details, isMinor: true, cell: (row) => <Summary row={row} /> },
            { title: texts.time, isNumber: true, cell: ({ occurred_at }) => <Time at={occurred_at} /> }
          ]}
        />
        <MoreButton list={list} />
      </ListFrame>
    </>
  )
}

/** Who did what in the project, newest first. */
export const ActivityPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/activity" })
  const search = useSearch({ from: "/signed-in/projects/$slug/activity" })
  const { activity: texts } = useTexts()
  return <Feed slug={slug} title={texts.title} search={search} />
}

/** Who did what in all projects that the person sees. */
export const AllActivityPage = () => {
  const search = useSearch({ from: "/signed-in/activity" })
  const { activity: texts } = useTexts()
  return <Feed title={texts.ofAll} search={search} />
}
