import type { SqlClient, SqlError } from "@effect/sql"
import { Context, Effect, Option } from "effect"

/** The hooks of the current transaction. */
class CommitHooks extends Context.Tag("svc/AfterCommit/CommitHooks")<CommitHooks, Array<Effect.Effect<void>>>() {}

/** Whether the effect runs in a transaction. */
export const isInTransaction: Effect.Effect<boolean> = Effect.map(Effect.serviceOption(CommitHooks), Option.isSome)

/**
 * Runs `hook` when the current transaction commits, and never when it is rolled back; at once outside of a transaction.
 * The code that began the transaction continues after the hook, so a hook must not wait for anything.
 */
export const runAfterCommit = (hook: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.serviceOption(CommitHooks),
    Option.match({
      onNone: () => hook,
      onSome: (hooks) => Effect.sync(() => void hooks.push(hook))
    })
  )

/** The client, whose transactions run the hooks of `runAfterCommit`. A nested transaction leaves its hooks to the outer one. */
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
      })
    )
  return Object.assign(sql, { withTransaction })
}
