import { Effect, Layer } from "effect"
import { type ElementEnd, type ElementRecord, QueueRecords, type QueueRef } from "./Records.ts"

interface Entry extends ElementRecord {
  readonly queue: string
}

/** Records of a store in memory, which removes an element when it hands it out. */
class MemoryStore {
  /** Waiting and running elements, in the order of offer. */
  private readonly unfinished = new Map<string, Entry>()
  /** Ended elements in the order of their ends, so that the oldest is found without a scan. */
  private readonly ended = new Map<string, Entry>()
  /** Cancelled elements that the store will still hand out. */
  private readonly cancelled = new Set<string>()

  /** `remember`: number of ended elements that are kept, for retries and `reconcile`. */
  constructor(private readonly remember: number, private readonly now: () => number) {}

  recordOffer(queue: string, id: string, element: unknown): void {
    if (!this.unfinished.has(id) && !this.ended.has(id)) {
      this.unfinished.set(id, { id, queue, element, state: "pending", attempts: 0, finishedAt: null, failure: null })
    }
  }

  recordTake(queue: string, id: string, element: unknown): boolean {
    if (this.cancelled.delete(id)) return false
    this.recordOffer(queue, id, element)
    this.change(id, { state: "started" })
    return true
  }

  end(id: string, how: ElementEnd): void {
    if (how.as === "again") return this.change(id, { state: "pending", attempts: how.attempts, failure: how.failure })
    const attempts = how.as === "failure" ? how.attempts : (this.unfinished.get(id)?.attempts ?? 0) + 1
    this.finish(id, how.as, attempts, how.as === "failure" ? how.failure : null)
  }

  find(queue: string, id: string): Entry | undefined {
    const entry = this.unfinished.get(id) ?? this.ended.get(id)
    return entry?.queue === queue ? entry : undefined
  }

  list(queue: string, state: ElementRecord["state"]): ReadonlyArray<Entry> {
    const entries = state === "pending" || state === "started" ? this.unfinished : this.ended
    return [...entries.values()].filter((entry) => entry.queue === queue && entry.state === state)
  }

  cancel(queue: string, id: string): boolean {
    const entry = this.find(queue, id)
    if (entry?.state !== "pending") return false
    this.cancelled.add(id)
    this.finish(id, "cancelled", entry.attempts, null)
    return true
  }

  /** Removes it from the dead letters; there is no other record of it. */
  removeDead(queue: string, id: string): boolean {
    return this.find(queue, id)?.state === "failure" && this.ended.delete(id)
  }

  private change(id: string, change: Partial<Entry>): void {
    const entry = this.unfinished.get(id)
    if (entry !== undefined) this.unfinished.set(id, { ...entry, ...change })
  }

  private finish(
    id: string,
    state: "success" | "failure" | "cancelled",
    attempts: number,
    failure: string | null
  ): void {
    const entry = this.unfinished.get(id)
    if (entry === undefined) return
    this.unfinished.delete(id)
    this.ended.set(id, { ...entry, state, attempts, failure, finishedAt: this.now() })
    if (this.ended.size <= this.remember) return
    const [oldest] = this.ended.keys()
    if (oldest !== undefined) this.ended.delete(oldest)
  }
}

/** Keeps the last `remember` ended elements with their payloads, so that they can be retried. */
export const layer = (remember: number): Layer.Layer<QueueRecords> =>
  Layer.effect(
    QueueRecords,
    Effect.map(Effect.clock, (clock) => {
      const store = new MemoryStore(remember, () => clock.unsafeCurrentTimeMillis())
      const paused = new Set<string>()
      const dead = ({ name }: QueueRef) => store.list(name, "failure").toReversed()
      return {
        brokerType: "memory",
        requeuesInPlace: false,
        recordOffer: ({ name }, id, element) => Effect.sync(() => store.recordOffer(name, id, element)),
        recordTake: ({ name }, id, element) => Effect.sync(() => store.recordTake(name, id, element)),
        recordEnd: (_, id, how) => Effect.sync(() => store.end(id, how)),
        depth: ({ name }) => Effect.sync(() => store.list(name, "pending").length),
        find: ({ name }, id) => Effect.sync(() => store.find(name, id)),
        cancel: ({ name }, id) => Effect.sync(() => store.cancel(name, id)),
        purge: ({ name }) =>
          Effect.sync(() => store.list(name, "pending").map(({ id }) => id).filter((id) => store.cancel(name, id))),
        setPaused: ({ name }, isPaused) => Effect.sync(() => void (isPaused ? paused.add(name) : paused.delete(name))),
        isPaused: ({ name }) => Effect.sync(() => paused.has(name)),
        listDead: (queue, limit, after) =>
          Effect.sync(() => {
            const all = dead(queue)
            const rest = after === null ? all : all.slice(all.findIndex(({ id }) => id === after) + 1)
            const elements = rest.slice(0, limit)
            return { elements, next: rest.length > limit ? elements[limit - 1]?.id ?? null : null, total: all.length }
          }),
        requeue: ({ name }, id) => Effect.sync(() => store.removeDead(name, id))
      }
    })
  )
