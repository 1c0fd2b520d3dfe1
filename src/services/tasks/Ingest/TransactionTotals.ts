import type { AgentId, ProjectId } from "../../../domain/kernel/Id.ts"
import { addSeconds, type Timestamp, toEpochMillis } from "../../../domain/kernel/Timestamp.ts"
import type { TaskFacet } from "../../../domain/tasks/TaskFacet.ts"
import { lowWindowOf } from "../../agents/Queues/Lows.ts"
import * as Ids from "../../kernel/Ids.ts"
import { collectGroupChanges, type GroupChanges } from "../Failures/Changes.ts"
import { collectRetryMarks, type RetryMarks } from "../Failures/RetryMarks.ts"
import { collectDeltas } from "../Rollups/Deltas.ts"
import type { FoldedGroup } from "./Fold.ts"
import type { GroupedEvents } from "./Grouping.ts"
import {
  addCounters,
  type Counters,
  type EngineTotals,
  type Observation,
  observationOf,
  observeGroup,
  observeSideEvent,
  type PendingReport
} from "./Observations.ts"

/** The changes of a worker in one transaction. Counters are added to the stored ones. */
export interface WorkerUpdate extends Counters {
  readonly id: string
  readonly project_id: ProjectId
  readonly engine: string
  readonly name: string
  readonly hostname: string | null
  readonly pid: number | null
  readonly agent_id: AgentId
  readonly state: "online" | "offline"
  /** The last sign of life; null when only counters change. */
  readonly last_heartbeat: Timestamp | null
}

export interface QueueUpdate {
  readonly id: string
  readonly project_id: ProjectId
  /** The agent that reported it. */
  readonly agent_id: AgentId
  readonly engine: string
  readonly name: string
  readonly depth: number | null
  readonly last_seen_at: Timestamp
  /** The 5 minutes of the report, for the queue's least depth in them; null without a depth. */
  readonly low_window: number | null
}

export interface FacetRow {
  readonly project_id: ProjectId
  readonly facet: TaskFacet
  readonly value: string
}

export interface CountDelta {
  readonly project_id: ProjectId
  readonly state: string
  /** Added to the stored count. */
  readonly tasks: number
}

/** A worker's offline event without an engine: applies to the workers of that name in every engine. */
export interface OfflineReport {
  readonly project_id: ProjectId
  readonly name: string
  readonly last_heartbeat: Timestamp
}

/** What a transaction writes besides tasks. In the order of the keys, so that two replicas cannot deadlock. */
export interface TransactionTotals {
  readonly counts: ReadonlyArray<CountDelta>
  readonly facets: ReadonlyArray<FacetRow>
  readonly workers: ReadonlyArray<WorkerUpdate>
  readonly queues: ReadonlyArray<QueueUpdate>
  readonly offlineReports: ReadonlyArray<OfflineReport>
  readonly failures: GroupChanges
  readonly retries: RetryMarks
  /** A row of `rollup_deltas`; null: none. */
  readonly rollups: string | null
}

/**
 * Collects the counts, facets, workers, queues and failure groups of a transaction. Each is a sum, a maximum or a union
 * over the events, so the result depends neither on their order nor on their grouping into transactions.
 */
export const makeTransactionTotals = (
  { groups, side }: GroupedEvents,
  folded: ReadonlyArray<FoldedGroup>,
  now: Timestamp
): TransactionTotals => {
  const millis = toEpochMillis(now)
  const totalsByEngine = new Map<string, EngineTotals>()
  let engineTotals: EngineTotals | undefined
  const engineTotalsOf = (projectId: ProjectId, engine: string): EngineTotals => {
    if (engineTotals !== undefined && engineTotals.projectId === projectId && engineTotals.engine === engine) {
      return engineTotals
    }
    const key = `${projectId} ${engine}`
    engineTotals = totalsByEngine.get(key) ??
      { projectId, engine, names: new Set(), queues: new Map(), workers: new Map() }
    totalsByEngine.set(key, engineTotals)
    return engineTotals
  }
  const pendingReports: Array<PendingReport> = []
  for (const group of groups) observeGroup(engineTotalsOf(group.project_id, group.engine), group)
  for (const event of side) {
    const pendingReport = observeSideEvent(engineTotalsOf(event.projectId, event.engine), event)
    if (pendingReport !== null) pendingReports.push(pendingReport)
  }
  for (const { ends, group } of folded) {
    for (const more of ends) {
      const { workers } = engineTotalsOf(group.project_id, group.engine)
      const observation = observationOf(workers, JSON.stringify(more.worker), group.events[0]!.agentId)
      observation.ends = addCounters(observation.ends, more)
    }
  }
  const sorted = [...totalsByEngine.keys()].sort().map((key) => totalsByEngine.get(key)!)
  return {
    counts: countsOf(folded),
    facets: facetsOf(sorted),
    workers: sorted.flatMap((engineTotals) => workersOf(engineTotals, now, millis)),
    queues: sorted.flatMap((engineTotals) => queuesOf(engineTotals, now, millis)),
    offlineReports: pendingReports.map((report) => offlineReportOf(report, sorted, now)),
    failures: collectGroupChanges(folded),
    retries: collectRetryMarks(folded),
    rollups: collectDeltas(folded)
  }
}

/**
 * The time of a sign of life as it is stored: now at the latest. A time from a clock that is ahead would make its
 * worker live until then, and hide all later reports.
 */
const clampToNow = (at: Timestamp, now: Timestamp): Timestamp => (at < now ? at : now)

/**
 * A report from a clock that is ahead is dated just before now where the transaction has a later sign of life of its
 * worker, which is dated now: at one moment the offline event would count.
 */
const offlineReportOf = (
  { at, projectId, worker }: PendingReport,
  engines: ReadonlyArray<EngineTotals>,
  now: Timestamp
): OfflineReport => {
  const hasLaterSign = at >= now && engines.some((engine) => {
    const seenAt = engine.projectId === projectId ? engine.workers.get(worker)?.at : undefined
    return typeof seenAt === "string" && seenAt > at
  })
  return {
    project_id: projectId,
    name: parseText(worker),
    last_heartbeat: hasLaterSign ? addSeconds(now, -0.000_001) : clampToNow(at, now)
  }
}

const countsOf = (folded: ReadonlyArray<FoldedGroup>): ReadonlyArray<CountDelta> => {
  const counts = new Map<ProjectId, Map<string, number>>()
  for (const { stored, row } of folded) {
    if (stored?.state === row.state) continue
    const states = counts.get(row.project_id) ?? new Map<string, number>()
    counts.set(row.project_id, states)
    if (stored !== undefined) states.set(stored.state, (states.get(stored.state) ?? 0) - 1)
    states.set(row.state, (states.get(row.state) ?? 0) + 1)
  }
  return [...counts].sort(byKey).flatMap(([project_id, states]) =>
    [...states].sort(byKey).filter(([, tasks]) => tasks !== 0).map(([state, tasks]) => ({ project_id, state, tasks }))
  )
}

const byKey = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number => left < right ? -1 : 1

const facetsOf = (engines: ReadonlyArray<EngineTotals>): ReadonlyArray<FacetRow> => {
  const found = new Map<string, FacetRow>()
  const add = (project_id: ProjectId, facet: TaskFacet, jsons: Iterable<string>) => {
    for (const json of jsons) found.set(`${project_id} ${facet} ${json}`, { project_id, facet, value: parseText(json) })
  }
  for (const { names, projectId, queues, workers } of engines) {
    add(projectId, "name", names)
    add(projectId, "queue", namesFromTasks(queues))
    add(projectId, "worker_name", namesFromTasks(workers))
  }
  return [...found.keys()].sort().map((key) => found.get(key)!)
}

const namesFromTasks = (observations: ReadonlyMap<string, Observation>): ReadonlyArray<string> =>
  [...observations].filter(([, observation]) => observation.isFromTask).map(([json]) => json)

const workersOf = (
  { engine, projectId, workers }: EngineTotals,
  now: Timestamp,
  millis: number
): ReadonlyArray<WorkerUpdate> =>
  [...workers.keys()].sort().map((json) => {
    const { agentId, at, ends, state } = workers.get(json)!
    const name = parseText(json)
    return {
      id: Ids.uuidv7(millis),
      project_id: projectId,
      engine,
      name,
      ...hostAndPidOf(name),
      agent_id: agentId,
      state: at === null ? "offline" : state, // of a new row: without a sign of life nothing would ever set it offline
      last_heartbeat: at === null ? null : clampToNow(at, now),
      ...ends
    }
  })

/** Celery names a worker `celery@host`, Dramatiq `host@pid`. */
const hostAndPidOf = (name: string): { readonly hostname: string | null; readonly pid: number | null } => {
  const separator = name.lastIndexOf("@")
  if (separator < 1) return { hostname: null, pid: null }
  const tail = name.slice(separator + 1)
  return /^\d{1,9}$/.test(tail)
    ? { hostname: name.slice(0, separator), pid: Number(tail) }
    : { hostname: tail, pid: null }
}

const queuesOf = (
  { engine, projectId, queues }: EngineTotals,
  now: Timestamp,
  millis: number
): ReadonlyArray<QueueUpdate> =>
  [...queues.keys()].sort().flatMap((json) => {
    const { agentId, at, depth } = queues.get(json)!
    if (at === null) return []
    const last_seen_at = clampToNow(at, now)
    return [{
      id: Ids.uuidv7(millis),
      project_id: projectId,
      agent_id: agentId,
      engine,
      name: parseText(json),
      depth,
      last_seen_at,
      low_window: depth === null ? null : lowWindowOf(last_seen_at)
    }]
  })

/** The value of a JSON string, in its own memory. */
const parseText = (json: string): string =>
  // The cast: only JSON strings are collected.
  JSON.parse(json) as string
