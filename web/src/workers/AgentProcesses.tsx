import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useAgents } from "../agents/agents.ts"
import { ConnectLink } from "../agents/ConnectLink.tsx"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useCommand } from "../commands/following.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/session.ts"
import { Button } from "../ui/Button.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { OldRowsNote, useRecentRows } from "../ui/RecentRows.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import type { OldRows } from "./WorkerList.tsx"
import { WorkerState } from "./WorkerState.tsx"

type AgentProcess = Schemas["AgentWorker"]

const refetchMillis = 5_000

/** Engines whose worker restarts by the end of the agent's process in it (docs/commands.md, Which process gets a command). */
const enginesRestartingByExit: ReadonlySet<string> = new Set(["rq", "dramatiq", "huey", "arq", "taskiq"])

/** Each process of an agent that connected; an operator may restart those whose engine restarts by process. */
export const AgentProcesses = ({ isOldHidden, onToggleOld, slug }: OldRows) => {
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
  const { isOld, oldCount, rows } = useRecentRows(processes, ({ last_seen_at }) => last_seen_at, isOldHidden)
  const [restarted, setRestarted] = useState<
    { readonly agentId: string; readonly engine: string; readonly name: string } | null
  >(null)
  const agentOf = ({ agent_id }: AgentProcess) => agents.find(({ id }) => id === agent_id)
  const restartableEngine = (process: AgentProcess) =>
    process.state === "online" && process.worker_id !== null
      ? agentOf(process)?.engine_adapters.find((engine) => enginesRestartingByExit.has(engine))
      : undefined
  return (
    <ListFrame
      list={list}
      isEmpty={processes.length === 0}
      empty={
        <EmptyState title={texts.noProcess} hint={texts.noProcessHint}>
          <ConnectLink slug={slug} />
        </EmptyState>
      }
    >
      <Table
        label={texts.tabs.processes}
        rows={rows}
        rowKey={({ id }) => id}
        isFaded={isOld}
        columns={[
          {
            title: texts.process,
            cell: ({ pid, worker_id }) => <span className="font-mono text-small">{worker_id ?? pid ?? "–"}</span>
          },
          {
            title: texts.agent,
            cell: (process) => (
              <Link
                to="/projects/$slug/agents/$agentId"
                params={{ slug, agentId: process.agent_id }}
                className="hover:underline hover:underline-offset-2"
              >
                {agentOf(process)?.name ?? process.agent_id}
              </Link>
            )
          },
          { title: texts.state, cell: ({ state }) => <WorkerState state={state} /> },
          { title: texts.role, isMinor: true, cell: ({ role }) => role },
          { title: texts.framework, isMinor: true, cell: ({ framework }) => framework },
          { title: texts.pid, isNumber: true, isMinor: true, cell: ({ pid }) => pid },
          {
            title: texts.started,
            isNumber: true,
            isMinor: true,
            cell: ({ started_at }) => started_at !== null && <Time at={started_at} />
          },
          {
            title: texts.lastSeen,
            isNumber: true,
            cell: ({ last_seen_at }) => last_seen_at !== null && <Time at={last_seen_at} />
          },
          ...(canOperate && processes.some((process) => restartableEngine(process) !== undefined)
            ? [{
              title: texts.actions,
              isNumber: true,
              cell: (process: AgentProcess) => {
                const engine = restartableEngine(process)
                const name = process.worker_id
                return engine !== undefined && name !== null && (
                  <Button
                    variant="quiet"
                    className="h-[26px]"
                    onClick={() => setRestarted({ agentId: process.agent_id, engine, name })}
                  >
                    {texts.restart}
                  </Button>
                )
              }
            }]
            : [])
        ]}
      />
      <OldRowsNote count={oldCount} isHidden={isOldHidden} onToggle={onToggleOld} />
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
    </ListFrame>
  )
}
