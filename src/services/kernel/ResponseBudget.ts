import { Effect, type Scope } from "effect"
import type { Person } from "../../domain/kernel/Actor.ts"
import { RateLimited } from "../../domain/kernel/Errors.ts"
import { FairQueue, turnOf } from "./concurrency/FairQueue.ts"
import { makePace } from "./concurrency/Pace.ts"
import { Settings } from "./Settings.ts"

/** What a response counts for until its size is known, and a streamed one until it ends: rows, their text and the bytes. */
export const reservedBytes = 1024 * 1024

/** A user with less than this in flight waits for no other user. */
const guaranteedBytes = 2 * reservedBytes

/** Waiting heavy reads of a user, for each that may be in flight. */
const waitingPerHeavyRead = 8
/** Waiting reads of a user, of either kind. */
const maxWaiting = 1000

/** The reads of one user in this process. */
interface Usage {
  bytes: number
  heavy: number
  waiting: number
  waitingHeavy: number
  readonly heavyByCredential: Map<string, number>
}

/** A read that was admitted. */
export interface Admission {
  /** Counts these bytes from now on, instead of what was reserved. */
  readonly setBytes: (bytes: number) => void
  /** Waits until the next slice of its response may be read. */
  readonly awaitTurn: Effect.Effect<void>
  /** Says how many bytes a slice had. */
  readonly note: (bytes: number) => void
}

interface Entry {
  readonly user: string
  readonly setBytes: (bytes: number) => void
  readonly leave: () => void
}

interface Waiter {
  readonly canStart: () => boolean
  readonly start: () => void
}

const credentialOf = ({ via }: Person): string => (via.kind === "api_key" ? via.api_key_id : "session")

/**
 * Admits reads: by the bytes of responses in flight, of the process and of each user, and by the number of heavy reads of
 * each user and credential. Others wait in turn of their users, a bounded number of each; further ones are refused.
 */
export class ResponseBudget extends Effect.Service<ResponseBudget>()("svc/ResponseBudget", {
  effect: Effect.gen(function*() {
    const { answersMaxBytes, answersMaxBytesPerUser, heavyReads } = yield* Settings
    const pace = yield* makePace
    const usages = new Map<string, Usage>()
    const queue = new FairQueue<Waiter>()
    let total = 0

    const tooManyHeavy = new RateLimited({
      detail: `You have ${heavyReads} heavy reads in flight with this credential (SVC_HEAVY_READS), and ` +
        `${heavyReads * waitingPerHeavyRead} more wait. Read the answers of those first, or ask for smaller pages.`
    })
    const tooManyWaiting = new RateLimited({
      detail: `${maxWaiting} of your reads wait for earlier answers to be taken. Read those first.`
    })

    const usageOf = (user: string): Usage => {
      const known = usages.get(user)
      if (known !== undefined) return known
      const usage = { bytes: 0, heavy: 0, waiting: 0, waitingHeavy: 0, heavyByCredential: new Map() }
      usages.set(user, usage)
      return usage
    }

    const forget = (user: string, usage: Usage): void => {
      const isUsed = usage.bytes > 0 || usage.heavy > 0 || usage.waiting > 0
      if (!isUsed && usages.get(user) === usage) usages.delete(user)
    }

    const hasRoom = ({ bytes }: Usage): boolean =>
      bytes + reservedBytes <= answersMaxBytesPerUser &&
      (total + reservedBytes <= answersMaxBytes || bytes + reservedBytes <= guaranteedBytes)

    const startWaiting = (): void => {
      for (let next = take(); next !== undefined; next = take()) next.start()
    }
    const take = () => queue.take(({ canStart }) => canStart())

    const enterInTurn = (actor: Person, isHeavy: boolean): Effect.Effect<Entry, RateLimited> =>
      Effect.suspend(() => {
        const user = turnOf(actor)
        const usage = usageOf(user)
        const credential = credentialOf(actor)
        const ofCredential = () => usage.heavyByCredential.get(credential) ?? 0
        const countHeavy = (change: number): void => {
          usage.heavy += change
          const count = ofCredential() + change
          if (count > 0) usage.heavyByCredential.set(credential, count)
          else usage.heavyByCredential.delete(credential)
        }
        const canStart = () =>
          hasRoom(usage) && (!isHeavy || (usage.heavy < 2 * heavyReads && ofCredential() < heavyReads))

        let counted = 0
        const setBytes = (bytes: number): void => {
          const change = bytes - counted
          counted = bytes
          total += change
          usage.bytes += change
          if (change < 0) startWaiting()
        }
        const enter = (): Entry => {
          if (isHeavy) countHeavy(1)
          setBytes(reservedBytes)
          return { user, setBytes, leave }
        }
        const leave = (): void => {
          if (isHeavy) countHeavy(-1)
          setBytes(0)
          startWaiting()
          forget(user, usage)
        }
        if (canStart()) return Effect.succeed(enter())
        if (isHeavy && usage.waitingHeavy >= heavyReads * waitingPerHeavyRead) return tooManyHeavy
        if (usage.waiting >= maxWaiting) return tooManyWaiting

        const countWaiting = (change: number): void => {
          usage.waiting += change
          if (isHeavy) usage.waitingHeavy += change
        }
        countWaiting(1)
        return Effect.async<Entry>((resume) => {
          let isAdmitted = false
          const waiter: Waiter = {
            canStart,
            start: () => {
              isAdmitted = true
              countWaiting(-1)
              resume(Effect.succeed(enter()))
            }
          }
          queue.add(user, waiter)
          return Effect.sync(() => {
            // an interruption in the turn of the admission still gets here
            if (isAdmitted) return leave()
            countWaiting(-1)
            queue.delete(user, waiter)
            forget(user, usage)
          })
        })
      })

    /**
     * Admits a person's read until the scope closes, when its response was sent or its connection has ended. A heavy one then
     * waits for its turn of the event loop.
     */
    const admit = (actor: Person, isHeavy: boolean): Effect.Effect<Admission, RateLimited, Scope.Scope> =>
      Effect.acquireRelease(
        Effect.interruptible(enterInTurn(actor, isHeavy)),
        ({ leave }) => Effect.sync(leave)
      ).pipe(
        Effect.map(({ setBytes, user }): Admission => ({ setBytes, awaitTurn: pace.awaitTurn(user), note: pace.note })),
        Effect.tap(({ awaitTurn }) => (isHeavy ? awaitTurn : Effect.void))
      )

    return { admit } as const
  })
}) {
  static readonly layer = this.Default
}
