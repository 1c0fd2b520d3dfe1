import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { type Operation, operations } from "./operations.ts"
import { proxied } from "./people.ts"
import { wire } from "./wire.ts"
import { type World, world } from "./world.ts"

/** The most rows that each list may be asked for, as the contract says. */
const maxima = {
  "GET /api/v1/activity": 200,
  "GET /api/v1/home/recent-failures": 200,
  "GET /api/v1/projects/:slug/agent-workers": 500,
  "GET /api/v1/projects/:slug/audit": 5000,
  "GET /api/v1/projects/:slug/audit/export-jobs": 200,
  "GET /api/v1/projects/:slug/commands": 5000,
  "GET /api/v1/projects/:slug/dead-letters": 200,
  "GET /api/v1/projects/:slug/events": 5000,
  "GET /api/v1/projects/:slug/issues": 200,
  "GET /api/v1/projects/:slug/schedules": 500,
  "GET /api/v1/projects/:slug/schedules/:schedule_id/fires": 1000,
  "GET /api/v1/projects/:slug/schedules/:schedule_id/misfires": 1000,
  "GET /api/v1/projects/:slug/schedules/misfires": 1000,
  "GET /api/v1/projects/:slug/schedules/runs": 50,
  "GET /api/v1/projects/:slug/tasks": 5000,
  "GET /api/v1/user/notifications": 200,
  "GET /api/v1/user/subscriptions": 500
}

const lists = operations.filter(({ query }) => query.includes("limit"))

/** The lists of what agents report name a parameter that they do not have, because a misspelt filter would show all. */
const namesUnknown = /\/(agents|agents\/workers|agent-workers|queues|workers)$/

/** Its rows can be read only while an agent responds. */
const isRemote = ({ path }: Operation) => path.endsWith("/dead-letters")

/** What is sent has `items` and `next_cursor`, or is the rows, with the cursor in a header. */
const pageOf = ({ headers, json }: Effect.Effect.Success<ReturnType<typeof wire>>) => {
  const rows: ReadonlyArray<unknown> = Array.isArray(json) ? json : json.items
  const next: unknown = Array.isArray(json) ? headers["x-svc-next-cursor"] ?? null : json.next_cursor
  return { rows, next: typeof next === "string" ? encodeURIComponent(next) : null }
}

describe.each(laneEngines)("every list on %s", (engine) => {
  layer(serverOn(engine, { ...proxied, restMaxPageSize: 2 }), { excludeTestServices: true })((it) => {
    const get = (site: World, operation: Operation, query: Readonly<Record<string, string>> = {}) =>
      wire({ method: "GET", target: site.target(operation, {}, query), headers: site.credentials(operation) })

    it.effect("takes a limit from 1 to its maximum, and names another one", () =>
      Effect.gen(function*() {
        const site = yield* world({ signedIn: true })
        const declared = new Map(lists.map(({ querySchemas, route }) => [route, querySchemas.limit?.maximum]))
        for (const [route, maximum] of Object.entries(maxima)) assert.strictEqual(declared.get(route), maximum, route)
        for (const operation of lists) {
          const { maximum = 0 } = operation.querySchemas.limit ?? {}
          for (const limit of [0, -1, maximum + 1, "1.5", "x", ""]) {
            const { json, status } = yield* get(site, operation, { limit: String(limit) })
            assert.deepStrictEqual(
              [status, json.details?.issues.map(({ path }: { readonly path: string }) => path)],
              [422, ["limit"]],
              `${operation.route} with ${limit}`
            )
          }
          if (isRemote(operation)) continue
          for (const limit of [1, maximum]) {
            assert.strictEqual((yield* get(site, operation, { limit: String(limit) })).status, 200, operation.route)
          }
        }
      }))

    it.effect("has each row on one page only, from the first cursor to none", () =>
      Effect.gen(function*() {
        const site = yield* world({ signedIn: true })
        const longerThanAPage = new Set<string>()
        for (const operation of lists.filter((list) => list.query.includes("cursor") && !isRemote(list))) {
          const walk = (limit: string) =>
            Effect.gen(function*() {
              const rows: Array<string> = []
              for (let cursor: string | null = "first"; cursor !== null;) {
                const page = pageOf(yield* get(site, operation, { limit, ...(cursor !== "first" && { cursor }) }))
                assert.isAtMost(page.rows.length, Number(limit), operation.route)
                rows.push(...page.rows.map((row) => JSON.stringify(row)))
                if (page.next !== null) longerThanAPage.add(operation.path.split("/").at(-1) ?? "")
                cursor = page.next
              }
              return rows
            })
          const one = yield* walk("1")
          assert.deepStrictEqual(one, yield* walk("2"), operation.route)
          assert.strictEqual(new Set(one).size, one.length, operation.route)
        }
        assert.includeMembers([...longerThanAPage], ["tasks", "commands", "audit", "recent-failures"])
      }))

    it.effect("ignores a parameter that it does not have, and a status of commands that there is not", () =>
      Effect.gen(function*() {
        const site = yield* world({ signedIn: true })
        for (const operation of lists.filter((list) => !isRemote(list))) {
          const plain = yield* get(site, operation, { limit: "1" })
          const more = yield* get(site, operation, { limit: "1", no_such_parameter: "1" })
          if (namesUnknown.test(operation.path)) assert.strictEqual(more.status, 422, operation.route)
          else assert.deepStrictEqual([more.status, pageOf(more)], [200, pageOf(plain)], operation.route)
        }
        const commands = lists.find(({ path }) => path.endsWith("/commands"))
        if (commands === undefined) return assert.fail("no list of commands")
        const all = pageOf(yield* get(site, commands))
        assert.isNotEmpty(all.rows)
        assert.deepStrictEqual(pageOf(yield* get(site, commands, { status: "nope" })), all)
      }))
  })
})
