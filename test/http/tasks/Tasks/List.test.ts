import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { encodeCursor } from "../../../../src/domain/kernel/Page.ts"
import { freshKey, request, serverOn } from "../../../brain.ts"
import { laneEngines } from "../../../engines.ts"
import { insertTasks, storedTask } from "../../../tasks.ts"
import { idsOf, seedTasks, settings, start } from "./seedTasks.ts"

describe.each(laneEngines)("the list of tasks on %s", (engine) => {
  layer(serverOn(engine, settings), { excludeTestServices: true })((it) => {
    it.effect("is newest first, fifty at a time", () =>
      Effect.gen(function*() {
        const { list, newestFirst } = yield* seedTasks(Array.from({ length: 120 }, () => ({})))
        const first = yield* list()
        assert.strictEqual(first.headers.get("content-type"), "application/json")
        assert.hasAllKeys(first.json, ["items", "next_cursor"])
        assert.deepStrictEqual(idsOf(first), idsOf(newestFirst.slice(0, 50)))
        const second = yield* list(`?cursor=${first.json.next_cursor}&limit=70`)
        assert.deepStrictEqual(idsOf(second), idsOf(newestFirst.slice(50)))
        assert.isNull(second.json.next_cursor)
      }))

    it.effect("like every list says which limit was applied where more was requested", () =>
      Effect.gen(function*() {
        const { basePath, key, list, tasks } = yield* seedTasks(Array.from({ length: 501 }, () => ({})))
        const most = yield* list("?limit=5000")
        assert.lengthOf(most.json.items, 500)
        const events = `/events?engine=celery&task_id=${tasks[0]!.task_id}&`
        for (const query of ["/tasks?", events, "/commands?", "/audit?"]) {
          const readLimit = (limit: string) =>
            Effect.map(
              request("GET", `${basePath}${query}${limit}`, key),
              ({ headers }) => headers.get("x-svc-limit-applied")
            )
          assert.strictEqual(yield* readLimit("limit=5000"), "500", query)
          assert.strictEqual(yield* readLimit("limit=501"), "500", query)
          assert.isNull(yield* readLimit("limit=500"), query)
          assert.isNull(yield* readLimit(""), query)
        }
      }))

    it.effect("continues where it stopped while tasks come and go", () =>
      Effect.gen(function*() {
        const { list, newestFirst, project } = yield* seedTasks(Array.from({ length: 30 }, () => ({ name: "steady" })))
        for (const filter of ["", "name=stead&", "search=STEADY&", "state=success&priority=normal&"]) {
          const first = yield* list(`?${filter}limit=10`)
          yield* insertTasks([storedTask(project.id, start + 3_600_000, { name: "late" })])
          const second = yield* list(`?${filter}limit=10&cursor=${first.json.next_cursor}`)
          const third = yield* list(`?${filter}limit=10&cursor=${second.json.next_cursor}`)
          const seen = [first, second, third].flatMap(idsOf).filter((id) => newestFirst.some((task) => task.id === id))
          assert.deepStrictEqual(new Set(seen).size, seen.length, filter)
          assert.deepStrictEqual(idsOf(second), idsOf(newestFirst).filter((id) => idsOf(second).includes(id)), filter)
          assert.strictEqual(
            seen.length,
            filter.startsWith("name") || filter.startsWith("search") ? 30 : seen.length,
            filter
          )
        }
      }))

    it.effect("filters by each term, and by all of them at once", () =>
      Effect.gen(function*() {
        const { list, newestFirst } = yield* seedTasks([
          {
            name: "mail.send",
            queue: "mail",
            state: "failure",
            priority: "high",
            worker_name: "celery@One",
            exception: "SMTPError: 550 No such User"
          },
          {
            name: "mail.Send_all",
            engine: "rq",
            queue: "Mail",
            state: "success",
            priority: "low",
            worker_name: "celery@two"
          },
          { name: "shop%ship", queue: null, state: "started", priority: "critical", task_id: "ORDER-77" },
          {
            name: "shop_ship",
            queue: "q\\1",
            state: "failure",
            received_at: null,
            first_event_at: "2026-03-10T09:00:00.000000Z"
          }
        ])
        const [fourth, third, second, first] = newestFirst
        const cases: ReadonlyArray<readonly [query: string, expected: ReadonlyArray<typeof first>]> = [
          ["state=failure", [fourth, first]],
          ["state=pending", []],
          ["priority=high,low", [second, first]],
          ["priority=normal,normal", [fourth]],
          ["name=mail.", [second, first]],
          ["name=send", [first]],
          ["name=%25", [third]],
          ["name=_s", [fourth]],
          ["name=", [fourth, third, second, first]],
          ["search=SEND", [second, first]],
          ["search=mAIL", [second, first]],
          ["search=no%20such%20user", []],
          ["search=no%20such%20user&search_exceptions=false", []],
          ["search=no%20such%20user&search_exceptions=true", [first]],
          ["search=send&search_exceptions=true", [second, first]],
          ["search_exceptions=true", [fourth, third, second, first]],
          ["search=%25", [third]],
          ["search=_", [fourth, second]],
          ["search=%5C", [fourth]],
          ["search=celery%40o", [first]],
          ["search=order-7", [third]],
          ["search=%27%20OR%201%3D1--", []],
          ["engine=rq", [second]],
          ["engine=celery&name=mail", [first]],
          ["engine=RQ", []],
          ["queue=mail", [first]],
          ["queue=Mail", [second]],
          ["queue=mai", []],
          ["worker=celery%40two", [second]],
          ["since=2026-03-10T12:00:01Z&until=2026-03-10T12:00:02.000000Z", [third, second]],
          ["since=2026-03-10T14:00:01%2B02:00", [third, second]],
          ["since=2026-03-10T14:00:01+02:00", [third, second]],
          ["until=2026-03-10T10:00:00Z", [fourth]],
          ["since=0000-01-01T00:00:00Z&until=9999-12-31T23:59:59Z", [fourth, third, second, first]],
          ["since=2026-03-11T00:00:00Z&until=2026-03-09T00:00:00Z", []],
          [
            "state=failure&priority=high&name=mail&search=one&queue=mail&worker=celery%40One&since=2026-01-01T00:00:00Z",
            [first]
          ],
          ["state=failure&search=shop", [fourth]]
        ]
        for (const [query, expected] of cases) {
          const response = yield* list(`?${query}`)
          assert.strictEqual(response.status, 200, query)
          assert.deepStrictEqual(idsOf(response), expected.map((task) => task!.id), query)
        }
      }))

    it.effect("refuses what is not meant, and says where", () =>
      Effect.gen(function*() {
        const { list } = yield* seedTasks([{}])
        const long = "x".repeat(201)
        const cases: ReadonlyArray<readonly [query: string, path: string]> = [
          ["state=", "state"],
          ["state=done", "state"],
          ["state=FAILURE", "state"],
          ["state=failure&state=success", "state"],
          ["priority=", "priority"],
          ["priority=urgent", "priority"],
          ["priority=high,,low", "priority"],
          ["limit=0", "limit"],
          ["limit=5001", "limit"],
          ["limit=-1", "limit"],
          ["limit=1.5", "limit"],
          ["limit=1e3", "limit"],
          ["limit=ten", "limit"],
          ["limit=", "limit"],
          ["cursor=", "cursor"],
          ["cursor=nonsense", "cursor"],
          [`cursor=${encodeCursor("tasks", ["not an id"])}`, "cursor"],
          [`cursor=${encodeCursor("tasks", ["01900000-0000-7000-8000-000000000001", "more"])}`, "cursor"],
          [`cursor=${"A".repeat(5000)}`, "cursor"],
          ["since=yesterday", "since"],
          ["since=2026-02-30T00:00:00Z", "since"],
          ["since=2026-03-10", "since"],
          ["until=10000-01-01T00:00:00Z", "until"],
          ["until=2026-03-10T12:00:00", "until"],
          ["include_total=perhaps", "include_total"],
          ["format=pdf", "format"],
          ["format=", "format"],
          ["format=csv&fields=id,nonsense", "fields"],
          ["format=csv&fields=", "fields"],
          [`format=csv&fields=${"id,".repeat(200)}`, "fields"],
          [`name=${long}`, "name"],
          [`search=${long}`, "search"],
          [`queue=${long}`, "queue"],
          [`worker=${long}`, "worker"],
          ["name=a%00b", "name"],
          ["search=a%00b", "search"],
          ["queue=%00", "queue"],
          ["worker=%00", "worker"]
        ]
        for (const [query, path] of cases) {
          const response = yield* list(`?${query}`)
          assert.deepInclude(response.json, { status: 422, code: "validation_failed" }, query)
          assert.strictEqual(response.json.details.issues[0].path.split(".")[0], path, query)
        }
        const priorities = "priority.1: must be one of \"critical\", \"high\", \"normal\", \"low\""
        assert.strictEqual((yield* list("?priority=high,urgent")).json.detail, priorities)
        assert.strictEqual(
          (yield* list("?format=pdf")).json.detail,
          "format: must be one of \"csv\", \"json\", \"xlsx\""
        )
        assert.strictEqual((yield* list("?state=failure&unknown=1")).status, 200)
        assert.strictEqual((yield* list("?search=%ff%fe")).status, 200)
      }))

    it.effect("counts on request", () =>
      Effect.gen(function*() {
        const { list } = yield* seedTasks(Array.from({ length: 60 }, (_, index) => ({
          state: index % 3 === 0 ? "failure" : "success",
          queue: index % 2 === 0 ? "even" : "odd"
        })))
        const totals = [
          ["", 60],
          ["state=failure&", 20],
          ["queue=even&", 30],
          ["state=failure&queue=even&", 10],
          ["search=EVEN&", 30],
          ["name=nothing&", 0]
        ] as const
        for (const [filter, total] of totals) {
          const response = yield* list(`?${filter}include_total=true&limit=5`)
          assert.strictEqual(response.json.total_count, total, filter)
        }
        const second = yield* list(`?include_total=1&limit=5&cursor=${(yield* list("?limit=5")).json.next_cursor}`)
        assert.strictEqual(second.json.total_count, 60)
        assert.notProperty((yield* list("?include_total=false")).json, "total_count")
      }))

    it.effect("takes the total of all tasks, and of a state, from the kept counts: no row is counted", () =>
      Effect.gen(function*() {
        const { list, project } = yield* seedTasks([{}, { state: "failure" }, { state: "failure" }])
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE task_counts SET tasks = tasks * 1000000 WHERE project_id = ${project.id}`
        const totalOf = (query: string) =>
          Effect.map(list(`?${query}include_total=true&limit=1`), ({ json }) => json.total_count)
        assert.strictEqual(yield* totalOf(""), 3_000_000)
        assert.strictEqual(yield* totalOf("state=failure&"), 2_000_000)
        assert.strictEqual(yield* totalOf("search_exceptions=true&"), 3_000_000, "search_exceptions alone is no term")
      }))

    it.effect("ends a page before its values exceed 4 MB, but has at least one task", () =>
      Effect.gen(function*() {
        const large = (bytes: number) => ({ traceback: "x".repeat(bytes), queue: "large" })
        // oldest first
        const site = yield* seedTasks([{}, large(5_000_000), large(1_500_000), large(1_500_000), large(1_500_000), {}])
        const ids = idsOf(site.newestFirst)
        for (const query of ["", "limit=5&", "name=&", "search=&"]) {
          const pages: Array<ReadonlyArray<string>> = []
          let next = ""
          do {
            const page = yield* site.list(`?${query}${next}`)
            pages.push(idsOf(page))
            next = page.json.next_cursor === null ? "" : `cursor=${page.json.next_cursor}`
          } while (next !== "")
          assert.deepStrictEqual(pages, [ids.slice(0, 3), ids.slice(3, 4), ids.slice(4, 5), ids.slice(5)], query)
        }
        assert.lengthOf((yield* site.list("?queue=large")).json.items, 2)
      }))

    it.effect("shows each field, and numbers as they came", () =>
      Effect.gen(function*() {
        const full = {
          args: "[12345678901234567890,1.0,-0.0,1e400,\"\\u00e9\"]",
          kwargs: "{\"deep\":{\"n\":9007199254740993}}",
          result: "1.0",
          exception: "Boom: \"quoted\"\n",
          traceback: "line 1\nline 2",
          retry_count: 3,
          eta: "2026-03-10T12:00:00.000001Z",
          runtime_ms: 1234,
          worker_name: "celery@box",
          parent_task_id: "p/1",
          root_task_id: "r 1",
          tags: "[\"a\",\"b\"]"
        }
        const { list, tasks: [task] } = yield* seedTasks([full])
        const { text, json } = yield* list()
        assert.include(text, `"args":${full.args},"kwargs":${full.kwargs},"result":1.0,`)
        assert.hasAllKeys(json.items[0], [
          "id",
          "project_id",
          "engine",
          "task_id",
          "name",
          "queue",
          "state",
          "priority",
          "args",
          "kwargs",
          "result",
          "exception",
          "traceback",
          "retry_count",
          "eta",
          "received_at",
          "started_at",
          "finished_at",
          "runtime_ms",
          "worker_name",
          "parent_task_id",
          "root_task_id",
          "tags",
          "created_at",
          "updated_at",
          "progress"
        ])
        assert.deepInclude(json.items[0], {
          id: task!.id,
          exception: full.exception,
          traceback: full.traceback,
          retry_count: 3,
          eta: full.eta,
          runtime_ms: 1234,
          tags: ["a", "b"],
          received_at: "2026-03-10T12:00:00.000000Z",
          started_at: null
        })
      }))

    it.effect("is for members of the project only", () =>
      Effect.gen(function*() {
        const { basePath, project } = yield* seedTasks([{}])
        const other = yield* seedTasks([{}])
        const viewer = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const scopeless = yield* freshKey({ roles: { [project.id]: "admin" }, scopes: ["workers:read"] })
        assert.strictEqual((yield* request("GET", `${basePath}/tasks`)).status, 401)
        assert.strictEqual((yield* request("GET", `${basePath}/tasks`, other.key)).status, 404)
        assert.deepInclude((yield* request("GET", `${basePath}/tasks`, scopeless)).json, {
          status: 403,
          code: "scope_missing"
        })
        assert.strictEqual((yield* request("GET", `${basePath}/tasks`, viewer)).json.items.length, 1)
      }))
  })

  layer(serverOn(engine, { ...settings, restMaxPageSize: 20 }), { excludeTestServices: true })((it) => {
    it.effect("clamps the limit to the largest page of the settings", () =>
      Effect.gen(function*() {
        const { list } = yield* seedTasks(Array.from({ length: 50 }, () => ({})))
        assert.strictEqual((yield* list("?limit=5000")).json.items.length, 20)
        assert.strictEqual((yield* list()).json.items.length, 20)
        assert.strictEqual((yield* list("?limit=7&search=celery")).json.items.length, 7)
        assert.strictEqual((yield* list("?limit=5000&search=celery")).json.items.length, 20)
      }))
  })
})
