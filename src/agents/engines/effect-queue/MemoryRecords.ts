import { Effect, Layer } from "effect"
import { type Ended, type ElementRecord, QueueRecords, type QueueRef } from "./Records.ts"

interface Entry extends ElementRecord {
  readonly queue: string
}

/** Books of a store in memory, which forgets an element as soon as it has given it out. */
class Books {
  /** In the order of offer; an ended one is put at the end again. */
  private readonly entries = new Map<string, Entry>()
  private ended = 0
  /** Cancelled ones that the store has still to give out. */
  private readonly cancelled = new Set<string>()

  /** `remember`: ended elements that are kept, for retries and for questions. */
  constructor(private readonly remember: number, private readonly now: () => number) {}

  offered(queue: string, id: string, element: unknown): void {
    if (!this.entries.has(id)) {
      this.entries.set(id, { id, queue, element, state: "pending", attempts: 0, finishedAt: null, failure: null })
    }
  }

  taken(queue: string, id: string, element: unknown): boolean {
    if (this.cancelled.delete(id)) return false
    this.offered(queue, id, element)
    this.change(id, { state: "started" })
    return true
  }

  end(id: string, how: Ended): void {
    if (how.as === "again") return this.change(id, { state: "pending", attempts: how.attempts, failure: how.failure })
    const attempts = how.as === "failure" ? how.attempts : (this.entries.get(id)?.attempts ?? 0) + 1
    this.finish(id, how.as, attempts, how.as === "failure" ? how.failure : null)
  }

  find(queue: string, id: string): Entry | undefined {
    const entry = this.entries.get(id)
    return entry?.queue === queue ? entry : undefined
  }

  in(queue: string, state: ElementRecord["state"]): ReadonlyArray<Entry> {
    return [...this.entries.values()].filter((entry) => entry.queue === queue && entry.state === state)
  }

  cancel(queue: string, id: string): boolean {
    const entry = this.find(queue, id)
    if (entry?.state !== "pending") return false
    this.cancelled.add(id)
    this.finish(id, "cancelled", entry.attempts, null)
    return true
  }

  /** Off the list of dead letters; nothing else is known of it any more. */
  forget(queue: string, id: string): boolean {
    if (this.find(queue, id)?.state !== "failure") return false
    this.ended--
    return this.entries.delete(id)
  }

  private change(id: string, change: Partial<Entry>): void {
    const entry = this.entries.get(id)
    if (entry !== undefined) this.entries.set(id, { ...entry, ...change })
  }

  private finish(id: string, state: "success" | "failure" | "cancelled", attempts: number, failure: string | null): void {
    const entry = this.entries.get(id)
    if (entry === undefined) return
    this.entries.delete(id)
    this.entries.set(id, { ...entry, state, attempts, failure, finishedAt: this.now() })
    if (++this.ended <= this.remember) return
    for (const [oldest, { finishedAt }] of this.entries) {
      if (finishedAt === null) continue
      this.entries.delete(oldest)
      this.ended--
      return
    }
  }
}

/** Keeps the last `remember` ended elements with their payloads, so that they can be retried. */
export const layer = (remember: number): Layer.Layer<QueueRecords> =>
  Layer.effect(QueueRecords, Effect.map(Effect.clock, (clock) => {
    const books = new Books(remember, () => clock.unsafeCurrentTimeMillis())
    const dead = ({ name }: QueueRef) => books.in(name, "failure").toReversed()
    return {
      brokerType: "memory",
      requeuesInPlace: false,
      offered: ({ name }, id, element) => Effect.sync(() => books.offered(name, id, element)),
      taken: ({ name }, id, element) => Effect.sync(() => books.taken(name, id, element)),
      ended: (_, id, how) => Effect.sync(() => books.end(id, how)),
      depth: ({ name }) => Effect.sync(() => books.in(name, "pending").length),
      find: ({ name }, id) => Effect.sync(() => books.find(name, id)),
      cancel: ({ name }, id) => Effect.sync(() => books.cancel(name, id)),
      purge: ({ name }) =>
        Effect.sync(() => books.in(name, "pending").map(({ id }) => id).filter((id) => books.cancel(name, id))),
      dead: (queue, limit, after) =>
        Effect.sync(() => {
          const all = dead(queue)
          const rest = after === null ? all : all.slice(all.findIndex(({ id }) => id === after) + 1)
          const elements = rest.slice(0, limit)
          return { elements, next: rest.length > limit ? elements[limit - 1]?.id ?? null : null, total: all.length }
        }),
      requeue: ({ name }, id) => Effect.sync(() => books.forget(name, id))
    }
  }))
