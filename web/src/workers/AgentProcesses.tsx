import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { AgentLink } from "../agents/AgentLink.tsx"
import { useAgents } from "../agents/agents.ts"
import { ConnectLink } from "../agents/ConnectLink.tsx"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useCommand } from "../commands/following.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { Button } from "../ui/Button.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { LongList } from "../ui/LongList.tsx"
import type { LongColumn } from "../ui/LongTable.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { millisOf } from "../ui/sorting.ts"
import { Time } from "../ui/Time.tsx"
import type { WorkersListProps } from "./WorkerList.tsx"
import { WorkerState } from "./WorkerState.tsx"

type AgentProcess = Schemas["AgentWorker"]

const refetchMillis = 5_000

/** Engines whose worker restarts by the end of the agent's process in it (docs/commands.md, Which process gets a command). */
const enginesRestartingByExit: ReadonlySet<string> = new Set(["rq", "dramatiq", "huey", "arq", "taskiq"])

/** Each process of an agent that connected; an operator may restart those whose engine restarts by process. */
export const AgentProcesses = ({ onSearch, search, slug }: WorkersListProps) => {
  const { workers: texts } = useTexts()
  const canOperate = useCan(slug, "operator")
  const command = useCommand(slug)
  const { data: agents = [] } = useAgents(slug)
  const refetchInterval = useRefetchInterval(refetchMillis)
  const list = useQuery({
    queryKey: ["workers", slug, "processes"],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/agent-workers", { params: { path: { slug } } })),
    refetchInterval
  })
  const processes = list.data ?? []
  const [restarted, setRestarted] = useState<
    { readonly agentId: string; readonly engine: string; readonly name: string } | null
  >(null)
  const agentOf = ({ agent_id }: AgentProcess) => agents.find(({ id }) => id === agent_id)
  const restartableEngine = (process: AgentProcess) =>
    process.state === "online" && process.worker_id !== null
      ? agentOf(process)?.engine_adapters.find((engine) => enginesRestartingByExit.has(engine))
      : undefined
  const columns: ReadonlyArray<LongColumn<AgentProcess>> = [
    {
      title: texts.process,
      width: 120,
      grow: 2,
      sorting: { key: "name", valueOf: ({ pid, worker_id }) => worker_id ?? pid },
      cell: ({ pid, worker_id }) => (
        <span className="font-mono text-small" title={worker_id ?? undefined}>{worker_id ?? pid ?? "–"}</span>
      )
    },
    {
      title: texts.agent,
      width: 96,
      grow: 1,
      sorting: { key: "agent", valueOf: (process) => agentOf(process)?.name ?? null },
      cell: (process) => <AgentLink slug={slug} id={process.agent_id} name={agentOf(process)?.name ?? null} />
    },
    {
      title: texts.state,
      width: 104,
      sorting: { key: "state", valueOf: ({ state }) => state },
      cell: ({ state }) => <WorkerState state={state} />
    },
    { title: texts.role, width: 96, isMinor: true, cell: ({ role }) => role },
    { title: texts.framework, width: 104, isMinor: true, cell: ({ framework }) => framework },
    { title: texts.pid, width: 96, isNumber: true, isMinor: true, cell: ({ pid }) => pid },
    {
      title: texts.started,
      width: 112,
      isNumber: true,
      isMinor: true,
      sorting: { key: "started", valueOf: ({ started_at }) => millisOf(started_at), isLargestFirst: true },
      cell: ({ started_at }) => started_at !== null && <Time at={started_at} />
    },
    {
      title: texts.lastSeen,
      width: 112,
      isNumber: true,
      sorting: { key: "seen", valueOf: ({ last_seen_at }) => millisOf(last_seen_at), isLargestFirst: true },
      cell: ({ last_seen_at }) => last_seen_at !== null && <Time at={last_seen_at} />
    },
    ...(canOperate && processes.some((process) => restartableEngine(process) !== undefined)
      ? [{
        title: texts.actions,
        width: 104,
        isNumber: true,
        cell: (process: AgentProcess) => {
          const engine = restartableEngine(process)
          const name = process.worker_id
          return engine !== undefined && name !== null && (
            <Button
              variant="quiet"
              className="h-6.5"
              onClick={() => setRestarted({ agentId: process.agent_id, engine, name })}
            >
              {texts.restart}
            </Button>
          )
        }
      }]
      : [])
  ]
  return (
    <>
      <LongList
        list={list}
        rows={processes}
        rowKey={({ id }) => id}
        columns={columns}
        label={texts.tabs.processes}
        filterLabel={texts.filterProcesses}
        empty={
          <EmptyState title={texts.noProcess} hint={texts.noProcessHint}>
            <ConnectLink slug={slug} />
          </EmptyState>
        }
        textsOf={(process) => [process.worker_id, agentOf(process)?.name ?? null, process.role, process.framework]}
        lastSeenAt={({ last_seen_at }) => last_seen_at}
        search={search}
        onSearch={onSearch}
      />
      {restarted !== null && (
        <FormDialog
          title={texts.restartQuestion(restarted.name)}
          submit={texts.restart}
          variant="danger"
          onClose={() => setRestarted(null)}
          onSubmit={() =>
            command(texts.restartNotice(restarted.name), () =>
              unwrap(api.POST("/api/v1/projects/{slug}/commands/restart-worker", {
                params: { path: { slug } },
                body: { agent_id: restarted.agentId, engine: restarted.engine, worker_name: restarted.name }
              })))}
        >
          <p className="text-soft">{texts.restartProcessHint}</p>
        </FormDialog>
      )}
    </>
  )
}
