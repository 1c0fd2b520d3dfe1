import type { AgentId } from "../../domain/kernel/Id.ts"
/**
 * Engines of the published agents that restart a worker by ending the process that gets the command (the agents'
 * protocol, section 5.5). Celery broadcasts the command, and BullMQ relays it: any of their processes can take it.
 */
export const enginesRestartingByExit: ReadonlySet<string> = new Set(["rq", "dramatiq", "huey", "arq", "taskiq"])

const maxNames = 20

/**
 * Why a restart by exit cannot reach the process that it names, and which names are valid; null when it can. Null also
 * when no process is online: then the command waits. `online` are worker ids; a process without one has its agent's id.
 */
export const unknownProcessReason = (
  { agent_id, engine, target_id }: {
    readonly agent_id: AgentId
    readonly engine: string
    readonly target_id: string | null
  },
  online: ReadonlyArray<string>
): string | null => {
  if (online.length === 0 || (target_id !== null && online.includes(target_id))) return null
  const names = online.filter((id) => id !== agent_id)
  const more = names.length > maxNames ? `, and ${names.length - maxNames} more` : ""
  return `${engine} restarts a process of the agent, by its worker_id (GET …/agent-workers). ` +
    (names.length === 0
      ? "The agent is connected by long-poll, which sends no worker_id, so none of its processes can be restarted from here."
      : `Online: ${names.slice(0, maxNames).join(", ")}${more}.`)
}
