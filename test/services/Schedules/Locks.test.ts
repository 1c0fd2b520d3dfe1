/** Transactions that change schedules take the lock of the revisions first: another order would be a deadlock. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import pg from "pg"
import { connected, freshAgent } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { freshPostgres } from "../../postgres.ts"
import { activated, row, schedulerHello } from "../../schedulePublisher.ts"
import { until } from "../../until.ts"

const clientOf = (connectionString: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new pg.Client({ connectionString })
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )

describe("the order of locks on PostgreSQL", () => {
  it.scopedLive(
    "the deletion of an agent that publishes schedules waits for that of its project, and holds no lock",
    () =>
      Effect.flatMap(freshPostgres, ({ url }) =>
        Effect.gen(function*() {
          const project = yield* freshProject()
          const credentials = yield* freshAgent(project)
          const key = yield* freshKey({ roles: { [project.id]: "admin" } })
          const agent = yield* connected({
            base: yield* baseUrl,
            ...credentials,
            hello: schedulerHello(["celery-beat"])
          })
          yield* (yield* activated(agent)).publish([row()])
          // what the deletion of a project takes first
          const client = yield* clientOf(url)
          const query = (text: string, values: Array<string> = []) => Effect.promise(() => client.query(text, values))
          yield* query("BEGIN")
          yield* query("UPDATE schedule_changes SET revision = revision + 1")
          const deletion = yield* Effect.fork(
            request("DELETE", `/projects/${project.slug}/agents/${credentials.agent_id}`, key)
          )
          const isWaiting = until(
            query(
              "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' " +
                "AND query LIKE 'UPDATE schedule_changes%'"
            ),
            ({ rowCount }) => rowCount === 1
          )
          yield* Effect.ensuring(
            Effect.gen(function*() {
              yield* isWaiting
              yield* query("SELECT 1 FROM projects WHERE id = $1 FOR UPDATE NOWAIT", [project.id])
              yield* query("SELECT 1 FROM schedule_streams FOR UPDATE NOWAIT")
            }),
            query("ROLLBACK")
          )
          assert.strictEqual((yield* Fiber.join(deletion)).status, 204)
        }).pipe(Effect.scoped, Effect.provide(serverOn("PostgreSQL", { databaseUrl: Redacted.make(url) })))),
    60_000
  )
})
