import type { Deferred } from "effect"
import type { Introduction, Visitor } from "../Presence.ts"
import type { GoneRow, HealthRow, RefusalRow } from "./Rows.ts"

/** One live session in memory. */
export interface Member {
  readonly about: Introduction
  readonly visitor: Visitor
  /** Epoch milliseconds. */
  lastSeen: number
  /** It has ended: whatever else is still to be written about it is not that it lives. */
  left: boolean
}

/** A hello that waits for its rows; answers whether its agent still exists. */
export interface Arrival {
  readonly member: Member
  readonly done: Deferred.Deferred<boolean>
}

const mostArrivals = 500
const mostSeen = 2000
const mostHealth = 10_000

/**
 * What was learnt since the last flush, newest wins. A flush takes it out and, when the database refuses, puts it
 * back under what came meanwhile.
 */
export class Pending {
  arrivals: Array<Arrival> = []
  gone: Array<GoneRow> = []
  health: Array<HealthRow> = []
  readonly seen = new Set<Member>()
  readonly refusals = new Map<string, RefusalRow>()
  /** Agents whose set-up advice changed. */
  readonly advised = new Set<string>()

  get isEmpty(): boolean {
    return this.arrivals.length + this.gone.length + this.health.length + this.seen.size + this.refusals.size +
        this.advised.size === 0
  }

  /** Moves out what one transaction should hold. */
  take(): Pending {
    const batch = new Pending()
    batch.arrivals = this.arrivals.splice(0, mostArrivals)
    batch.gone = this.gone.splice(0, mostSeen)
    batch.health = this.health.splice(0, mostSeen)
    for (const member of first(this.seen, mostSeen)) {
      this.seen.delete(member)
      batch.seen.add(member)
    }
    for (const agentId of first(this.advised, mostSeen)) {
      this.advised.delete(agentId)
      batch.advised.add(agentId)
    }
    moveFirst(this.refusals, batch.refusals)
    return batch
  }

  putBack(batch: Pending): void {
    this.arrivals.unshift(...batch.arrivals)
    this.gone.unshift(...batch.gone)
    this.health = [...batch.health, ...this.health].slice(-mostHealth)
    for (const member of batch.seen) if (!member.left) this.seen.add(member)
    for (const agentId of batch.advised) this.advised.add(agentId)
    putUnder(this.refusals, batch.refusals)
  }
}

/** Rows of which only the newest of each key matters, to be written together. */
export class Latest<A> {
  private rows = new Map<string, A>()

  get isEmpty(): boolean {
    return this.rows.size === 0
  }

  set(key: string, row: A): void {
    this.rows.set(key, row)
  }

  take(): ReadonlyMap<string, A> {
    const taken = new Map<string, A>()
    moveFirst(this.rows, taken)
    return taken
  }

  putBack(taken: ReadonlyMap<string, A>): void {
    putUnder(this.rows, taken)
  }
}

const first = <A>(from: Iterable<A>, most: number): ReadonlyArray<A> => {
  const taken: Array<A> = []
  for (const item of from) {
    if (taken.length === most) break
    taken.push(item)
  }
  return taken
}

const moveFirst = <K, V>(from: Map<K, V>, to: Map<K, V>): void => {
  for (const [key, value] of first(from, mostSeen)) {
    from.delete(key)
    to.set(key, value)
  }
}

const putUnder = <K, V>(current: Map<K, V>, older: ReadonlyMap<K, V>): void => {
  for (const [key, value] of older) if (!current.has(key)) current.set(key, value)
}
