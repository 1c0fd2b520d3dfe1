import { SqlClient } from "@effect/sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { everyTask, type TaskFilter } from "../../../src/domain/tasks/Task/Filter.ts"
import { Scans } from "../../../src/services/tasks/Scans.ts"
import { TaskSearch } from "../../../src/services/tasks/Search.ts"
import { findSearchIndexTrouble, hasTrigram, SearchIndexes } from "../../../src/services/tasks/SearchIndexes.ts"
import { brainOn, freshProject } from "../../brain.ts"
import { postgresPlansOf } from "../../plans.ts"
import { insertTasks, storedTask } from "../../tasks.ts"

const start = Date.UTC(2026, 2, 10)
const rows = 20_000

const words = ["refused by gateway 7", "Ärger at 100%", "no such user_name", "timed out"]

const tasksOf = (projectId: string) =>
  Array.from({ length: rows }, (_, index) =>
    storedTask(projectId, start + index * 1000, {
      name: `shop.task_${index % 30}`,
      state: index % 10 === 0 ? "failure" : "success",
      exception: index % 10 === 0 ? `Error ${index}: ${words[(index / 10) % words.length]}` : null
    }))

describe("trigram indexes of searches", () => {
  it("help with terms that have three letters or digits in a row", () => {
    assert.deepStrictEqual(["abc", "x-123", "ab", "a-b-c", "%_%", "Äbc", ""].map(hasTrigram), [
      true,
      true,
      false,
      false,
      false,
      false,
      false
    ])
  })

  const services = Layer.mergeAll(TaskSearch.layer.pipe(Layer.provide(Scans.layer)), SearchIndexes.layer)

  layer(services.pipe(Layer.provideMerge(brainOn("SQLite"))), { excludeTestServices: true })((it) => {
    it.effect("do not exist on SQLite, and the refusal says so", () =>
      Effect.gen(function*() {
        const indexes = yield* SearchIndexes
        const { message } = yield* Effect.flip(indexes.create())
        assert.match(message, /^SQLite has no trigram indexes\./)
        assert.isNull(yield* findSearchIndexTrouble(yield* SqlClient.SqlClient))
      }))
  })

  layer(services.pipe(Layer.provideMerge(brainOn("PostgreSQL", { tasksRetentionDays: 3650 }))), {
    excludeTestServices: true
  })((it) => {
    it.effect(
      "find what a search without them finds, and are used, created again after an interruption, and dropped",
      () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const search = yield* TaskSearch
          const indexes = yield* SearchIndexes
          const project = yield* freshProject()
          const other = yield* freshProject()
          const tasks = tasksOf(project.id)
          yield* insertTasks(tasks)
          yield* insertTasks(tasksOf(other.id).slice(0, 2000))
          yield* sql`ANALYZE tasks`

          const { task_id } = tasks[77]!
          const filters: ReadonlyArray<Partial<TaskFilter>> = [
            { search: task_id },
            { search: task_id.toUpperCase() },
            { search: task_id.slice(3, 11) },
            { search: task_id, state: "success" },
            { search: task_id, state: "failure" },
            { search: task_id.slice(0, 2) },
            { search: "nothing like it" },
            { search: "task_7" },
            { search: "GATEWAY 7", search_exceptions: true },
            { search: "ärger AT", search_exceptions: true },
            { search: "user_name", search_exceptions: true },
            { search: "userXname", search_exceptions: true },
            { search: "error 770:", search_exceptions: true, name: "task_2" }
          ]
          const after = tasks[15_000]!.id
          const pages = Effect.forEach(filters, (filter) =>
            Effect.all([
              search.listPage(project.id, { ...everyTask, ...filter }, null, 51),
              search.listPage(project.id, { ...everyTask, ...filter }, after, 51)
            ]))
          const plans = Effect.map(
            postgresPlansOf(search.listPage(project.id, { ...everyTask, search: "nothing like it" }, null, 51)),
            (lines) => lines.join("\n")
          )

          const { message } = yield* Effect.flip(indexes.create())
          assert.match(message, /CREATE EXTENSION pg_trgm/)
          assert.isNull(yield* findSearchIndexTrouble(sql))
          const expected = yield* pages
          assert.notInclude(yield* plans, "Scan on tasks_task_id_trigrams")

          yield* sql`CREATE EXTENSION pg_trgm`
          assert.strictEqual(yield* findSearchIndexTrouble(sql), "missing")
          assert.deepStrictEqual(yield* indexes.create(), [
            { name: "tasks_task_id_trigrams", change: "created" },
            { name: "tasks_exception_trigrams", change: "created" }
          ])
          assert.isNull(yield* findSearchIndexTrouble(sql))
          assert.deepStrictEqual(yield* pages, expected)
          assert.include(yield* plans, "Scan on tasks_task_id_trigrams")

          yield* sql`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'tasks_task_id_trigrams'::regclass`
          assert.strictEqual(yield* findSearchIndexTrouble(sql), "unfinished")
          assert.notInclude(yield* plans, "Scan on tasks_task_id_trigrams")
          assert.deepStrictEqual(yield* indexes.create(), [
            { name: "tasks_task_id_trigrams", change: "created" },
            { name: "tasks_exception_trigrams", change: "kept" }
          ])

          assert.deepStrictEqual(yield* indexes.drop(), [
            { name: "tasks_task_id_trigrams", change: "dropped" },
            { name: "tasks_exception_trigrams", change: "dropped" }
          ])
          assert.deepStrictEqual((yield* indexes.drop()).map(({ change }) => change), ["absent", "absent"])
          assert.deepStrictEqual(yield* pages, expected)
        })
    )
  })
})
