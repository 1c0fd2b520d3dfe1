import type { SqlError } from "@effect/sql"
import { Context, type Effect } from "effect"
import type { EngineState } from "../../runtime/Engine.ts"

/** A queue as the store knows it. */
export interface QueueRef {
  readonly name: string
  /** After so many failed attempts the store gives an element out no more. */
  readonly maxAttempts: number
}

/** What is known of one element. */
export interface ElementRecord {
  readonly id: string
  /** As it was offered to the store. */
  readonly element: unknown
  readonly state: Exclude<EngineState, "unknown"> | "cancelled"
  /** Attempts that were made. */
  readonly attempts: number
  /** Epoch milliseconds. */
  readonly finishedAt: number | null
  readonly failure: string | null
}

export interface DeadElements {
  readonly elements: ReadonlyArray<ElementRecord>
  /** What to go on after; null on the last page. */
  readonly next: string | null
  readonly total: number
}

/** How an element left its worker. `again`: it went back into the queue. */
export type ElementEnd =
  | { readonly as: "success" | "cancelled" }
  | { readonly as: "failure" | "again"; readonly attempts: number; readonly failure: string }

/**
 * What a store of PersistedQueue has besides offer and take, which is all that PersistedQueue itself gives: how many
 * wait, what became of one, and a way to take one out. On SQL all of it is in the store's table; the store in memory
 * hides it, so there the wrapper keeps books.
 */
export class QueueRecords extends Context.Tag("svc/agent/QueueRecords")<QueueRecords, {
  /** `memory`, `sqlite`, `postgresql`. */
  readonly brokerType: string
  /** Whether a dead letter put back keeps its id; else it is offered anew under another one. */
  readonly requeuesInPlace: boolean
  readonly recordOffer: (queue: QueueRef, id: string, element: unknown) => Effect.Effect<void>
  /** A worker has the element. False: it was cancelled while it waited, and is to be dropped. */
  readonly recordTake: (queue: QueueRef, id: string, element: unknown) => Effect.Effect<boolean>
  /** Called when the store has heard of the end. */
  readonly recordEnd: (queue: QueueRef, id: string, how: ElementEnd) => Effect.Effect<void, SqlError.SqlError>
  readonly depth: (queue: QueueRef) => Effect.Effect<number, SqlError.SqlError>
  readonly find: (queue: QueueRef, id: string) => Effect.Effect<ElementRecord | undefined, SqlError.SqlError>
  /** Takes a waiting element out; false when it does not wait. */
  readonly cancel: (queue: QueueRef, id: string) => Effect.Effect<boolean, SqlError.SqlError>
  /** Takes all that wait out; answers their ids. */
  readonly purge: (queue: QueueRef) => Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
  /** Elements whose attempts are used up, oldest failure last. */
  readonly listDead: (queue: QueueRef, limit: number, after: string | null) => Effect.Effect<DeadElements, SqlError.SqlError>
  /** Gives a dead element its attempts back, or (`requeuesInPlace` false) only takes it off the list. */
  readonly requeue: (queue: QueueRef, id: string) => Effect.Effect<boolean, SqlError.SqlError>
}>() {}
