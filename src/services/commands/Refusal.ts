import { missingArgumentsNote } from "../../domain/tasks/Retry.ts"
import type { RoutableProcess } from "../agents/AgentSessions.ts"
import type { Intent } from "./Model.ts"
import { capabilityOf, rateFitness } from "./Routing.ts"

/** What to do instead, where an engine's adapter does not offer the action. */
const alternatives: Readonly<Record<string, string>> = {
  add_consumer: "Start the worker with the queue instead.",
  bulk_retry: "Retry the tasks one by one.",
  cancel_consumer: "Start the worker without the queue instead.",
  pool_grow: "Start the worker with another concurrency instead.",
  pool_shrink: "Start the worker with another concurrency instead.",
  pause_queue: "Stop the workers of the queue instead, or cancel their consumers.",
  purge_queue: "Delete the messages at the broker instead.",
  rate_limit: "Limit the task in its own code instead.",
  requeue_dead_letter: "Retry the task instead."
}

const alternativeOf = (action: string, engine: string): string =>
  action === "cancel_task" && engine === "dramatiq"
    ? "Install dramatiq-abort beside the worker. "
    : alternatives[action] === undefined
    ? ""
    : `${alternatives[action]} `

/** Markers such as `retry_by_reference_v1` are not actions. */
const isAction = (capability: string): boolean => !/_v\d+$/.test(capability)

/** Engines whose retry with overrides is a new task, submitted by name. */
const enginesSubmittingRetries: ReadonlySet<string> = new Set(["arq", "taskiq"])

/** Engines that need the task's name for a retry with overrides; Celery's result backend may have it. */
const enginesNeedingTaskName: ReadonlySet<string> = new Set(["arq", "dramatiq", "huey", "rq", "taskiq"])

/** Engines that cannot delay a retry. */
const enginesWithoutEta: ReadonlySet<string> = new Set(["dramatiq", "taskiq"])

/** Why none of the processes can do the intent's action, and what to do instead; null where one can, or may. */
export const unsupportedReason = (intent: Intent, processes: ReadonlyArray<RoutableProcess>): string | null => {
  const { action, engine } = intent
  if (engine === null) return null
  const command = { ...intent, action: isSubmittedRetry(intent) ? "submit_task" : action }
  const fits = processes.map((process) => rateFitness(command, process)).filter((fit) => fit !== null)
  if (fits.length === 0 || fits.some((fit) => fit <= 2)) return null
  const offered = new Set(processes.flatMap(({ capabilities }) => capabilities[engine] ?? []).filter(isAction))
  const supported = offered.size === 0
    ? "It supports no actions."
    : `Supported actions: ${[...offered].sort().join(", ")}.`
  return `The agent's ${engine} adapter cannot do ${capabilityOf(action) ?? action}. ${
    alternativeOf(action, engine)
  }${supported}`
}

/**
 * Why every agent of the engine would refuse the intent (the agents' protocol, sections 5.2 to 5.4), and what to do
 * instead.
 */
export const refusalReason = (intent: Intent): string | null => {
  const { action, engine, parameters } = intent
  if (action === "purge_queue" && parameters.force !== true && intent.sealed?.confirm_token === undefined) {
    return "A purge must be confirmed: send confirm_token, observed_depth (the number of messages that you saw), or force."
  }
  if (action !== "retry_task" || engine === null) return null
  if (!hasOverrides(intent)) return missingArgumentsNote(engine)
  if (parameters.eta_seconds !== undefined && enginesWithoutEta.has(engine)) {
    return `${engine} cannot run a retry later: leave eta_seconds out.`
  }
  return parameters.task_name === undefined && enginesNeedingTaskName.has(engine)
    ? `No event reported the name of this task, and ${engine} needs it for a retry with overrides.`
    : null
}

const hasOverrides = ({ sealed }: Intent): boolean => sealed?.override_args !== undefined

const isSubmittedRetry = (intent: Intent): boolean =>
  intent.action === "retry_task" && hasOverrides(intent) && enginesSubmittingRetries.has(intent.engine ?? "")
