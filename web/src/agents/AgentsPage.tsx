import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { ListFrame } from "../ui/ListFrame.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { OldRowsNote, useRecentRows } from "../ui/RecentRows.tsx"
import { Table } from "../ui/Table.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { WorkerState } from "../workers/WorkerState.tsx"
import { type Agent, useAgents, useUptime } from "./agents.ts"
import { CreateLink } from "./ConnectLink.tsx"
import { UptimeLegend, UptimeStrip } from "./Uptime.tsx"

/** What is wrong with an agent at first sight: advice about its set-up, and a refusal that it has not recovered from. */
const Trouble = ({ agent }: { readonly agent: Agent }) => {
  const { agents: texts } = useTexts()
  const { last_refused_at, last_refused_detail, setup_advice, state } = agent
  return (
    <>
      {setup_advice.map(({ code, detail }) => <p key={code}>{detail}</p>)}
      {state === "offline" && last_refused_at !== null && last_refused_detail !== null && (
        <p>
          {texts.refused}: {last_refused_detail} (<Time at={last_refused_at} />)
        </p>
      )}
    </>
  )
}

/** Every agent with its health; an admin creates one with the set-up assistant. */
export const AgentsPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/agents" })
  const { old } = useSearch({ from: "/signed-in/projects/$slug/agents" })
  const { agents: texts } = useTexts()
  const navigate = useNavigate()
  const isAdmin = useCan(slug, "admin")
  const list = useAgents(slug)
  const uptimes = new Map(useUptime(slug).data?.agents.map((uptime) => [uptime.agent_id, uptime]))
  const agents = list.data ?? []
  const { isOld, oldCount, rows } = useRecentRows(
    agents,
    ({ created_at, last_seen_at }) => last_seen_at ?? created_at,
    old === "hidden"
  )
  return (
    <>
      <PageHeader title={texts.title}>
        {isAdmin && agents.length > 0 && (
          <div className="ml-auto">
            <CreateLink slug={slug} />
          </div>
        )}
      </PageHeader>
      <ListFrame
        list={list}
        isEmpty={agents.length === 0}
        empty={
          <EmptyState title={texts.none} hint={isAdmin ? texts.noneHint : texts.adminsCreateHint}>
            {isAdmin && <CreateLink slug={slug} />}
          </EmptyState>
        }
      >
        <Table
          label={texts.title}
          rows={rows}
          rowKey={({ id }) => id}
          isFaded={isOld}
          columns={[
            {
              title: texts.name,
              cell: ({ id, name }) => (
                <TextLink
                  to="/projects/$slug/agents/$agentId"
                  params={{ slug, agentId: id }}
                  look="name"
                >
                  {name}
                </TextLink>
              )
            },
            { title: texts.state, cell: ({ state }) => <WorkerState state={state} /> },
            {
              title: texts.lastDay,
              isMinor: true,
              cell: ({ id }) => {
                const uptime = uptimes.get(id)
                return uptime !== undefined && <UptimeStrip uptime={uptime} />
              }
            },
            { title: texts.engines, isMinor: true, cell: ({ engine_adapters }) => engine_adapters.join(", ") },
            { title: texts.host, isMinor: true, cell: ({ host_name }) => host_name },
            {
              title: texts.version,
              isMinor: true,
              cell: ({ agent_version, is_outdated }) =>
                [agent_version, is_outdated && texts.outdated].filter(Boolean).join(", ")
            },
            { title: texts.advice, isMinor: true, cell: (agent) => <Trouble agent={agent} /> },
            {
              title: texts.lastSeen,
              isNumber: true,
              cell: ({ last_seen_at }) => last_seen_at === null ? texts.never : <Time at={last_seen_at} />
            }
          ]}
        />
        {/* the column is hidden on a phone */}
        <div className="px-4 pb-4 max-md:hidden">
          <UptimeLegend />
        </div>
        <OldRowsNote
          count={oldCount}
          isHidden={old === "hidden"}
          onToggle={() =>
            void navigate({
              to: "/projects/$slug/agents",
              params: { slug },
              search: old === "hidden" ? {} : { old: "hidden" }
            })}
        />
      </ListFrame>
    </>
  )
}
