import type { AgentSession, RoutableProcess } from "../agents/AgentSessions.ts"
import type { PendingCommand } from "./Model.ts"
import { enginesRestartingByExit } from "./Restart.ts"

/**
 * How well a process suits a command; smaller is better.
 *
 * - 0: it advertises the action, and its role is `task`
 * - 1: it advertises the action
 * - 2: it does not advertise its capabilities (long-poll)
 * - 3: it serves the engine, but not this action: it will refuse, and the operator needs its reason
 * - null: it never gets the command. It does not serve the engine, or the command names another process, or its hello
 *   names nothing to operate (the agents' doctor). Only processes without their own id may omit engines and
 *   capabilities.
 */
export type Fitness = 0 | 1 | 2 | 3 | null

/** The capability that an action needs, null for none (the agents' protocol, sections 5.2 and 6.1). */
export const capabilityOf = (action: string): string | null => {
  if (action === "reconcile_task") return null
  if (action === "schedule.fire") return "submit_task"
  return action === "dlq.list" ? "list_dead_letters" : action
}

/** The part of a command that decides its routing. */
type RoutedCommand = Pick<PendingCommand, "action" | "agent_id" | "engine" | "target_id">

/** Whether the process advertises the engine. */
export const servesEngine = ({ capabilities, engines }: RoutableProcess, engine: string): boolean =>
  engines.includes(engine) || capabilities[engine] !== undefined

export const rateFitness = (command: RoutedCommand, candidate: RoutableProcess): Fitness => {
  const { capabilities, engines, role, workerId } = candidate
  const { action, agent_id, engine, target_id } = command
  const hasNoCapabilities = Object.keys(capabilities).length === 0
  if (hasNoCapabilities && engines.length === 0 && workerId !== agent_id) return null
  if (engine !== null && !servesEngine(candidate, engine) && !(hasNoCapabilities && engines.length === 0)) return null
  const capability = capabilityOf(action)
  const offered = engine === null ? Object.values(capabilities).flat() : capabilities[engine] ?? []
  if (capability === null || offered.includes(capability)) return role === "task" ? 0 : 1
  if (action === "restart_worker" && engine !== null && enginesRestartingByExit.has(engine)) {
    return target_id === workerId ? 0 : null
  }
  return hasNoCapabilities ? 2 : 3
}

/**
 * The session that the command is bound to. Else the one with the best fitness, among equals the one with the freshest
 * heartbeat. Null when none is fit.
 */
export const selectSession = (
  command: PendingCommand,
  sessions: ReadonlyArray<AgentSession>
): { readonly session: AgentSession; readonly fitness: Exclude<Fitness, null> } | null => {
  if (command.bound_session_id !== null) {
    const session = sessions.find(({ sessionId }) => sessionId === command.bound_session_id)
    return session === undefined ? null : { session, fitness: 0 }
  }
  let best: { readonly session: AgentSession; readonly fitness: Exclude<Fitness, null> } | null = null
  for (const session of sessions) {
    const fit = rateFitness(command, session)
    if (fit === null) continue
    const better = best === null || fit < best.fitness ||
      (fit === best.fitness && session.lastHeartbeat() > best.session.lastHeartbeat())
    if (better) best = { session, fitness: fit }
  }
  return best
}
