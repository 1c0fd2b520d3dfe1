import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { freshKey, request, serverOn } from "../../../brain.ts"
import { laneEngines } from "../../../engines.ts"
import { idsOf, seedTasks, settings } from "./seedTasks.ts"

const tasks = [
  { name: "mail.send", queue: "slow", state: "failure", runtime_ms: 6000, exception: "SMTPError: timeout" },
  { name: "mail.digest", queue: null, state: "retry", retry_count: 2, worker_name: "celery@two" },
  { name: "shop.ship", queue: "slow", state: "success", runtime_ms: 40, worker_name: "celery@one" },
  {
    name: "shop.pay",
    queue: "fast",
    state: "failure",
    runtime_ms: 9000,
    engine: "rq",
    kwargs: "{\"order\":7835610}",
    tags: "[\"eu\"]"
  }
] as const

const encode = encodeURIComponent

describe.each(laneEngines)("queries of tasks on %s", (engine) => {
  layer(serverOn(engine, settings), { excludeTestServices: true })((it) => {
    it.effect("filter the list, beside its other parameters", () =>
      Effect.gen(function*() {
        const { list, newestFirst } = yield* seedTasks(tasks)
        const [pay, ship, digest, send] = newestFirst
        const cases = [
          ["state:failure,retry", [pay, digest, send]],
          ["state:failure OR state:retry", [pay, digest, send]],
          ["-state:success -queue:slow", [pay, digest]],
          ["NOT name:mail.*", [pay, ship]],
          ["name:mail.*", [digest, send]],
          ["name:=shop.pay", [pay]],
          ["state:failure name:mail.* queue:slow runtime:>5s \"timeout\"", [send]],
          ["runtime:>5s", [pay, send]],
          ["-runtime:>5s", [ship, digest]],
          ["retries:>0 OR (engine:rq state:failure)", [pay, digest]],
          ["worker:*one,*two", [ship, digest]],
          ["error:smtp", [send]],
          ["kwargs.order:7835610", [pay]],
          ["-kwargs.order:* name:shop.*", [ship]],
          ["tag:eu,us", [pay]],
          ["-smtp shop", [pay, ship]],
          ["", [pay, ship, digest, send]]
        ] as const
        for (const [query, expected] of cases) {
          assert.deepStrictEqual(idsOf(yield* list(`?query=${encode(query)}`)), expected.map((task) => task!.id), query)
        }
        assert.deepStrictEqual(idsOf(yield* list(`?state=failure&query=${encode("name:mail.*")}`)), [send!.id])
        const counted = yield* list(`?include_total=true&limit=1&query=${encode("state:failure,retry")}`)
        assert.strictEqual(counted.json.total_count, 3)
        const file = yield* list(`?format=csv&fields=name&query=${encode("-name:mail.*")}`)
        assert.deepStrictEqual(file.text.split("\r\n").map((name) => name.replaceAll("\"", "")), [
          "name",
          "shop.pay",
          "shop.ship",
          ""
        ])
      }))

    it.effect("on arguments and results need the role that sees them, wherever they select tasks", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { basePath, project } = yield* seedTasks(tasks)
        const operator = yield* freshKey({ roles: { [project.id]: "operator" } })
        const query = "state:failure OR -kwargs.order:7835610"
        const filter_until = "2026-03-10T13:00:00Z"
        const calls = [
          ["GET", `/tasks?query=${encode(query)}`],
          ["GET", `/tasks?format=csv&query=${encode(query)}`],
          ["GET", `/task-facets?query=${encode(query)}`],
          ["GET", `/task-matches?ids=${randomUUID()}&query=${encode(query)}`],
          ["POST", "/task-export-jobs", { format: "csv", filter_query: query }],
          ["POST", "/bulk-jobs:cancel", { filter_query: query, filter_until }],
          ["POST", "/bulk-retry-requests:preview", { filter: { query } }],
          ["POST", "/bulk-retry-requests", { filter: { query }, idempotency_key: randomUUID() }]
        ] as const
        const statuses = Effect.forEach(calls, ([method, path, body]) =>
          Effect.map(
            request(method, `${basePath}${path}`, { ...operator, ...(body !== undefined && { body }) }),
            ({ status }) => `${method} ${path.split("?", 1)[0]} ${status < 300 ? "done" : status}`
          ))
        const named = calls.map(([method, path]) => `${method} ${path.split("?", 1)[0]}`)
        assert.deepStrictEqual(yield* statuses, named.map((call) => `${call} done`))
        yield* sql`UPDATE projects SET payload_role = 'admin' WHERE id = ${project.id}`
        assert.deepStrictEqual(yield* statuses, named.map((call) => `${call} 403`))

        // and what was selected by them is shown without them
        const reads = ["/task-export-jobs", "/bulk-jobs", "/bulk-retry-requests"].map((path) => `${basePath}${path}`)
        const admin = yield* freshKey({ roles: { [project.id]: "admin" } })
        for (const path of [...reads, `/activity?project_slug=${project.slug}`]) {
          const { status, text } = yield* request("GET", path, operator)
          assert.deepStrictEqual([status, text.includes("7835610")], [200, false], path)
        }
        const feed = yield* request(
          "GET",
          `/activity?project_slug=${project.slug}&action_prefix=bulk_job.created`,
          operator
        )
        const { filter } = feed.json.items[0].metadata
        assert.deepStrictEqual(Object.keys(filter).filter((name) => filter[name] === null), ["filter_query"])
        for (const path of reads) assert.include((yield* request("GET", path, admin)).text, "7835610", path)
      }))

    it.effect("are refused with a place and a reason, and without their text", () =>
      Effect.gen(function*() {
        const { list } = yield* seedTasks([])
        const { json, status } = yield* list(`?query=${encode("queue:a secret:b")}`)
        assert.strictEqual(status, 422)
        const text = JSON.stringify(json)
        assert.include(text, "unknown term")
        assert.include(text, "at character 9")
        assert.notInclude(text, "secret:b")
        assert.strictEqual((yield* list(`?query=${encode("x".repeat(1001))}`)).status, 422)
      }))

    it.effect("counts the values of the matching tasks", () =>
      Effect.gen(function*() {
        const { basePath, key } = yield* seedTasks(tasks)
        const facets = (query: string) =>
          Effect.map(request("GET", `${basePath}/task-facets?query=${encode(query)}`, key), ({ json }) => json)
        const all = yield* facets("")
        assert.strictEqual(all.counted, 4)
        assert.isTrue(all.is_complete)
        assert.deepStrictEqual(all.state, [
          { value: "failure", count: 2 },
          { value: "retry", count: 1 },
          { value: "success", count: 1 }
        ])
        assert.deepStrictEqual(all.queue, [{ value: "slow", count: 2 }, { value: "fast", count: 1 }])
        const matching = yield* facets("-queue:slow name:*.*")
        assert.deepStrictEqual(matching.name.map(({ value }: { value: string }) => value), ["mail.digest", "shop.pay"])
        assert.deepStrictEqual((yield* facets("name:no.such.*")).counted, 0)
      }))

    it.effect(
      "counts all tasks of each state, also where it reads only the newest 10 000",
      () =>
        Effect.gen(function*() {
          const { basePath, key } = yield* seedTasks(
            Array.from({ length: 10_003 }, (_, index) => ({ state: index < 3 ? "failure" : "success" } as const))
          )
          const facets = (query: string) =>
            Effect.map(request("GET", `${basePath}/task-facets?query=${encode(query)}`, key), ({ json }) => json)
          const exact = [{ value: "success", count: 10_000 }, { value: "failure", count: 3 }]
          assert.deepInclude(yield* facets(""), { is_complete: false, is_state_complete: true, state: exact })
          assert.deepInclude(yield* facets("state:success"), {
            is_complete: false,
            is_state_complete: true,
            state: exact.slice(0, 1)
          })
          const partly = { is_complete: false, is_state_complete: false, counted: 10_000 }
          assert.deepInclude(yield* facets("-queue:slow"), partly)
        }),
      60_000
    )

    it.effect("says which tasks match", () =>
      Effect.gen(function*() {
        const { basePath, key, tasks: stored } = yield* seedTasks(tasks)
        const ids = [...stored.map(({ id }) => id), randomUUID()]
        const response = yield* request(
          "GET",
          `${basePath}/task-matches?ids=${ids.join(",")}&query=${encode("name:mail.* -state:retry")}`,
          key
        )
        assert.deepStrictEqual(response.json, { ids: [stored[0]!.id] })
        const tooMany = Array.from({ length: 101 }, () => randomUUID()).join(",")
        assert.strictEqual((yield* request("GET", `${basePath}/task-matches?ids=${tooMany}`, key)).status, 422)
      }))

    it.effect("select what is deleted and what is retried", () =>
      Effect.gen(function*() {
        const { basePath, key, list, newestFirst } = yield* seedTasks(tasks)
        const preview = (filter: object) =>
          Effect.map(
            request("POST", `${basePath}/bulk-retry-requests:preview`, { ...key, body: { filter } }),
            ({ json }) => json.total
          )
        assert.strictEqual(yield* preview({ query: "name:mail.*" }), 1)
        assert.strictEqual(yield* preview({ query: "name:mail.* -state:success" }), 2)
        assert.strictEqual(yield* preview({ query: "name:mail.*", state: "retry" }), 1)
        const deleted = yield* request("POST", `${basePath}/tasks/bulk-delete`, {
          ...key,
          body: { filter_query: "state:success,retry" }
        })
        assert.deepStrictEqual(deleted.json, { deleted_count: 2 })
        assert.deepStrictEqual(idsOf(yield* list()), [newestFirst[0]!.id, newestFirst[3]!.id])
        for (const filter_query of ["", " ", "stat:failure"]) {
          const refusal = yield* request("POST", `${basePath}/tasks/bulk-delete`, { ...key, body: { filter_query } })
          assert.strictEqual(refusal.status, 422, filter_query)
        }
      }))
  })
})
