import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { taskFields } from "../../../../src/domain/tasks/Task.ts"
import { baseUrl, freshKey, request, serverOn } from "../../../brain.ts"
import { laneEngines } from "../../../engines.ts"
import { insertTasks, storedTask } from "../../../tasks.ts"
import { cellsOfCsv, cellsOfXlsx } from "./files.ts"
import { idsOf, seedTasks, settings, start } from "./seedTasks.ts"

type Site = Effect.Effect.Success<ReturnType<typeof seedTasks>>

const bytesOf = ({ basePath, key }: Site, query: string) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}/api/v1${basePath}/tasks${query}`, {
        headers: { authorization: `Bearer ${key.token}` }
      })
      return { headers: response.headers, status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
    }))

const awkward = [
  { name: "=1+1", queue: "+cmd", worker_name: "-2", exception: "@SUM(A1)" },
  { name: "\tx", queue: "\rx", worker_name: "\u0001x", exception: "＝1" },
  {
    name: "comma, \"quote\"",
    exception: "two\nlines",
    traceback: "a\r\nb",
    args: "[12345678901234567890,1.0]",
    runtime_ms: 7
  },
  { name: "plain", result: "-5", tags: "[\"x\"]", task_id: "é😀/1" }
]

describe.each(laneEngines)("exports of tasks on %s", (engine) => {
  layer(serverOn(engine, { ...settings, tasksExportMaxRows: 300 }), { excludeTestServices: true })((it) => {
    it.effect("come as csv, harmless to a spreadsheet", () =>
      Effect.gen(function*() {
        const { list, newestFirst, project } = yield* seedTasks(awkward)
        const response = yield* list("?format=csv&limit=1&cursor=ignored")
        assert.strictEqual(response.headers.get("content-type"), "text/csv; charset=utf-8; header=present")
        assert.match(
          response.headers.get("content-disposition") ?? "",
          new RegExp(`^attachment; filename="tasks-${project.slug}-\\d{8}T\\d{6}Z\\.csv"$`)
        )
        const [heading, ...rows] = cellsOfCsv(response.text)
        assert.deepStrictEqual(heading, [...taskFields])
        const column = (name: string) => rows.map((row) => row[heading!.indexOf(name)])
        assert.deepStrictEqual(column("id"), [...idsOf(newestFirst)])
        assert.deepStrictEqual(column("name"), ["plain", "comma, \"quote\"", "'\tx", "'=1+1"])
        assert.deepStrictEqual(column("queue"), ["celery", "celery", "'\rx", "'+cmd"])
        assert.deepStrictEqual(column("worker_name"), ["", "", "'\u0001x", "'-2"])
        assert.deepStrictEqual(column("exception"), ["", "two\nlines", "'＝1", "'@SUM(A1)"])
        assert.deepStrictEqual(column("traceback"), ["", "a\r\nb", "", ""])
        assert.deepStrictEqual(column("args"), ["[]", "[12345678901234567890,1.0]", "[]", "[]"])
        assert.deepStrictEqual(column("result"), ["'-5", "", "", ""])
        assert.deepStrictEqual(column("runtime_ms"), ["", "7", "", ""])
        assert.deepStrictEqual(column("task_id")[0], "é😀/1")
      }))

    it.effect("come as json, digit for digit", () =>
      Effect.gen(function*() {
        const { list } = yield* seedTasks(awkward)
        const response = yield* list("?format=json")
        assert.strictEqual(response.headers.get("content-type"), "application/json")
        // a list has the progress of running tasks too
        const listed = (yield* list()).json.items.map(({ progress: _, ...task }: Record<string, unknown>) => task)
        assert.deepStrictEqual(response.json, listed)
        assert.include(response.text, "\"args\":[12345678901234567890,1.0]")
        assert.deepStrictEqual((yield* list("?format=json&fields=name,%20state,name&search=PLAIN")).json, [{
          name: "plain",
          state: "success"
        }])
        assert.deepStrictEqual((yield* list("?format=json&state=pending")).json, [])
        assert.strictEqual((yield* list("?format=csv&state=pending&fields=id,name")).text, "\"id\",\"name\"\r\n")
      }))

    it.effect("come as xlsx, text as text and numbers as numbers", () =>
      Effect.gen(function*() {
        const site = yield* seedTasks([...awkward, { name: "long", traceback: "x".repeat(40_000) }])
        const fields = ["name", "exception", "runtime_ms", "retry_count", "traceback", "task_id"]
        const { bytes, headers, status } = yield* bytesOf(site, `?format=xlsx&fields=${fields.join(",")}`)
        assert.strictEqual(status, 200)
        assert.strictEqual(
          headers.get("content-type"),
          "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        )
        assert.match(headers.get("content-disposition") ?? "", /\.xlsx"$/)
        const [heading, long, plain, quoted, control, formula] = cellsOfXlsx(bytes)
        assert.deepStrictEqual(heading, fields)
        assert.strictEqual(String(long![4]).length, 32_767)
        assert.deepStrictEqual(plain, ["plain", null, null, 0, null, "é😀/1"])
        assert.deepStrictEqual(quoted!.slice(0, 4), ["comma, \"quote\"", "two\nlines", 7, 0])
        assert.deepStrictEqual(control!.slice(0, 2), ["'\tx", "'＝1"])
        assert.deepStrictEqual(formula!.slice(0, 2), ["'=1+1", "'@SUM(A1)"])
      }))

    it.effect("stop at the cap and say so in a header", () =>
      Effect.gen(function*() {
        const site = yield* seedTasks(
          Array.from({ length: 700 }, (_, index) => ({ queue: index < 300 ? "celery-few" : "celery" }))
        )
        for (const format of ["csv", "json", "xlsx"]) {
          const readTruncated = (query: string) =>
            Effect.map(bytesOf(site, `?format=${format}&fields=id${query}`), ({ headers }) =>
              headers.get("x-svc-truncated"))
          assert.strictEqual(yield* readTruncated(""), "true", format)
          assert.strictEqual(yield* readTruncated("&queue=celery"), "true", format)
          assert.strictEqual(yield* readTruncated("&queue=celery-few"), null, format)
          assert.strictEqual(yield* readTruncated("&name=nothing"), null, format)
        }
        const newest = idsOf(site.newestFirst.slice(0, 300))
        assert.deepStrictEqual(idsOf((yield* site.list("?format=json")).json), newest)
        assert.deepStrictEqual(idsOf((yield* site.list("?format=json&search=CELERY")).json), newest)
        assert.strictEqual(cellsOfCsv((yield* site.list("?format=csv&fields=id")).text).length, 301)
        assert.strictEqual(cellsOfXlsx((yield* bytesOf(site, "?format=xlsx&fields=id")).bytes).length, 301)
      }))

    it.effect("are for members of the project only", () =>
      Effect.gen(function*() {
        const { basePath } = yield* seedTasks([{}])
        for (const format of ["csv", "json", "xlsx"]) {
          assert.strictEqual((yield* request("GET", `${basePath}/tasks?format=${format}`)).status, 401)
          assert.strictEqual(
            (yield* request("GET", `${basePath}/tasks?format=${format}`, yield* freshKey())).status,
            404
          )
        }
      }))
  })

  layer(serverOn(engine, settings), { excludeTestServices: true })((it) => {
    it.effect("as xlsx hold at most 32 million characters", () =>
      Effect.gen(function*() {
        const site = yield* seedTasks(Array.from({ length: 1100 }, () => ({ traceback: "x".repeat(40_000) })))
        const refusal = yield* bytesOf(site, "?format=xlsx")
        assert.strictEqual(refusal.status, 422)
        assert.include(refusal.bytes.toString("utf8"), "at most 32 million characters")
        assert.strictEqual((yield* bytesOf(site, "?format=xlsx&fields=id,name")).status, 200)
      }))

    it.effect("hold every task while others come and go; xlsx holds 25 000", () =>
      Effect.gen(function*() {
        const site = yield* seedTasks([])
        const tasks = Array.from({ length: 25_001 }, (_, index) =>
          storedTask(site.project.id, start + index, { queue: index === 0 ? "one" : "many" }))
        yield* insertTasks(tasks)
        const later = insertTasks([storedTask(site.project.id, start + 86_400_000, { queue: "later" })])
        const [csv] = yield* Effect.all([site.list("?format=csv&fields=id,queue&name=ship"), later], { concurrency: 2 })
        const ids = cellsOfCsv(csv.text).slice(1).filter(([, queue]) =>
          queue !== "later"
        ).map(([id]) => id)
        assert.deepStrictEqual(ids, [...idsOf([...tasks].reverse())])

        const refusal = yield* bytesOf(site, "?format=xlsx")
        assert.strictEqual(refusal.status, 422)
        const { bytes } = yield* bytesOf(site, "?format=xlsx&queue=many&fields=id,queue")
        assert.strictEqual(cellsOfXlsx(bytes).length, 25_001)
      }))
  })

  const lines: Array<string> = []
  const logger = Logger.make(({ annotations, message }) => {
    lines.push(`${String(message)} ${JSON.stringify(Object.fromEntries(annotations))}`)
  })
  const logged = Layer.provide(serverOn(engine, settings), Logger.replace(Logger.defaultLogger, logger))
  layer(logged, { excludeTestServices: true })((it) => {
    it.effect(
      "are aborted when the database fails in the middle, so that no client keeps half a file",
      () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const site = yield* seedTasks(Array.from({ length: 300 }, () => ({ traceback: "x".repeat(100_000) })))
          const url = `${yield* baseUrl}/api/v1${site.basePath}/tasks?format=`
          for (const format of ["csv", "json"]) {
            const response = yield* Effect.promise(() =>
              fetch(url + format, { headers: { authorization: `Bearer ${site.key.token}` } })
            )
            const reader = response.body!.getReader()
            const readRest = async () => {
              while (!(await reader.read()).done);
            }
            yield* Effect.promise(() => reader.read())
            // 30 MB fit into no socket, so the server waits for the reader with most rows unread
            yield* sql`ALTER TABLE tasks RENAME TO tasks_elsewhere`
            const error = yield* Effect.flip(Effect.tryPromise({ try: readRest, catch: (error) => error })).pipe(
              Effect.ensuring(Effect.orDie(sql`ALTER TABLE tasks_elsewhere RENAME TO tasks`))
            )
            assert.include(String(error), "terminated", format)
            const requestId = response.headers.get("x-request-id")
            const line = lines.find((line) => line.includes(`"request_id":"${requestId}"`)) ?? ""
            assert.include(line, "a response was cut off: its body failed", lines.join("\n"))
            assert.include(line, site.key.user_id)
          }
          assert.strictEqual((yield* site.list("?limit=1")).status, 200)
        })
    )
  })
})
