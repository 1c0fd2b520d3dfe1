import type { Deferred } from "effect"
import type { TaskNamespace } from "../../../domain/agents/TaskNamespace.ts"
import type { AgentId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import type { PresenceCallbacks, ProcessInfo } from "./Model.ts"
import type { DisconnectRow, HealthRow, RefusalRow } from "./Rows.ts"

/** What names a worker within its project. */
export interface WorkerKey {
  readonly engine: string
  readonly name: string
}

/** A worker as its agent has seen it: its uptime then, null where it reports none, and the time of the first report. */
export interface Description {
  readonly uptime: unknown
  readonly at: Timestamp
}

/** One live session in memory. */
export interface LiveSession {
  readonly info: ProcessInfo
  readonly callbacks: PresenceCallbacks
  /** Epoch milliseconds. */
  lastSeen: number
  /** The workers that run in its process, as its last heartbeat describes them. */
  ownWorkers: ReadonlyArray<WorkerKey>
  /** When the workers of its last report were described, by engine and name. */
  descriptions: ReadonlyMap<string, Description>
  /** The worker that runs in its process, by engine, as events of tasks name it. */
  readonly taskWorkers: Map<string, string>
  /** The namespace of its tasks, from the first write on. */
  namespace: TaskNamespace
  /** It has ended, so its heartbeats are no longer written. */
  isDisconnected: boolean
}

/** A hello that waits for its rows. `result` says whether its agent still exists. */
export interface PendingConnect {
  readonly session: LiveSession
  readonly result: Deferred.Deferred<boolean>
}

const maxConnects = 500
const maxRows = 2000
const maxHealthRows = 10_000

/**
 * The changes since the last flush; the newest value wins. A flush takes them, and puts them back when the database
 * fails, without overwriting newer ones.
 */
export class PresenceBatch {
  connects: Array<PendingConnect> = []
  disconnects: Array<DisconnectRow> = []
  health: Array<HealthRow> = []
  readonly heartbeats = new Set<LiveSession>()
  readonly refusals = new Map<string, RefusalRow>()
  /** Agents whose set-up advice changed. */
  readonly adviceAgentIds = new Set<AgentId>()
  /** Agents whose namespace kept a task apart. */
  readonly apartAgentIds = new Set<AgentId>()

  get isEmpty(): boolean {
    return this.connects.length + this.disconnects.length + this.health.length + this.heartbeats.size +
        this.refusals.size +
        this.adviceAgentIds.size + this.apartAgentIds.size === 0
  }

  /** Removes and returns the changes for one transaction. */
  take(): PresenceBatch {
    const batch = new PresenceBatch()
    batch.connects = this.connects.splice(0, maxConnects)
    batch.disconnects = this.disconnects.splice(0, maxRows)
    batch.health = this.health.splice(0, maxRows)
    for (const member of takeFirst(this.heartbeats, maxRows)) {
      this.heartbeats.delete(member)
      batch.heartbeats.add(member)
    }
    for (const agentId of takeFirst(this.adviceAgentIds, maxRows)) {
      this.adviceAgentIds.delete(agentId)
      batch.adviceAgentIds.add(agentId)
    }
    for (const agentId of takeFirst(this.apartAgentIds, maxRows)) {
      this.apartAgentIds.delete(agentId)
      batch.apartAgentIds.add(agentId)
    }
    moveFirst(this.refusals, batch.refusals)
    return batch
  }

  putBack(batch: PresenceBatch): void {
    this.connects.unshift(...batch.connects)
    this.disconnects.unshift(...batch.disconnects)
    this.health = [...batch.health, ...this.health].slice(-maxHealthRows)
    for (const member of batch.heartbeats) if (!member.isDisconnected) this.heartbeats.add(member)
    for (const agentId of batch.adviceAgentIds) this.adviceAgentIds.add(agentId)
    for (const agentId of batch.apartAgentIds) this.apartAgentIds.add(agentId)
    mergeOlder(this.refusals, batch.refusals)
  }
}

/** Rows of which only the newest of each key is written, in batches. */
export class LatestRows<A> {
  private rows = new Map<string, A>()

  get isEmpty(): boolean {
    return this.rows.size === 0
  }

  set(key: string, row: A): void {
    this.rows.set(key, row)
  }

  take(): ReadonlyMap<string, A> {
    const entries = new Map<string, A>()
    moveFirst(this.rows, entries)
    return entries
  }

  putBack(taken: ReadonlyMap<string, A>): void {
    mergeOlder(this.rows, taken)
  }
}

const takeFirst = <A>(from: Iterable<A>, most: number): ReadonlyArray<A> => {
  const taken: Array<A> = []
  for (const item of from) {
    if (taken.length === most) break
    taken.push(item)
  }
  return taken
}

const moveFirst = <K, V>(from: Map<K, V>, to: Map<K, V>): void => {
  for (const [key, value] of takeFirst(from, maxRows)) {
    from.delete(key)
    to.set(key, value)
  }
}

const mergeOlder = <K, V>(current: Map<K, V>, older: ReadonlyMap<K, V>): void => {
  for (const [key, value] of older) if (!current.has(key)) current.set(key, value)
}
