import type { SqlError } from "@effect/sql"
import { Context, type Effect } from "effect"
import type { EngineState } from "../../runtime/Engine.ts"

/** A queue as the store knows it. */
export interface QueueRef {
  readonly name: string
  /** After so many failed attempts the store no longer hands an element out. */
  readonly maxAttempts: number
}

/** The record of one element. */
export interface ElementRecord {
  readonly id: string
  /** The element that was offered to the store. */
  readonly element: unknown
  readonly state: Exclude<EngineState, "unknown"> | "cancelled"
  /** Attempts so far. */
  readonly attempts: number
  /** Epoch milliseconds. */
  readonly finishedAt: number | null
  readonly failure: string | null
}

export interface DeadElements {
  readonly elements: ReadonlyArray<ElementRecord>
  /** Cursor of the next page; null on the last one. */
  readonly next: string | null
  readonly total: number
}

/** How an element left its worker. `again`: it went back into the queue. */
export type ElementEnd =
  | { readonly as: "success" | "cancelled" }
  | { readonly as: "failure" | "again"; readonly attempts: number; readonly failure: string }

/**
 * What PersistedQueue's interface (offer and take) lacks: the depth, the state of an element, its removal, and
 * pauses. On SQL
 * the store's table has all of it. The store in memory hides it, so there the wrapper keeps its own records.
 */
export class QueueRecords extends Context.Tag("svc/agent/QueueRecords")<QueueRecords, {
  /** `memory`, `sqlite`, `postgresql`. */
  readonly brokerType: string
  /** Whether a dead letter that is put back keeps its id; else it is offered again under a new one. */
  readonly requeuesInPlace: boolean
  readonly recordOffer: (queue: QueueRef, id: string, element: unknown) => Effect.Effect<void>
  /** A worker has taken the element. False when it was cancelled while it waited: the worker drops it. */
  readonly recordTake: (queue: QueueRef, id: string, element: unknown) => Effect.Effect<boolean>
  /** Called when the store has recorded the end. */
  readonly recordEnd: (queue: QueueRef, id: string, how: ElementEnd) => Effect.Effect<void, SqlError.SqlError>
  readonly depth: (queue: QueueRef) => Effect.Effect<number, SqlError.SqlError>
  readonly find: (queue: QueueRef, id: string) => Effect.Effect<ElementRecord | undefined, SqlError.SqlError>
  /** Removes a waiting element; false when it does not wait. */
  readonly cancel: (queue: QueueRef, id: string) => Effect.Effect<boolean, SqlError.SqlError>
  /** Removes all waiting elements and returns their ids. */
  readonly purge: (queue: QueueRef) => Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
  /** Pauses the queue for all processes of the store, or resumes it. */
  readonly setPaused: (queue: QueueRef, isPaused: boolean) => Effect.Effect<void, SqlError.SqlError>
  readonly isPaused: (queue: QueueRef) => Effect.Effect<boolean, SqlError.SqlError>
  /** Elements without attempts left, oldest failure last. */
  readonly listDead: (
    queue: QueueRef,
    limit: number,
    after: string | null
  ) => Effect.Effect<DeadElements, SqlError.SqlError>
  /** Resets a dead element's attempts, or (`requeuesInPlace` false) only removes it from the list. */
  readonly requeue: (queue: QueueRef, id: string) => Effect.Effect<boolean, SqlError.SqlError>
}>() {}
