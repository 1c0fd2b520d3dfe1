import type { WorkerEnds } from "../../domain/TaskHistory.ts"
import { RANK } from "../../domain/TaskState.ts"
import type { TaskFacet } from "../../domain/TaskFacet.ts"
import type { Timestamp } from "../../domain/Timestamp.ts"
import * as Ids from "../Ids.ts"
import type { Arrivals, Group, SidePending } from "./Arrivals.ts"
import type { Folded } from "./Fold.ts"

type Counters = Omit<WorkerEnds, "worker">

/** What one transaction tells of a worker. Counters are to be added. */
export interface WorkerRow extends Counters {
  readonly id: string
  readonly project_id: string
  readonly engine: string
  readonly name: string
  readonly hostname: string | null
  readonly pid: number | null
  readonly agent_id: string
  readonly state: "online" | "offline"
  /** The last sign of life; null when the worker is only credited with something. */
  readonly last_heartbeat: Timestamp | null
}

export interface QueueRow {
  readonly id: string
  readonly project_id: string
  /** Who reported it. */
  readonly agent_id: string
  readonly engine: string
  readonly name: string
  readonly depth: number | null
  readonly last_seen_at: Timestamp
}

export interface FacetRow {
  readonly project_id: string
  readonly facet: TaskFacet
  readonly value: string
}

export interface CountRow {
  readonly project_id: string
  readonly state: string
  /** To be added. */
  readonly tasks: number
}

/** A worker that says goodbye without its engine: whatever worker of the name is meant. */
export interface Farewell {
  readonly project_id: string
  readonly name: string
  readonly last_heartbeat: Timestamp
}

/** What a transaction writes besides tasks, in the order of the keys: two replicas cannot block each other. */
export interface Tally {
  readonly counts: ReadonlyArray<CountRow>
  readonly facets: ReadonlyArray<FacetRow>
  readonly workers: ReadonlyArray<WorkerRow>
  readonly queues: ReadonlyArray<QueueRow>
  readonly farewells: ReadonlyArray<Farewell>
}

interface Sighting {
  /** Whether a task's event named it. */
  ofTask: boolean
  at: Timestamp | null
  state: "online" | "offline"
  agentId: string
  depth: number | null
  ends: Counters
}

const nothing: Counters = { processed: 0, succeeded: 0, failed: 0, retried: 0 }

/** What was seen of one engine in one project. */
interface Scene {
  readonly projectId: string
  readonly engine: string
  readonly names: Set<string>
  /** By name as JSON text. */
  readonly queues: Map<string, Sighting>
  readonly workers: Map<string, Sighting>
}

/**
 * Gathers the counts, facets, workers and queues of a transaction. Everything is a sum, a maximum or a union over the
 * events, so that neither their order nor their grouping into transactions can be told from it afterwards.
 */
export const tallyOf = ({ groups, side }: Arrivals, folded: ReadonlyArray<Folded>, millis: number): Tally => {
  const scenes = new Map<string, Scene>()
  let scene: Scene | undefined
  const sceneOf = (projectId: string, engine: string): Scene => {
    if (scene !== undefined && scene.projectId === projectId && scene.engine === engine) return scene
    const key = `${projectId} ${engine}`
    scene = scenes.get(key) ?? { projectId, engine, names: new Set(), queues: new Map(), workers: new Map() }
    scenes.set(key, scene)
    return scene
  }
  const farewells: Array<Farewell> = []
  for (const group of groups) seeGroup(sceneOf(group.project_id, group.engine), group)
  for (const event of side) {
    const farewell = seeSideEvent(sceneOf(event.projectId, event.engine), event)
    if (farewell !== null) farewells.push(farewell)
  }
  for (const { ends, group } of folded) {
    for (const more of ends) {
      const { workers } = sceneOf(group.project_id, group.engine)
      const sighting = sightingOf(workers, JSON.stringify(more.worker), group.events[0]!.agentId)
      sighting.ends = sum(sighting.ends, more)
    }
  }
  const sorted = [...scenes.keys()].sort().map((key) => scenes.get(key)!)
  return {
    counts: countsOf(folded),
    facets: facetsOf(sorted),
    workers: sorted.flatMap((scene) => workersOf(scene, millis)),
    queues: sorted.flatMap((scene) => queuesOf(scene, millis)),
    farewells
  }
}

const seeGroup = (scene: Scene, { events }: Group): void => {
  for (const event of events) {
    if (event.refusal !== null) continue
    // every task has a placeholder of its own until its name is known
    if (event.name !== null && !event.name.startsWith("\"<unknown")) scene.names.add(event.name)
    if (event.queue !== null) see(scene.queues, event.queue, event).ofTask = true
    // `received` may name the process that enqueued
    if (event.worker !== null && RANK[event.kind] >= RANK["task.started"]) {
      see(scene.workers, event.worker, event).ofTask = true
    }
  }
}

interface Sign {
  readonly occurredAt: Timestamp
  readonly agentId: string
}

const sightingOf = (sightings: Map<string, Sighting>, json: string, agentId: string): Sighting => {
  let sighting = sightings.get(json)
  if (sighting === undefined) {
    sighting = { ofTask: false, at: null, state: "online", agentId, depth: null, ends: nothing }
    sightings.set(json, sighting)
  }
  return sighting
}

/** A sign of life. Of two at one moment the farewell counts. */
const see = (
  sightings: Map<string, Sighting>,
  json: string,
  { agentId, occurredAt }: Sign,
  state: "online" | "offline" = "online"
): Sighting => {
  const sighting = sightingOf(sightings, json, agentId)
  if (sighting.at === null || occurredAt > sighting.at || (occurredAt === sighting.at && state === "offline")) {
    sighting.at = occurredAt
    sighting.state = state
  }
  return sighting
}

/** Published agents say goodbye as `worker_name` and without an engine (agents' protocol, section 5.5). */
const seeSideEvent = (scene: Scene, event: SidePending): Farewell | null => {
  const fields = new Map<string, string>()
  event.data.forEach((json, field) => {
    fields.set(field, json)
  })
  const named = (...names: ReadonlyArray<string>): string | undefined =>
    names.map((name) => fields.get(name)).find((json) => json !== undefined && isName(json))
  switch (event.kind) {
    case "worker.online":
    case "worker.heartbeat":
    case "worker.offline": {
      const worker = named("worker", "worker_name", "hostname", "name")
      if (worker === undefined || worker.includes("\\u0000")) return null
      const state = event.kind === "worker.offline" ? "offline" : "online"
      if (event.engine === "" && state === "offline") {
        return { project_id: scene.projectId, name: textOf(worker), last_heartbeat: event.occurredAt }
      }
      if (event.engine !== "") see(scene.workers, worker, event, state)
      return null
    }
    case "queue.depth_report": {
      const queue = named("queue", "queue_name", "name")
      if (queue === undefined || queue.includes("\\u0000") || event.engine === "") return null
      const depth = fields.get("depth") ?? ""
      const sighting = see(scene.queues, queue, event)
      if (/^\d{1,15}$/.test(depth) && sighting.at === event.occurredAt) sighting.depth = Number(depth)
      return null
    }
    default:
      return null
  }
}

/** As JSON text: not empty, at most 200 characters. */
const isName = (json: string): boolean => json.startsWith("\"") && json.length > 2 && json.length <= 202

const sum = (left: Counters, right: Counters): Counters => ({
  processed: left.processed + right.processed,
  succeeded: left.succeeded + right.succeeded,
  failed: left.failed + right.failed,
  retried: left.retried + right.retried
})

const countsOf = (folded: ReadonlyArray<Folded>): ReadonlyArray<CountRow> => {
  const counts = new Map<string, Map<string, number>>()
  for (const { known, row } of folded) {
    if (known?.state === row.state) continue
    const states = counts.get(row.project_id) ?? new Map<string, number>()
    counts.set(row.project_id, states)
    if (known !== undefined) states.set(known.state, (states.get(known.state) ?? 0) - 1)
    states.set(row.state, (states.get(row.state) ?? 0) + 1)
  }
  return [...counts].sort(byKey).flatMap(([project_id, states]) =>
    [...states].sort(byKey).filter(([, tasks]) => tasks !== 0).map(([state, tasks]) => ({ project_id, state, tasks })))
}

const byKey = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number => left < right ? -1 : 1

const facetsOf = (scenes: ReadonlyArray<Scene>): ReadonlyArray<FacetRow> => {
  const found = new Map<string, FacetRow>()
  const add = (project_id: string, facet: TaskFacet, jsons: Iterable<string>) => {
    for (const json of jsons) found.set(`${project_id} ${facet} ${json}`, { project_id, facet, value: textOf(json) })
  }
  for (const { names, projectId, queues, workers } of scenes) {
    add(projectId, "name", names)
    add(projectId, "queue", ofTasks(queues))
    add(projectId, "worker_name", ofTasks(workers))
  }
  return [...found.keys()].sort().map((key) => found.get(key)!)
}

const ofTasks = (sightings: ReadonlyMap<string, Sighting>): ReadonlyArray<string> =>
  [...sightings].filter(([, sighting]) => sighting.ofTask).map(([json]) => json)

const workersOf = ({ engine, projectId, workers }: Scene, millis: number): ReadonlyArray<WorkerRow> =>
  [...workers.keys()].sort().map((json) => {
    const { agentId, at, ends, state } = workers.get(json)!
    const name = textOf(json)
    return {
      id: Ids.uuidv7(millis),
      project_id: projectId,
      engine,
      name,
      ...placeOf(name),
      agent_id: agentId,
      state,
      last_heartbeat: at,
      ...ends
    }
  })

/** Celery names a worker `celery@host`, Dramatiq `host@pid`. */
const placeOf = (name: string): { readonly hostname: string | null; readonly pid: number | null } => {
  const at = name.lastIndexOf("@")
  if (at < 1) return { hostname: null, pid: null }
  const tail = name.slice(at + 1)
  return /^\d{1,9}$/.test(tail) ? { hostname: name.slice(0, at), pid: Number(tail) } : { hostname: tail, pid: null }
}

const queuesOf = ({ engine, projectId, queues }: Scene, millis: number): ReadonlyArray<QueueRow> =>
  [...queues.keys()].sort().flatMap((json) => {
    const { agentId, at, depth } = queues.get(json)!
    return at === null
      ? []
      : [{ id: Ids.uuidv7(millis), project_id: projectId, agent_id: agentId, engine, name: textOf(json), depth, last_seen_at: at }]
  })

/** The value of a JSON string, in memory of its own. */
const textOf = (json: string): string =>
  // The cast: only JSON strings are collected.
  JSON.parse(json) as string
