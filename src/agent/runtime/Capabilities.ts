import { MUTATION, STABLE_SNAPSHOT } from "../../domain/schedules/Schedule/External.ts"
import type { Engine, Scheduler } from "./Engine.ts"

/**
 * The actions that the agent advertises for an engine (agents' protocol, section 2.2), sorted: those that its adapter
 * implements, and those that the runtime derives from them.
 */
export const capabilitiesOf = ({ actions, retriesByReference }: Engine): ReadonlyArray<string> => {
  const { pool_resize, retry_task, ...others } = actions
  const names = Object.entries(others).filter(([, action]) => action !== undefined).map(([name]) => name)
  if (retry_task !== undefined) names.push("retry_task", "bulk_retry")
  if (retry_task !== undefined && retriesByReference) names.push("retry_by_reference_v1")
  if (pool_resize !== undefined) names.push("pool_grow", "pool_shrink")
  return names.sort()
}

/** The actions that the agent advertises for a scheduler, sorted. Every scheduler can list, and so read one. */
export const schedulerCapabilitiesOf = ({ actions }: Scheduler): ReadonlyArray<string> => {
  const names = Object.entries(actions).filter(([, action]) => action !== undefined).map(([name]) => name)
  if (names.some((name) => name === "create" || name === "update" || name === "delete")) names.push(MUTATION)
  return [...names, "list", "read", STABLE_SNAPSHOT].sort()
}
