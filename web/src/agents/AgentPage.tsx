import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { api, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { Button, buttonClass } from "../ui/Button.tsx"
import { CopyButton } from "../ui/CopyButton.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { EmptyState, ErrorNotice, Loading } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Fact, Facts, Panel } from "../ui/Panel.tsx"
import { Time } from "../ui/Time.tsx"
import { WorkerState } from "../workers/WorkerState.tsx"
import { type Agent, useAgents } from "./agents.ts"
import { Refusal } from "./Refusal.tsx"
import { UptimePanel } from "./Uptime.tsx"

const healthMillis = 30_000

const AgentFacts = ({ agent }: { readonly agent: Agent }) => {
  const { agents: texts } = useTexts()
  return (
    <Facts>
      <Fact name={texts.engines}>{agent.engine_adapters.join(", ") || "–"}</Fact>
      <Fact name={texts.framework}>{agent.framework_adapter}</Fact>
      <Fact name={texts.host}>{agent.host_name ?? "–"}</Fact>
      <Fact name={texts.version}>{agent.agent_version ?? "–"}</Fact>
      <Fact name={texts.protocol}>
        {agent.protocol_version}
        {agent.is_outdated && ` (${texts.outdated})`}
      </Fact>
      <Fact name={texts.connectedAt}>
        {agent.last_connect_at === null ? texts.never : <Time at={agent.last_connect_at} />}
      </Fact>
      <Fact name={texts.lastSeen}>{agent.last_seen_at === null ? texts.never : <Time at={agent.last_seen_at} />}</Fact>
      <Fact name={texts.createdAt}>
        <Time at={agent.created_at} />
      </Fact>
    </Facts>
  )
}

/** What each engine's adapter of the agent can do, as it reported. */
const Capabilities = ({ agent }: { readonly agent: Agent }) => {
  const { agents: texts } = useTexts()
  const engines = Object.entries(agent.capabilities)
  return (
    <Panel title={texts.capabilities}>
      {engines.length === 0
        ? <p className="px-4 py-3 text-soft">{texts.noCapabilities}</p>
        : (
          <dl className="grid gap-2 px-4 py-3">
            {engines.map(([engine, actions]) => (
              <div key={engine} className="grid gap-0.5">
                <dt className="font-medium">{engine}</dt>
                <dd className="text-soft">
                  {Array.isArray(actions)
                    // markers such as retry_by_reference_v1 are no actions
                    ? actions.filter((action) => !/_v\d+$/.test(String(action))).join(", ")
                    : ""}
                </dd>
              </div>
            ))}
          </dl>
        )}
    </Panel>
  )
}

/** What a report says was lost: its counters above zero, those of adapters too. */
const countsOf = (loss: Readonly<Record<string, unknown>>): ReadonlyArray<readonly [string, number]> =>
  Object.entries(loss).flatMap(([kind, value]): ReadonlyArray<readonly [string, number]> => {
    if (typeof value === "number") return value > 0 ? [[kind, value]] : []
    return typeof value === "object" && value !== null ? countsOf({ ...value }) : []
  })

/** Reports of telemetry that the agent's processes have lost, newest first. */
const Losses = ({ agent, slug }: { readonly slug: string; readonly agent: Agent }) => {
  const { agents: texts } = useTexts()
  const format = useFormat()
  const refetchInterval = useRefetchInterval(healthMillis)
  const health = useQuery({
    queryKey: ["agents", slug, agent.id, "health"],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/agents/{agent_id}/health", { params: { path: { slug, agent_id: agent.id } } })
      ),
    refetchInterval
  })
  const reports = (health.data ?? []).flatMap(({ telemetry_loss, ...report }) => {
    const counts = countsOf(telemetry_loss ?? {})
    return counts.length === 0 ? [] : [{ ...report, counts }]
  })
  return (
    <Panel title={texts.losses}>
      <ListFrame
        list={health}
        isEmpty={reports.length === 0}
        empty={<p className="px-4 py-3 text-soft">{texts.noLoss}</p>}
      >
        <ul className="max-h-90 overflow-auto px-4 py-2">
          {reports.map(({ captured_at, counts, id, worker_id }) => (
            <li key={id} className="flex flex-wrap items-baseline gap-x-3 py-1">
              <span>
                {counts.map(([kind, count]) =>
                  `${kind}: ${format.number(count)}`
                ).join(", ")}
              </span>
              <span className="font-mono text-small text-soft">{worker_id}</span>
              <Time at={captured_at} className="ml-auto text-soft" />
            </li>
          ))}
        </ul>
      </ListFrame>
    </Panel>
  )
}

const DeleteAgent = ({ agent, onClose, slug }: {
  readonly slug: string
  readonly agent: Agent
  readonly onClose: () => void
}) => {
  const { agents: texts, forms } = useTexts()
  const navigate = useNavigate()
  const queries = useQueryClient()
  return (
    <FormDialog
      title={texts.deleteQuestion(agent.name)}
      submit={forms.delete}
      variant="danger"
      phrase={agent.name}
      onClose={onClose}
      onSubmit={async () => {
        await unwrap(
          api.DELETE("/api/v1/projects/{slug}/agents/{agent_id}", { params: { path: { slug, agent_id: agent.id } } })
        )
        await navigate({ to: "/projects/$slug/agents", params: { slug } })
        await queries.invalidateQueries({ queryKey: ["agents", slug] })
      }}
    >
      <p className="text-soft">{texts.deleteHint}</p>
    </FormDialog>
  )
}

/** One agent: what it serves, how healthy it is, why it was last refused, and what to do about that. */
export const AgentPage = () => {
  const { agentId, slug } = useParams({ from: "/signed-in/projects/$slug/agents/$agentId" })
  const { agents: texts, forms } = useTexts()
  const isAdmin = useCan(slug, "admin")
  const list = useAgents(slug)
  const [isDeleting, setDeleting] = useState(false)
  const agent = list.data?.find(({ id }) => id === agentId)
  if (agent === undefined) {
    if (list.isError) return <ErrorNotice isPage error={list.error} onRetry={() => void list.refetch()} />
    return list.data === undefined ? <Loading /> : (
      <>
        <PageHeader title={texts.title} />
        <EmptyState title={texts.unknown} hint={texts.unknownHint}>
          <Link to="/projects/$slug/agents" params={{ slug }} className={buttonClass()}>{texts.title}</Link>
        </EmptyState>
      </>
    )
  }
  const hasTrouble = agent.setup_advice.length > 0 || agent.last_refused_at !== null
  return (
    <>
      <PageHeader title={agent.name}>
        <WorkerState state={agent.state} />
        <span className="flex items-center gap-2 font-mono text-small text-soft">
          <span className="max-w-[28ch] truncate">{agent.id}</span>
          <CopyButton text={agent.id} label={texts.id} />
        </span>
        {isAdmin && (
          <Button variant="danger" className="ml-auto" onClick={() => setDeleting(true)}>{forms.delete}</Button>
        )}
      </PageHeader>
      {list.isError && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      <div className="grid gap-4 px-4 pb-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid content-start gap-4">
          <Panel title={texts.advice}>
            {!hasTrouble && <p className="px-4 py-3 text-soft">{texts.noTrouble}</p>}
            {agent.setup_advice.map(({ code, detail }) => <p key={code} className="px-4 py-3">{detail}</p>)}
            <Refusal agent={agent} />
          </Panel>
          <UptimePanel slug={slug} agentId={agent.id} />
          <Losses slug={slug} agent={agent} />
        </div>
        <div className="grid content-start gap-4">
          <Panel title={texts.facts}>
            <AgentFacts agent={agent} />
          </Panel>
          <Capabilities agent={agent} />
        </div>
      </div>
      {isDeleting && <DeleteAgent slug={slug} agent={agent} onClose={() => setDeleting(false)} />}
    </>
  )
}
