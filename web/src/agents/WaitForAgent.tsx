import type { ReactNode } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { DoneMark } from "../ui/DoneMark.tsx"
import { ErrorNotice } from "../ui/Notices.tsx"
import { Panel } from "../ui/Panel.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { useAgents } from "./agents.ts"
import { Refusal } from "./Refusal.tsx"
import { useFirstEvent } from "./useFirstEvent.ts"

const Step = ({ children, isDone }: { readonly isDone: boolean; readonly children: ReactNode }) => (
  <li className="flex items-center gap-2">
    <DoneMark isDone={isDone} />
    <span className={isDone ? "" : "text-soft"}>{children}</span>
  </li>
)

/** Waits until a new agent has connected and its first event has arrived; says meanwhile why a connection was refused. */
export const WaitForAgent = ({ agentId, slug }: { readonly slug: string; readonly agentId: string }) => {
  const { agents: texts, task } = useTexts()
  const { data: agents, error, refetch } = useAgents(slug)
  const agent = agents?.find(({ id }) => id === agentId)
  const event = useFirstEvent(slug, agent)
  const isConnected = agent !== undefined && agent.last_connect_at !== null
  return (
    <Panel title={texts.waitTitle}>
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <ol aria-live="polite" className="grid gap-2 px-4 py-3">
        <Step isDone={isConnected}>
          {isConnected ? texts.connected(agent.host_name ?? agent.name) : texts.waitingForConnection}
        </Step>
        <Step isDone={event !== null}>
          {event === null ? texts.waitingForEvent : (
            <>
              {texts.firstEvent(task.events[event.kind])}{" "}
              <TextLink
                to="/projects/$slug/tasks/$engine/$taskId"
                params={{ slug, engine: event.engine, taskId: event.task_id }}
                className="font-mono text-small"
              >
                {event.task_id}
              </TextLink>{" "}
              <Time at={event.occurred_at} className="text-soft" />
            </>
          )}
        </Step>
      </ol>
      {agent !== undefined && <Refusal agent={agent} />}
      <p className="flex flex-wrap gap-x-4 gap-y-1 border-t border-line px-4 py-3">
        <TextLink
          to="/projects/$slug/agents/$agentId"
          params={{ slug, agentId }}
        >
          {texts.toAgent}
        </TextLink>
        <TextLink to="/projects/$slug" params={{ slug }}>{texts.toOverview}</TextLink>
      </p>
    </Panel>
  )
}
