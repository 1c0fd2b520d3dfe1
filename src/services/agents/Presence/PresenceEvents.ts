import type { AgentId, ProjectId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { makeSingleEvent, type Trigger, type TriggerEvent } from "../../../domain/triggers/Trigger.ts"

export interface ReportedAgent {
  readonly id: AgentId
  readonly project_id: ProjectId
  readonly name: string
}

export interface SilentWorker {
  readonly id: string
  readonly project_id: ProjectId
  readonly engine: string
  readonly name: string
}

const makeAgentEvent = (
  trigger: Trigger,
  { id, name, project_id }: ReportedAgent,
  at: Timestamp,
  detail: string
): TriggerEvent =>
  makeSingleEvent(
    { project_id, trigger, condition: id, subject: { type: "agent", id, name } },
    { occurred_at: at, detail }
  )

/** An agent that was offline for the time of SVC_AGENT_OFFLINE_CONFIRM_SECONDS. */
export const agentOfflineEvent = (agent: ReportedAgent, since: Timestamp): TriggerEvent =>
  makeAgentEvent("agent.offline", agent, since, `No process of the agent ${agent.name} has been connected since then.`)

/** An agent that is back after `agent.offline`: the event, and the end of what `agent.offline` reported. */
export const agentOnlineEvents = (agent: ReportedAgent, at: Timestamp): ReadonlyArray<TriggerEvent> => {
  const detail = `The agent ${agent.name} is connected again.`
  return [
    makeAgentEvent("agent.online", agent, at, detail),
    { ...makeAgentEvent("agent.offline", agent, at, detail), recovered: true }
  ]
}

export const workerOfflineEvent = ({ engine, id, name, project_id }: SilentWorker, at: Timestamp): TriggerEvent =>
  makeSingleEvent(
    { project_id, trigger: "worker.offline", condition: id, engine, subject: { type: "worker", id, name } },
    { occurred_at: at, worker: name, detail: `The worker ${name} has sent no heartbeat or event in time.` }
  )
