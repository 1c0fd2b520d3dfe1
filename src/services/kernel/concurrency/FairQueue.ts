import { Effect, Option } from "effect"
import type { Actor } from "../../../domain/kernel/Actor.ts"
import { CurrentActor } from "../CurrentActor.ts"

/** Items that wait, taken from one user after the other, and of each user in the order in which they came. */
export class FairQueue<Item> {
  private readonly byUser = new Map<string, Set<Item>>()

  add(user: string, item: Item): void {
    const items = this.byUser.get(user)
    if (items === undefined) this.byUser.set(user, new Set([item]))
    else items.add(item)
  }

  delete(user: string, item: Item): void {
    const items = this.byUser.get(user)
    items?.delete(item)
    if (items?.size === 0) this.byUser.delete(user)
  }

  /** Removes the next item that can start, of the user who waited longest since their last turn. */
  take(canStart: (item: Item) => boolean = () => true): Item | undefined {
    for (const [user, items] of this.byUser) {
      for (const item of items) {
        if (!canStart(item)) continue
        this.byUser.delete(user)
        items.delete(item)
        if (items.size > 0) this.byUser.set(user, items)
        return item
      }
    }
    return undefined
  }
}

/** Whose turn a piece of work is: a person's, by all of their keys and sessions, or the program's own. */
export const turnOf = (actor: Actor): string => (actor.kind === "person" ? actor.user_id : actor.name)

const currentTurn = Effect.map(
  Effect.serviceOption(CurrentActor),
  Option.match({ onNone: () => "program", onSome: turnOf })
)

interface Waiter {
  readonly user: string
  readonly start: () => void
}

/**
 * A semaphore that serves users in turn, with at most `permitsPerUser` of its permits for one of them: `run(effect)` waits
 * for a permit. A user with a hundred waiting reads delays another user's by one at the most, and never by all of them.
 */
export const makeFairSemaphore = (permits: number, permitsPerUser = permits) => {
  const queue = new FairQueue<Waiter>()
  const heldBy = new Map<string, number>()
  let free = permits

  const canStart = ({ user }: Waiter): boolean => (heldBy.get(user) ?? 0) < permitsPerUser

  const take = (user: string): void => {
    free--
    heldBy.set(user, (heldBy.get(user) ?? 0) + 1)
  }

  const release = (user: string): void => {
    free++
    const left = (heldBy.get(user) ?? 1) - 1
    if (left > 0) heldBy.set(user, left)
    else heldBy.delete(user)
    while (free > 0) {
      const next = queue.take(canStart)
      if (next === undefined) return
      next.start()
    }
  }

  const acquire = (user: string) =>
    Effect.async<string>((resume) => {
      let isGranted = false
      const start = () => {
        isGranted = true
        take(user)
        resume(Effect.succeed(user))
      }
      const waiter: Waiter = { user, start }
      if (free > 0 && canStart(waiter)) return start()
      queue.add(user, waiter)
      // an interruption in the turn of the grant still gets here
      return Effect.sync(() => (isGranted ? release(user) : queue.delete(user, waiter)))
    })

  return <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.acquireUseRelease(
      Effect.interruptible(Effect.flatMap(currentTurn, acquire)),
      () => effect,
      (user) => Effect.sync(() => release(user))
    )
}
