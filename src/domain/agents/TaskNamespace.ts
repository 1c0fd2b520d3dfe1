/**
 * The namespace of an agent as part of its tasks' ids: the engine's `mail:1` is `eu/mail:1` in the brain. Engines whose
 * ids are unique only within their broker would otherwise mix the tasks of two brokers.
 */
import { boundName, MAX_TASK_ID_LENGTH } from "../kernel/BoundedName.ts"
import {
  asString,
  canonicalize,
  canonicalTextOf,
  JsonArray,
  type JsonNode,
  JsonObject,
  parse,
  ParseFailure
} from "../kernel/CanonicalJson.ts"
import type { AgentEvent, EventData } from "../kernel/TaskEvent.ts"

const maxLength = 40

export interface TaskNamespace {
  /** With its slash; empty: ids stay as they are. */
  readonly prefix: string
  /** Whether the brain chose it: then it is part of those ids only that another broker may have as well. */
  readonly isAssigned: boolean
}

export const noNamespace: TaskNamespace = { prefix: "", isAssigned: false }

/** UUIDs with and without hyphens, and longer digests: no two brokers give one of them to two tasks. */
const uniqueId = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32,})$/i

export const makeNamespace = (name: string, isAssigned: boolean): TaskNamespace => ({
  prefix: name === "" ? "" : `${name}/`,
  isAssigned
})

/** The namespace that the brain gives an agent: its name, or the name with a number where another agent has it. */
export const chooseNamespace = (agentName: string, taken: ReadonlySet<string>): string => {
  const name = agentName.toLowerCase().replace(/[^a-z0-9._-]+/g, "-").replace(/^[^a-z0-9]+|-+$/g, "")
  const base = name.slice(0, maxLength - 4) || "agent"
  for (let number = 1;; number++) {
    const candidate = number === 1 ? base : `${base}-${number}`
    if (!taken.has(candidate)) return candidate
  }
}

/** The brain's id of a task of the agent, truncated where it is too long, as a long id of an engine is. */
export const toTaskId = ({ isAssigned, prefix }: TaskNamespace, engineId: string): string =>
  prefix === "" || engineId === "" || (isAssigned && uniqueId.test(engineId))
    ? engineId
    : boundName(prefix + engineId, MAX_TASK_ID_LENGTH)

/** The engine's own id. A task that the brain knew before the namespace was set has none. */
export const toEngineId = ({ prefix }: TaskNamespace, taskId: string): string =>
  prefix !== "" && taskId.startsWith(prefix) ? taskId.slice(prefix.length) : taskId

const idFields: ReadonlySet<string> = new Set(["parent_task_id", "root_task_id"])

const addToText = (namespace: TaskNamespace, json: string): string => {
  const id: unknown = JSON.parse(json)
  return typeof id === "string" ? canonicalize(toTaskId(namespace, id)) : json
}

const addToData = (namespace: TaskNamespace, data: EventData): EventData => ({
  forEach: (visit) =>
    data.forEach((json, field) => visit(idFields.has(field) ? addToText(namespace, json) : json, field))
})

/** The event as the brain stores it. */
export const addToEvent = (namespace: TaskNamespace, event: AgentEvent): AgentEvent => {
  if (namespace.prefix === "") return event
  return { ...event, taskId: toTaskId(namespace, event.taskId), data: addToData(namespace, event.data) }
}

type MapId = (id: string) => string
type Rewrite = (node: JsonNode, mapId: MapId) => string

const rewriteId: Rewrite = (node, mapId) => {
  const id = asString(node)
  return id === undefined ? canonicalTextOf(node) : canonicalize(mapId(JSON.parse(canonicalTextOf(node))))
}

const rewriteItems = (rewriteItem: Rewrite): Rewrite => (node, mapId) =>
  node instanceof JsonArray
    ? `[${node.items.map((item) => rewriteItem(item, mapId)).join(",")}]`
    : canonicalTextOf(node)

const keepValue: Rewrite = (node) => canonicalTextOf(node)

/** An object whose keys are ids. */
const rewriteKeys = (rewriteValue: Rewrite): Rewrite => (node, mapId) =>
  node instanceof JsonObject
    ? `{${
      node.keys.map((key, index) => `${canonicalize(mapId(key))}:${rewriteValue(node.values[index]!, mapId)}`).join(",")
    }}`
    : canonicalTextOf(node)

/** An object, such as the workers by their names, whose values have ids. */
const rewriteValues = (rewriteValue: Rewrite): Rewrite => (node, mapId) =>
  node instanceof JsonObject
    ? `{${node.keys.map((key, index) => `${canonicalize(key)}:${rewriteValue(node.values[index]!, mapId)}`).join(",")}}`
    : canonicalTextOf(node)

/** An object with ids in these members; the others, such as a task's arguments, stay as they are. */
const rewriteMembers = (members: Readonly<Record<string, Rewrite>>): Rewrite => (node, mapId) =>
  node instanceof JsonObject
    ? `{${
      node.keys.map((key, index) =>
        Object.hasOwn(members, key)
          ? `${canonicalize(key)}:${members[key]!(node.values[index]!, mapId)}`
          : node.memberText(index)
      ).join(",")
    }}`
    : canonicalTextOf(node)

const rewriteIds = rewriteItems(rewriteId)
const filterMembers = {
  task_ids: rewriteIds,
  task_names: rewriteKeys(keepValue),
  task_priorities: rewriteKeys(keepValue),
  overrides: rewriteKeys(keepValue)
}

/** The places of task ids in commands and their results (agents' protocol, section 5.2). */
const rewriteParameters = rewriteMembers({ task_id: rewriteId, filter: rewriteMembers(filterMembers) })
const rewriteTarget = rewriteMembers({ task_id: rewriteId, id: rewriteId })
const rewriteResult = rewriteMembers({
  task_id: rewriteId,
  new_task_id: rewriteId,
  original_task_id: rewriteId,
  previous_task_id: rewriteId,
  new_task_ids: (node, mapId) =>
    node instanceof JsonArray ? rewriteIds(node, mapId) : rewriteKeys(rewriteId)(node, mapId),
  failures: rewriteKeys(keepValue),
  errors: rewriteKeys(keepValue),
  entries: rewriteItems(rewriteMembers({ task_id: rewriteId })),
  filter: rewriteMembers(filterMembers)
})

const rewriteWorkers = rewriteValues(rewriteMembers({ active: rewriteItems(rewriteMembers({ id: rewriteId })) }))

const rewriteText = (text: string, rewrite: Rewrite, mapId: MapId): string => {
  const node = parse(text)
  return node instanceof ParseFailure ? text : rewrite(node, mapId)
}

/** The command with the engine's own ids. `target` and `parameters` are JSON text. */
export const removeFromCommand = <A extends { readonly target: string; readonly parameters: string }>(
  namespace: TaskNamespace,
  command: A
): A => {
  if (namespace.prefix === "") return command
  const mapId: MapId = (id) => toEngineId(namespace, id)
  const target = parse(command.target)
  const isOfTask = target instanceof JsonObject && asString(target.get("type")) === "task"
  return {
    ...command,
    target: isOfTask ? rewriteTarget(target, mapId) : command.target,
    parameters: rewriteText(command.parameters, rewriteParameters, mapId)
  }
}

/** The result of a command with the brain's ids, as JSON text. */
export const addToResult = (namespace: TaskNamespace, result: string): string =>
  namespace.prefix === "" ? result : rewriteText(result, rewriteResult, (id) => toTaskId(namespace, id))

/** A heartbeat's `adapter_health` with the brain's ids of running tasks. */
export const addToHealth = (
  namespace: TaskNamespace,
  health: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> => {
  if (namespace.prefix === "") return health
  const mapId: MapId = (id) => toTaskId(namespace, id)
  return Object.fromEntries(
    Object.entries(health).map(([key, value]) =>
      key.endsWith(".worker_details") && typeof value === "string"
        ? [key, rewriteText(value, rewriteWorkers, mapId)]
        : [key, value]
    )
  )
}
