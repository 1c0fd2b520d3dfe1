import type { Agent } from "../agents/agents.ts"
import { findAgent } from "../agents/findAgent.ts"
import { api, unwrap } from "../api/client.ts"

/**
 * The agent of a command on one task. Of several that serve the engine it is the one that reported the task, connected or
 * not: the others may reach another broker, where the same id is unknown.
 */
export const findAgentOfTask = async (
  slug: string,
  agents: ReadonlyArray<Agent>,
  { engine, task_id }: { readonly engine: string; readonly task_id: string }
): Promise<Agent | undefined> => {
  const serving = agents.filter((agent) => findAgent([agent], engine) !== undefined)
  if (serving.length < 2) return serving[0]
  const { items } = await unwrap(
    api.GET("/api/v1/projects/{slug}/events", { params: { path: { slug }, query: { engine, task_id } } })
  )
  const reporters = new Set(items.map(({ agent_id }) => agent_id))
  return findAgent(serving.filter(({ id }) => reporters.has(id)), engine) ?? findAgent(serving, engine)
}
