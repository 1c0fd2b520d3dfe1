import { SqlClient, type SqlError } from "@effect/sql"
import { Cause, Context, Data, Duration, Effect, Fiber, Option, Schedule } from "effect"
import { hostname } from "node:os"
import { orDieOnSql } from "../sql/Database.ts"
import { LeaseRepo } from "./Leader/Repo.ts"

/** This process led, and did not renew its lease in time; another one may lead now. */
export class LeaseLost extends Data.TaggedError("LeaseLost")<{ readonly name: string }> {
  override get message() {
    return `this process lost the lease "${this.name}", because it was not renewed in time; nothing more is written under it`
  }
}

export const isLeaseLost = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(Cause.failureOption(cause), (failure) => failure instanceof LeaseLost)

/** The lease of a leader, for the effect that `Leader.only` runs. */
export class Lease extends Context.Tag("svc/Lease")<Lease, {
  readonly name: string
  /** The fencing number: higher than that of every earlier lease. */
  readonly fence: number
  /**
   * Runs `body` in a transaction that commits only while the lease is held; else it is rolled back and fails with
   * LeaseLost. A leader writes through this and nothing else.
   */
  readonly withTransaction: <A, E, R>(
    body: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | LeaseLost | SqlError.SqlError, R>
  /** Fails with LeaseLost unless the lease is held. Call it last before a write outside of the database. */
  readonly check: Effect.Effect<void, LeaseLost | SqlError.SqlError>
}>() {}

interface LeaseOptions {
  /**
   * How long the lease of a stalled leader blocks other processes. All processes must use the same value for a name.
   * Default: 15 s.
   */
  readonly duration?: Duration.DurationInput
}

/**
 * Runs an effect on one replica at a time, by a lease in the database with a fencing number (`docs/internals/kernel.md`, One
 * leader). The leader renews its lease while the effect runs and gives it up when the effect ends or is interrupted.
 */
export class Leader extends Effect.Service<Leader>()("svc/Leader", {
  dependencies: [LeaseRepo.Default],
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* LeaseRepo
    const holder = `${hostname()}:${process.pid}`

    const makeLease = (name: string, fence: number): Lease["Type"] => {
      const check = Effect.flatMap(repo.lock(fence), (isHeld) => (isHeld ? Effect.void : new LeaseLost({ name })))
      // Checked last: a successful check proves that the lease was held during all writes, and the row lock prevents a
      // takeover before the commit.
      return { name, fence, check, withTransaction: (body) => sql.withTransaction(Effect.zipLeft(body, check)) }
    }

    /**
     * Renews the lease each third of its time. While the database does not respond, the renewal is retried until the
     * lease expires; then this process must assume that another one leads.
     */
    const keepRenewing = (name: string, fence: number, millis: number): Effect.Effect<never, LeaseLost> => {
      const lost = () => new LeaseLost({ name })
      const renew = repo.renew(fence, millis).pipe(
        Effect.retry(Schedule.spaced("1 second")),
        Effect.orDie,
        Effect.disconnect,
        Effect.timeoutFail({ duration: (millis * 2) / 3, onTimeout: lost }),
        Effect.filterOrFail((isHeld) => isHeld, lost)
      )
      return Effect.forever(Effect.delay(renew, millis / 3))
    }

    /**
     * Runs `work` until it ends or `renewal` fails. An interrupt waits for the finalizers of `work`: `raceFirst` alone
     * leaves its fibers to the end of the caller's fiber, when the lease is released already.
     */
    const runWhile = <A, E, R>(work: Effect.Effect<A, E, R>, renewal: Effect.Effect<never, LeaseLost>) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(
          Effect.fork(restore(work)),
          (fiber) => restore(Effect.raceFirst(Fiber.join(fiber), renewal)).pipe(Effect.ensuring(Fiber.interrupt(fiber)))
        )
      )

    const acquire = (name: string, millis: number) =>
      Effect.flatMap(
        repo.isHeld(name, millis),
        (isHeld) => isHeld ? Effect.succeedNone : repo.acquire(name, holder, millis)
      ).pipe(orDieOnSql)

    /**
     * Runs `effect` if no process leads under this name, else returns none at once. Fails with LeaseLost when it loses
     * the lead.
     */
    const only = <A, E, R>(
      name: string,
      effect: Effect.Effect<A, E, R>,
      { duration = "15 seconds" }: LeaseOptions = {}
    ): Effect.Effect<Option.Option<A>, E | LeaseLost, Exclude<R, Lease>> => {
      const millis = Duration.toMillis(duration)
      return Effect.acquireUseRelease(
        acquire(name, millis),
        Option.match({
          onNone: () => Effect.succeedNone,
          onSome: (fence) =>
            Effect.asSome(
              runWhile(Effect.provideService(effect, Lease, makeLease(name, fence)), keepRenewing(name, fence, millis))
            )
        }),
        // a lease that cannot be deleted expires on its own
        Option.match({ onNone: () => Effect.void, onSome: (fence) => Effect.ignore(repo.release(fence)) })
      )
    }

    /** The work of a loop: as `only`, and waits for a second where another process leads. */
    const lead = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>, options?: LeaseOptions) =>
      Effect.flatMap(
        only(name, effect, options),
        Option.match({ onNone: () => Effect.sleep("1 second"), onSome: () => Effect.void })
      )

    return {
      only,
      lead,
      /** The leases that are held now, of all replicas. */
      listLeases: repo.list
    } as const
  })
}) {
  static readonly layer = this.Default
}
