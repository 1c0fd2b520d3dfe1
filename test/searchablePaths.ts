import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { randomUUID } from "node:crypto"
import { Leader, type Lease } from "../src/services/kernel/concurrency/Leader.ts"
import { makeFillSearchablePaths } from "../src/services/tasks/SearchablePaths/Fill.ts"

/** Makes a path searchable, as `SearchablePaths.create` does. */
export const insertPath = (project_id: string, task_name: string, path: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const id = randomUUID()
    yield* sql`INSERT INTO searchable_paths ${
      sql.insert({ id, project_id, task_name, path, created_at: "2026-01-01T00:00:00.000000Z" })
    }`
    return id
  })

/** What the index has: `<task name> <path> <value> <id of the task>`. */
export const readValues = (projectId: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ task_name: string; path: string; value: string; task: string }>`
      SELECT p.task_name, p.path, v.value, t.task_id AS task FROM searchable_values v
      JOIN searchable_paths p ON p.number = v.path LEFT JOIN tasks t ON t.project_id = v.project_id AND t.id = v.task
      WHERE v.project_id = ${projectId}`
    return rows.map(({ path, task, task_name, value }) => `${task_name} ${path} ${value} ${task}`).sort()
  })

/** Takes the filling from the brain's own loop, so that the test decides when a step of it happens. */
export const whileFilling = <A, E, R>(body: (step: Effect.Effect<boolean>) => Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const leader = yield* Leader
    const fill = yield* makeFillSearchablePaths
    yield* sql`DELETE FROM leases WHERE name = 'searchable paths'`
    const work = Effect.flatMap(
      Effect.runtime<Lease>(),
      (runtime) => body(Effect.orDie(Effect.provide(fill(), runtime)))
    )
    return Option.getOrThrow(yield* leader.only("searchable paths", work))
  }).pipe(Effect.provide(Leader.layer))
