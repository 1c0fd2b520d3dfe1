import { SqlClient, Statement } from "@effect/sql"
import { Effect, Option } from "effect"

/** How SQLite executes each statement of the effect: the details of its query plan. */
export const plansOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const plans: Array<ReadonlyArray<string>> = []
    yield* Statement.withTransformer(effect, (statement) =>
      Effect.as(
        sql<{ detail: string }>`EXPLAIN QUERY PLAN ${statement}`.pipe(
          Effect.tap((rows) => Effect.sync(() => plans.push(rows.map(({ detail }) => detail)))),
          Effect.locally(Statement.currentTransformer, Option.none()),
          Effect.orDie
        ),
        statement
      ))
    return plans
  })

/** How PostgreSQL executes each statement of the effect: the lines of its query plan. */
export const postgresPlansOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const plans: Array<string> = []
    yield* Statement.withTransformer(effect, (statement) =>
      Effect.as(
        sql`EXPLAIN ${statement}`.values.pipe(
          Effect.tap((rows) => Effect.sync(() => plans.push(rows.map(([line]) => String(line)).join("\n")))),
          Effect.locally(Statement.currentTransformer, Option.none()),
          Effect.orDie
        ),
        statement
      ))
    return plans
  })
