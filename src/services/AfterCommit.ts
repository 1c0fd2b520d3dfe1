import type { SqlClient, SqlError } from "@effect/sql"
import { Context, Effect, Option } from "effect"

/** What waits for the commit of the transaction in hand. */
class Waiting extends Context.Tag("svc/AfterCommit/Waiting")<Waiting, Array<Effect.Effect<void>>>() {}

/**
 * Does `act` once the transaction that it is called in is committed, and never when it is rolled back. `act` runs
 * before whoever began the transaction goes on, so it must not wait for anything. Dies outside of a transaction.
 */
export const afterCommit = (act: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(Effect.serviceOption(Waiting), Option.match({
    onNone: () => Effect.dieMessage("there is no transaction to wait for"),
    onSome: (waiting) => Effect.sync(() => void waiting.push(act))
  }))

/** The client, whose transactions do what `afterCommit` was given. One within another waits for the outer one. */
export const withAfterCommit = <Client extends SqlClient.SqlClient>(sql: Client): Client => {
  const begin = sql.withTransaction
  const withTransaction = <R, E, A>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.serviceOption(Waiting), (outer) => {
        const mine: Array<Effect.Effect<void>> = []
        const committed = Effect.suspend(() => {
          if (Option.isNone(outer)) return Effect.all(mine, { discard: true })
          outer.value.push(...mine)
          return Effect.void
        })
        return Effect.zipLeft(begin(Effect.provideService(restore(body), Waiting, mine)), committed)
      }))
  return Object.assign(sql, { withTransaction })
}
