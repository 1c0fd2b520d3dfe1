import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { type Migration, MigrationRefused } from "../migrations/Migration.ts"
import { headOf, MigrationList } from "../migrations/MigrationList.ts"

type Step = Omit<Migration, "id" | "compatibleFrom">

/** A table and a column more. */
const addNotes: Step = {
  name: "notes",
  up: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`CREATE TABLE project_notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)`
    yield* sql`ALTER TABLE projects ADD COLUMN colour TEXT`
  }),
  down: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`ALTER TABLE projects DROP COLUMN colour`
    yield* sql`DROP TABLE project_notes`
  })
}

/** Rows that the revision before does not know, which go with the step; and those that keep it from going. */
const addPinnedViews: Step = {
  name: "pinned_views",
  up: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`ALTER TABLE saved_views ADD COLUMN pinned_at TEXT`
    yield* sql`CREATE INDEX saved_views_pinned ON saved_views (pinned_at) WHERE pinned_at IS NOT NULL`
  }),
  down: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const shared = yield* sql`SELECT 1 FROM saved_views WHERE pinned_at IS NOT NULL AND is_shared = 1`
    if (shared.length > 0) return yield* new MigrationRefused({ message: "A shared view is pinned. Unpin it first." })
    yield* sql`DELETE FROM saved_views WHERE pinned_at IS NOT NULL`
    yield* sql`DROP INDEX saved_views_pinned`
    yield* sql`ALTER TABLE saved_views DROP COLUMN pinned_at`
  }),
  deletes: [{ table: "saved_views", where: "pinned_at IS NOT NULL" }]
}

/** Runs the effect as a program does whose schema has two steps more than this one's. */
export const asNextProgram = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(MigrationList, (list) => {
    const head = headOf(list)
    const steps = [addNotes, addPinnedViews].map((step, index) => ({
      ...step,
      id: head + 1 + index,
      compatibleFrom: head
    }))
    return Effect.provideService(effect, MigrationList, [...list, ...steps])
  })
