import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { problemOf } from "./fuzz/responses.ts"
import { badCursors, megabyte } from "./hostile.ts"
import { type Operation, operations } from "./operations.ts"
import { fromElsewhere, proxied } from "./people.ts"
import { type Received, type Sent, wire } from "./wire.ts"
import { type World, world } from "./world.ts"

const json = { "content-type": "application/json" }
const form = { "content-type": "application/x-www-form-urlencoded" }

/** The fields that a 422 names: `filter` of `filter.task_ids.0`. */
const namedIn = ({ json }: Received): ReadonlyArray<string> =>
  (json?.details?.issues ?? []).map(({ path }: { readonly path: string }) => path.split(".")[0])

/** What went wrong in a run of many requests: all of it, not the first. */
class Findings {
  readonly all: Array<string> = []
  note(sent: string, received: Received, problem: string | undefined): void {
    if (problem !== undefined) this.all.push(`${sent}: ${problem} (${received.status} ${received.text.slice(0, 200)})`)
  }
}

/** Why a response is not this problem; undefined if it is. */
const is = (received: Received, status: number, place?: string): string | undefined =>
  received.status !== status || received.contentType !== "application/problem+json"
    ? `not ${status}`
    : problemOf(received) ??
      (place !== undefined && namedIn(received)[0] !== place
        ? `names ${namedIn(received).join()}, not ${place}`
        : undefined)

const defaultLimit = 8192

/** Fields that take any object, a parameter that takes any text, and cursors, which are checked last. */
const takenAnyway = ["config", "filter", "kwargs", "override_kwargs", "status", "cursor"]

/** Of bulk retries by a filter both are strict: a misspelt term would retry more than was meant. */
const isTaken = ({ route }: Operation, name: string): boolean =>
  takenAnyway.includes(name) && !(route.includes("/bulk-retry-requests") && ["filter", "status"].includes(name))

/** Rules that the document does not contain; Fuzz.test.ts has those that it contains. */
describe.each(laneEngines)("bad input on %s", (engine) => {
  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    const begin = world({ signedIn: true })

    const send = (site: World, operation: Operation, sent: Partial<Sent> = {}) =>
      wire({
        method: operation.method,
        target: site.target(operation),
        ...sent,
        headers: { ...site.credentials(operation), ...(sent.body === undefined ? {} : json), ...sent.headers }
      })

    it.effect("in a path: letters count in their case, a slash at the end or doubled does not", () =>
      Effect.gen(function*() {
        const site = yield* begin
        const projects = operations.find(({ route }) => route === "GET /api/v1/projects")
        assert.isDefined(projects)
        for (const target of ["/API/V1/projects", "/api/v1/Projects", "/HEALTH"]) {
          const received = yield* send(site, projects, { target })
          assert.strictEqual(is(received, 404), undefined, target)
        }
        for (const target of ["/api/v1/projects", "/api/v1/projects/", "//api/v1//projects", "/health/"]) {
          assert.strictEqual((yield* send(site, projects, { target })).status, 200, target)
        }
        const wrongMethod = yield* send(site, projects, { method: "PATCH", target: "/api/v1/projects/" })
        assert.strictEqual(is(wrongMethod, 405), undefined, wrongMethod.text)
      }))

    it.effect("in a path: what belongs to another project or person is not there", () =>
      Effect.gen(function*() {
        const site = yield* begin
        const other = yield* begin
        const findings = new Findings()
        for (const operation of operations) {
          const name = operation.pathParameters.findLast((name) =>
            !["slug", "engine", "name", "user_id", "session_id"].includes(name) // a task's name has no record
          )
          if (name === undefined) continue
          const body = operation.body === null ? {} : { body: JSON.stringify(site.body(operation)) }
          const received = yield* send(site, operation, {
            target: site.target(operation, { [name]: other.path[name] ?? "" }),
            ...body
          })
          findings.note(operation.route, received, is(received, 404))
        }
        assert.deepStrictEqual(findings.all, [])
      }))

    it.effect("for a cursor: 422, also for that of another list", () =>
      Effect.gen(function*() {
        const site = yield* begin
        const findings = new Findings()
        const lists = operations.filter(({ query }) => query.includes("cursor"))
        const cursors = new Map<string, string>()
        for (const operation of lists) {
          const page = yield* send(site, operation, { target: site.target(operation, {}, { limit: "1" }) })
          if (typeof page.json.next_cursor === "string") cursors.set(operation.route, page.json.next_cursor)
        }
        assert.isAtLeast(cursors.size, 2)
        for (const operation of lists) {
          const others = [...cursors].filter(([route]) => route !== operation.route).map(([, cursor]) => cursor)
          for (const cursor of [...badCursors, ...others]) {
            const received = yield* send(site, operation, { target: site.target(operation, {}, { cursor }) })
            findings.note(`${operation.route} with ${cursor.slice(0, 60)}`, received, is(received, 422, "cursor"))
          }
        }
        assert.deepStrictEqual(findings.all, [])
      }))

    it.effect("in a body or a query: every field that is wrong is named once, and nothing of what was sent is repeated", () =>
      Effect.gen(function*() {
        const site = yield* begin
        const findings = new Findings()
        for (const operation of operations) {
          // a form has no objects, and takes each field once
          const isForm = operation.rule.form === true
          const planted = { planted: "a-secret" }
          const body = Object.fromEntries(Object.keys(operation.body?.fields ?? {}).map((name) => [name, planted]))
          // the parenthesis is not closed, which makes it no query of tasks either
          const query = Object.fromEntries(operation.query.map((name) => [name, `a-secret(${"x".repeat(600)}`]))
          const invalidFields = Object.keys(operation.body === null ? query : body).filter((name) =>
            !isTaken(operation, name) && !(operation.body === null && name === "token")
          )
          if (invalidFields.length === 0) continue
          const received = yield* send(
            site,
            operation,
            operation.body === null
              ? { target: site.target(operation, {}, query) }
              : isForm
              ? { body: invalidFields.map((name) => `${name}=a-secret&${name}=a-secret`).join("&"), headers: form }
              : { body: JSON.stringify(body) }
          )
          const all = namedIn(received).filter((name) => !isTaken(operation, name))
          const isAll = all.toSorted().join() === invalidFields.toSorted().join()
          findings.note(
            operation.route,
            received,
            is(received, 422) ?? (isAll ? undefined : `names ${all.join()}, not ${invalidFields.join()}`)
          )
          if (received.text.includes("a-secret")) findings.note(operation.route, received, "repeats it")
        }
        assert.deepStrictEqual(findings.all, [])
      }))

    it.effect("in a list: its first wrong element is named, however many there are", () =>
      Effect.gen(function*() {
        const site = yield* begin
        const remove = operations.find(({ route }) => route.endsWith("/tasks/bulk-delete"))
        assert.isDefined(remove)
        const body = { task_ids: Array.from({ length: 50_000 }, () => 1), filter_state: "lost", filter_name: 5 }
        const received = yield* send(site, remove, { body: JSON.stringify(body) })
        assert.deepStrictEqual(received.json.details.issues.map(({ path }: { path: string }) => path), [
          "task_ids.0",
          "filter_state",
          "filter_name"
        ])
        const strange = (count: number) =>
          JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, 1])))
        const many = yield* send(site, remove, { body: strange(100) })
        assert.strictEqual(many.json.details.issues.length, 20, "of fields that there are not twenty are named")
        assert.deepStrictEqual((yield* send(site, remove, { body: strange(101) })).json.details.issues, [
          { path: "", message: "must have at most 100 fields" }
        ])
      }))

    it.effect("over the endpoint's limit: 413, with and without a length", () =>
      Effect.gen(function*() {
        const site = yield* begin
        const findings = new Findings()
        for (const operation of operations.filter(({ method }) => method !== "GET" && method !== "DELETE")) {
          const limit = operation.rule.bodyLimit ?? defaultLimit
          for (const chunked of [false, true]) {
            const body = chunked && limit < megabyte.length ? megabyte : `"${"x".repeat(limit - 1)}"`
            const received = yield* send(site, operation, { body, chunked })
            const problem = is(received, 413) ??
              (received.json.details.limit === limit ? undefined : "names another limit")
            findings.note(
              `${operation.route} with ${body.length} bytes${chunked ? ", chunked" : ""}`,
              received,
              problem
            )
          }
        }
        assert.deepStrictEqual(findings.all, [])
      }))

    it.effect(
      "in the request line: 404, 405 and what Node itself refuses, all as problems",
      () =>
        Effect.gen(function*() {
          const site = yield* begin
          const findings = new Findings()
          const headers = () => ({ authorization: `Bearer ${site.token}`, ...fromElsewhere() })
          for (const operation of operations) {
            const [target = ""] = site.target(operation).split("?")
            const methods = operations.filter(({ pattern }) => pattern.test(target)).map(({ method }) => method)
            for (
              const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].filter((method) =>
                !methods.includes(method)
              )
            ) {
              const received = yield* wire({ method, target, headers: headers() })
              const allow = String(received.headers["allow"]).split(", ").sort()
              const problem = is(received, 405) ??
                (allow.join() === methods.sort().join() ? undefined : `allows ${allow.join()}`)
              findings.note(`${method} ${operation.path}`, received, problem)
            }
          }
          for (const target of ["/", "/metrics", "/health", "/health/ready", "/api/v1/openapi.json", "/api/v1/docs"]) {
            const received = yield* wire({ method: "POST", target, headers: headers() })
            const { allow } = received.headers
            findings.note(
              `POST ${target}`,
              received,
              is(received, 405) ?? (allow === "GET" ? undefined : `allows ${String(allow)}`)
            )
          }
          const nowhere = [
            "/api",
            "/api/v1",
            "/api/v1/nothing",
            "/api/v2/projects",
            "/nothing",
            "/api/v1/projects/x/tasks/a/b/c/d",
            "/api/v1/%00",
            "/api/v1/%zz",
            "/api/v1/nothing?a=%ff",
            "/api/v1/projects%2F",
            "//x"
          ]
          for (const target of nowhere) {
            const received = yield* wire({ method: "GET", target, headers: headers() })
            findings.note(`GET ${target}`, received, is(received, 404))
          }
          for (const value of ["x".repeat(40_000), megabyte]) {
            const received = yield* wire({ method: "GET", target: `/api/v1/projects?q=${value}`, headers: headers() })
            findings.note(`GET with ${value.length} bytes of query`, received, is(received, 431))
          }
          assert.deepStrictEqual(findings.all, [])
        })
    )
  })
})
