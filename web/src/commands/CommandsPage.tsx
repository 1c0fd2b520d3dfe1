import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { nameOfThing } from "../activity/thing.ts"
import { ThingLink } from "../activity/ThingLink.tsx"
import { AgentLink } from "../agents/AgentLink.tsx"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { CommandTabs } from "../bulkRetries/CommandTabs.tsx"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { TasksLink } from "../tasks/TasksLink.tsx"
import { Button } from "../ui/Button.tsx"
import { FilterSelect } from "../ui/FilterSelect.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { MoreButton } from "../ui/MoreButton.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { ShortId } from "../ui/ShortId.tsx"
import { Table } from "../ui/Table.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { usePagedList } from "../ui/usePagedList.ts"
import { CommandStatusHelp, CommandStatusText } from "./CommandStatusText.tsx"
import type { commandStatuses } from "./statuses.ts"
import { useActionName } from "./useActionName.ts"

type Command = Schemas["Command"]
const refetchMillis = 3_000
const pageSize = 50

/** What a command is about, by its name where that is known; a link where a page shows it. */
const Target = ({ command: { engine, target_id: id, target_name: name, target_type: type }, slug }: {
  readonly slug: string
  readonly command: Command
}) => {
  const thing = { type, id, name, engine }
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 font-medium">
      <ThingLink slug={slug} thing={thing} className={linkClass.row}>
        {nameOfThing(thing)}
      </ThingLink>
      {id !== null && id !== name && <ShortId id={id} />}
    </span>
  )
}

/** What became of each command. */
export const CommandsPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/commands" })
  const { commands: texts, tasks } = useTexts()
  const format = useFormat()
  const { status } = useSearch({ from: "/signed-in/projects/$slug/commands" })
  const navigate = useNavigate()
  const list = usePagedList({
    key: ["commands", slug, status],
    read: (cursor) =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/commands", {
          params: {
            path: { slug },
            query: { limit: pageSize, ...(status !== undefined && { status }), ...(cursor !== null && { cursor }) }
          }
        })
      ),
    refetchMillis
  })
  const actionName = useActionName()
  const choose = (chosen: (typeof commandStatuses)[number] | undefined) =>
    void navigate({
      to: "/projects/$slug/commands",
      params: { slug },
      search: chosen === undefined ? {} : { status: chosen },
      replace: true
    })
  return (
    <>
      <PageHeader title={texts.title}>
        <FilterSelect
          label={texts.status}
          any={texts.allStatuses}
          choices={texts.statuses}
          value={status}
          onChoose={choose}
        />
      </PageHeader>
      <CommandTabs slug={slug} />
      <CommandStatusHelp />
      <ListFrame
        list={list}
        isEmpty={list.rows.length === 0}
        empty={status === undefined
          ? (
            <EmptyState title={texts.none} hint={texts.noneHint}>
              <TasksLink slug={slug} />
            </EmptyState>
          )
          : (
            <EmptyState title={texts.noneOfStatus}>
              <Button onClick={() => choose(undefined)}>{tasks.clear}</Button>
            </EmptyState>
          )}
      >
        <Table
          label={texts.title}
          rows={list.rows}
          rowKey={({ id }) => id}
          columns={[
            { title: texts.target, cell: (command) => <Target slug={slug} command={command} /> },
            { title: texts.action, cell: ({ action }) => actionName(action) },
            { title: texts.status, cell: ({ status }) => <CommandStatusText status={status} /> },
            {
              title: texts.agent,
              isMinor: true,
              cell: ({ agent_id, agent_name }) =>
                agent_id !== null && <AgentLink slug={slug} id={agent_id} name={agent_name} />
            },
            { title: texts.error, isMinor: true, cell: ({ error, note }) => error ?? note },
            { title: texts.issued, isNumber: true, cell: ({ issued_at }) => <Time at={issued_at} /> },
            {
              title: texts.took,
              isNumber: true,
              isMinor: true,
              cell: ({ completed_at, issued_at }) =>
                completed_at !== null && format.duration(Date.parse(completed_at) - Date.parse(issued_at))
            }
          ]}
        />
        <MoreButton list={list} />
      </ListFrame>
    </>
  )
}
