import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { headRevision } from "../../../../migrations/MigrationList.ts"
import { Migrations } from "../../../../src/services/kernel/sql/Migrations.ts"
import { findSearchIndexTrouble, SearchIndexes } from "../../../../src/services/tasks/SearchIndexes.ts"
import { engines, temporaryHome } from "../../../databases.ts"
import { asNextProgram } from "../../../migrations.ts"
import { backUp, layerAudit, layerDatabase, layerUnmigrated, makeSite, restoreInto } from "./site.ts"

/** An archive of this revision, and its site. */
const makeArchive = (engine: (typeof engines)[number], revision: number) =>
  Effect.gen(function*() {
    const from = yield* makeSite(engine, { isMigrated: false })
    yield* Effect.flatMap(Migrations, ({ upgrade }) => upgrade(revision)).pipe(
      Effect.provide(Migrations.layer),
      Effect.provide(layerUnmigrated(from))
    )
    const path = join(yield* temporaryHome, "archive")
    yield* backUp(from, path)
    return { from, path }
  })

/** The indexes of tasks, with their definitions. */
const indexesOfTasks = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () =>
      sql`SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE tablename = 'tasks' ORDER BY 1`,
    orElse: () =>
      sql`SELECT name, sql AS definition FROM sqlite_master WHERE type = 'index' AND tbl_name = 'tasks' ORDER BY 1`
  }))

describe.each(engines)("a restore into %s", (engine) => {
  it.scopedLive("of an older archive keeps the indexes that no migration creates", () =>
    Effect.flatMap(headRevision, (older) =>
      asNextProgram(Effect.gen(function*() {
        const { from, path } = yield* makeArchive(engine, older)
        const to = yield* makeSite(engine, { keysOf: from })
        const before = yield* Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          yield* sql`CREATE INDEX tasks_of_mine ON tasks (priority) WHERE priority IS NOT NULL`
          if (engine === "PostgreSQL") {
            yield* sql`CREATE EXTENSION pg_trgm`
            yield* Effect.flatMap(SearchIndexes, ({ create }) => create()).pipe(Effect.provide(SearchIndexes.layer))
          }
          return yield* indexesOfTasks
        }).pipe(Effect.provide(layerAudit(to)))
        assert.include(before.map(({ name }) => name), "tasks_of_mine")
        yield* restoreInto(to, path)
        yield* Effect.gen(function*() {
          assert.deepStrictEqual(yield* indexesOfTasks, before)
          assert.isNull(yield* findSearchIndexTrouble(yield* SqlClient.SqlClient))
        }).pipe(Effect.provide(layerDatabase(to)))
      }))))

  it.scopedLive("is refused by the name of what depends on the tables, unless it need not touch that", () =>
    Effect.flatMap(headRevision, (older) =>
      asNextProgram(Effect.gen(function*() {
        const { from, path } = yield* makeArchive(engine, older)
        const { path: newPath } = yield* makeArchive(engine, yield* headRevision)
        const to = yield* makeSite(engine, { keysOf: from })
        const run = (...statements: ReadonlyArray<string>) =>
          Effect.gen(function*() {
            const sql = yield* SqlClient.SqlClient
            for (const statement of statements) yield* sql.unsafe(statement)
          }).pipe(Effect.provide(layerAudit(to)))
        const refusalOf = (archive: string) =>
          restoreInto(to, archive).pipe(
            Effect.as(null),
            Effect.catchTag("RestoreRefused", ({ message }) => Effect.succeed(message))
          )

        yield* run("CREATE VIEW report AS SELECT name, count(*) AS n FROM tasks GROUP BY name")
        if (engine === "SQLite") {
          assert.isNull(yield* refusalOf(path))
          yield* run("SELECT * FROM report")
          return
        }
        yield* run(
          "CREATE MATERIALIZED VIEW totals AS SELECT count(*) FROM report, workers",
          "CREATE FUNCTION all_tasks() RETURNS SETOF tasks LANGUAGE sql AS 'SELECT * FROM tasks'",
          // these go with the tables
          "ALTER TABLE tasks ENABLE ROW LEVEL SECURITY",
          "CREATE POLICY mine ON tasks USING (priority IS NULL)",
          "CREATE STATISTICS mine ON name, queue FROM tasks"
        )
        const refusal = yield* refusalOf(path)
        assert.include(
          refusal,
          "tables: function all_tasks(), materialized view totals, view report. A backup of an older"
        )
        assert.isNull(yield* refusalOf(newPath))

        yield* run(
          "DROP MATERIALIZED VIEW totals",
          "DROP VIEW report",
          "DROP FUNCTION all_tasks",
          "CREATE TABLE notes (project uuid CONSTRAINT notes_project REFERENCES projects)"
        )
        const ofConstraint = "tables: constraint notes_project on table notes. "
        assert.include(yield* refusalOf(path), `${ofConstraint}A backup of an older`)
        assert.include(yield* refusalOf(newPath), `${ofConstraint}A restore empties`)
        yield* run("DROP TABLE notes")
        assert.isNull(yield* refusalOf(path))
        assert.isNull(yield* refusalOf(newPath))
      }))))
})
