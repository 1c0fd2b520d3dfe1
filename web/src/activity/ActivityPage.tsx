import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
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
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { ActivityFilters, PersonButton } from "./Filters.tsx"
import { ActionName, Summary, Target } from "./RowParts.tsx"
import { readSentence } from "./sentence.ts"
import { SentenceText } from "./SentenceText.tsx"
import type { Row } from "./summary.ts"
import { useActivityFeed } from "./useActivityFeed.ts"

export interface ActivitySearch {
  /** The beginning of the actions. */
  readonly prefix?: string
  /** The id of who did it. */
  readonly person?: string
}

export interface FeedSearch extends ActivitySearch {
  /** Also what agents and the program did. */
  readonly machines?: true
}

/** Who did what, as a sentence where the row has one. */
const What = ({ name, onPerson, row }: {
  readonly row: Row
  readonly name: string
  readonly onPerson: (id: string) => void
}) => {
  const sentence = readSentence(row)
  const who = <PersonButton id={row.user_id} name={name} onChoose={onPerson} />
  if (sentence !== null) {
    return (
      <span title={row.action}>
        <SentenceText sentence={sentence} slug={row.project_slug} who={who} />
      </span>
    )
  }
  return (
    <span className="flex flex-wrap items-baseline gap-x-2">
      {who}
      <ActionName row={row} />
      <Target row={row} />
    </span>
  )
}

const Feed = ({ search: { machines, person, prefix }, slug, title }: {
  readonly slug?: string
  readonly title: string
  readonly search: FeedSearch
}) => {
  const { activity: texts, tasks } = useTexts()
  const format = useFormat()
  const { nameOf } = usePeople(slug)
  const navigate = useNavigate()
  const list = useActivityFeed({ slug, prefix, person, hasMachines: machines === true })
  const filter = (change: { readonly [K in keyof FeedSearch]: FeedSearch[K] | undefined }) => {
    const wanted = { machines, person, prefix, ...change }
    void navigate({
      to: ".",
      search: {
        ...(wanted.prefix !== undefined && { prefix: wanted.prefix }),
        ...(wanted.person !== undefined && { person: wanted.person }),
        ...(wanted.machines !== undefined && { machines: wanted.machines })
      }
    })
  }
  const project: Column<Row> = {
    title: texts.project,
    isMinor: true,
    cell: ({ project_slug }) =>
      project_slug !== null && (
        <TextLink
          to="/projects/$slug/activity"
          params={{ slug: project_slug }}
          look="row"
        >
          {project_slug}
        </TextLink>
      )
  }
  return (
    <>
      <PageHeader title={title}>
        <ActivityFilters
          slug={slug}
          prefix={prefix}
          person={person}
          onPrefix={(chosen) => filter({ prefix: chosen })}
          onPerson={(chosen) => filter({ person: chosen })}
        />
        <label className="inline-flex h-7.5 items-center gap-2" title={texts.machinesHint}>
          <input
            type="checkbox"
            role="switch"
            checked={machines === true}
            onChange={({ target }) => filter({ machines: target.checked ? true : undefined })}
          />
          {texts.machines}
        </label>
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
              title: texts.action,
              cell: (row) => (
                <What
                  row={row}
                  name={nameOf(row.user_id, row.user_name)}
                  onPerson={(chosen) => filter({ person: chosen })}
                />
              )
            },
            ...(slug === undefined ? [project] : []),
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
