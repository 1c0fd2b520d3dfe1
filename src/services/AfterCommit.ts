import type { SqlClient, SqlError } from "@effect/sql"
import { Context, Effect, Option } from "effect"

/** What waits for the commit of the transaction in hand. */
class CommitHooks extends Context.Tag("svc/AfterCommit/Waiting")<CommitHooks, Array<Effect.Effect<void>>>() {}

/**
 * Does `act` once the transaction that it is called in is committed, and never when it is rolled back. `act` runs
 * before whoever began the transaction goes on, so it must not wait for anything. Dies outside of a transaction.
 */
export const runAfterCommit = (hook: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(Effect.serviceOption(CommitHooks), Option.match({
    onNone: () => Effect.dieMessage("there is no transaction to wait for"),
    onSome: (hooks) => Effect.sync(() => void hooks.push(hook))
  }))

/** The client, whose transactions do what `afterCommit` was given. One within another waits for the outer one. */
export const withAfterCommit = <Client extends SqlClient.SqlClient>(sql: Client): Client => {
  const begin = sql.withTransaction
  const withTransaction = <R, E, A>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.serviceOption(CommitHooks), (outer) => {
        const hooks: Array<Effect.Effect<void>> = []
        const runHooks = Effect.suspend(() => {
          if (Option.isNone(outer)) return Effect.all(hooks, { discard: true })
          outer.value.push(...hooks)
          return Effect.void
        })
        return Effect.zipLeft(begin(Effect.provideService(restore(body), CommitHooks, hooks)), runHooks)
      }))
  return Object.assign(sql, { withTransaction })
}
