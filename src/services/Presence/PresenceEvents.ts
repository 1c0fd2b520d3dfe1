import type { AgentId, ProjectId } from "../../domain/Id.ts"
import type { Timestamp } from "../../domain/Timestamp.ts"
import type { Trigger, TriggerEvent } from "../../domain/Trigger.ts"

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

const makeEvent = (
  trigger: Trigger,
  { id, name, project_id }: Pick<SilentWorker, "id" | "name" | "project_id">,
  at: Timestamp,
  detail: string
): TriggerEvent => ({
  project_id,
  trigger,
  condition: id,
  engine: null,
  task_name: null,
  queue: null,
  priority: null,
  fingerprint: null,
  subject: { type: "agent", id, name },
  occurrences: [{
    occurred_at: at,
    task_id: null,
    worker: null,
    detail,
    retry_count: null,
    runtime_ms: null
  }]
})

/** An agent that was offline for the time of SVC_AGENT_OFFLINE_CONFIRM_SECONDS. */
export const agentOfflineEvent = (agent: ReportedAgent, since: Timestamp): TriggerEvent =>
  makeEvent("agent.offline", agent, since, `No process of the agent ${agent.name} has been connected since then.`)

/** An agent that is back after `agent.offline`: the event, and the end of what `agent.offline` reported. */
export const agentOnlineEvents = (agent: ReportedAgent, at: Timestamp): ReadonlyArray<TriggerEvent> => {
  const detail = `The agent ${agent.name} is connected again.`
  return [
    makeEvent("agent.online", agent, at, detail),
    { ...makeEvent("agent.offline", agent, at, detail), recovered: true }
  ]
}

export const workerOfflineEvent = (worker: SilentWorker, at: Timestamp): TriggerEvent => {
  const event = makeEvent("worker.offline", worker, at, `The worker ${worker.name} shows no sign of life.`)
  const [occurrence] = event.occurrences
  return {
    ...event,
    engine: worker.engine,
    subject: { type: "worker", id: worker.id, name: worker.name },
    occurrences: [{ ...occurrence, worker: worker.name }]
  }
}
