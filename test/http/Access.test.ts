import { HttpApi, HttpApiSchema } from "@effect/platform"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { accessTable } from "../../scripts/accessTable.ts"
import { type AccessRule, isHeavyRead, type Role } from "../../src/domain/kernel/Access.ts"
import { accessRules, adminScopes, scopes } from "../../src/http/AccessRules.ts"
import { Api } from "../../src/http/Api.ts"
import { freshKey, freshProject, request, serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { freshUser, fromElsewhere, proxied, signedIn } from "./people.ts"

interface Endpoint {
  readonly method: string
  readonly path: string
  readonly rule: AccessRule
}

const endpoints: ReadonlyArray<Endpoint> = [...accessRules].map(([route, rule]) => {
  const [method = "", path = ""] = route.split(" ")
  return { method, path, rule }
})

const paramsOf = (path: string): ReadonlyArray<string> =>
  [...path.replaceAll("::", "").matchAll(/:([a-z_]+)/g)].map((match) => match[1] ?? "")

const isRole = (caller: AccessRule["caller"]): caller is Role => ["viewer", "operator", "admin"].includes(caller)

/** A path that exists as far as access is concerned: the project exists, the ids do not. */
const pathIn = (slug: string, path: string): string =>
  `/${
    path.replaceAll("::", "\0").replaceAll(/:([a-z_]+)/g, (_, name: string) =>
      name === "slug" ? slug : name === "engine" ? "celery" : name === "task_id" ? "t-1" : randomUUID()).replaceAll(
        "\0",
        ":"
      )
  }`

describe("declarations", () => {
  it("say which reads are heavy: facets, files, previews and backtests always, lists of tasks, failure groups and the log by their query", () => {
    const heavy = endpoints.filter(({ rule }) => rule.heavy !== undefined)
      .map(({ method, path, rule }) => `${rule.heavy}: ${method} ${path}`)
    assert.deepStrictEqual(heavy.sort(), [
      "always: GET /api/v1/projects/:slug/audit/export-jobs/:job_id/download",
      "always: GET /api/v1/projects/:slug/task-differences",
      "always: GET /api/v1/projects/:slug/task-export-jobs/:job_id/download",
      "always: GET /api/v1/projects/:slug/task-facets",
      "always: POST /api/v1/projects/:slug/automation/rules::backtest",
      "always: POST /api/v1/projects/:slug/bulk-retry-requests::preview",
      "always: POST /api/v1/projects/:slug/schedules::import",
      "by_query: GET /api/v1/projects/:slug/audit",
      "by_query: GET /api/v1/projects/:slug/issues",
      "by_query: GET /api/v1/projects/:slug/tasks"
    ])
    const list = endpoints.find(({ method, path }) => method === "GET" && path === "/api/v1/projects/:slug/tasks")!.rule
    for (const query of ["search=x", "query=state:failure", "name=a*", "format=csv", "limit=101"]) {
      assert.isTrue(isHeavyRead(list, `/api/v1/projects/shop/tasks?${query}`), query)
    }
    for (const query of ["", "?limit=100", "?state=failure&cursor=x"]) {
      assert.isFalse(isHeavyRead(list, `/api/v1/projects/shop/tasks${query}`), query)
    }
  })

  it("names each path parameter so that access knows what it is", () => {
    for (const { path } of endpoints) {
      for (const name of paramsOf(path)) assert.match(name, /^(slug|engine|fingerprint|name|[a-z_]+_id)$/, path)
    }
  })

  it("puts roles, scopes, CSRF and idempotency where they belong", () => {
    for (const { method, path, rule } of endpoints) {
      const isOpen = rule.caller === "public" || rule.caller === "agent"
      if (isRole(rule.caller)) {
        assert.include(path, "/projects/:slug", path)
        assert.isDefined(rule.scope, `${method} ${path} lets keys in, but asks for no scope`)
      }
      if (rule.scope !== undefined) assert.notInclude(["public", "agent", "session"], rule.caller, path)
      const reads = method === "GET" || /::(preview|diff|backtest)$/.test(path) // docs/schedules.md
      if (reads) assert.isUndefined(rule.mutates, path)
      else if (!isOpen) assert.isTrue(rule.mutates, `${method} ${path} does not say that it changes something`)
    }
  })

  it("honours Idempotency-Key wherever something is created", () => {
    const problems: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => {
        const route = `${endpoint.method} ${endpoint.path}`
        const declared = accessRules.get(route)?.creates !== undefined
        const status = HttpApiSchema.getStatusSuccess(endpoint.successSchema)
        if (status === 201 && !declared) problems.push(`${route} creates and does not say so`)
        if (declared && status !== 201 && status !== 202) problems.push(`${route} answers ${status}`)
      }
    })
    assert.deepStrictEqual(problems, [])
  })

  it("derives the catalogue of scopes", () => {
    assert.includeMembers([...scopes], ["admin:*", "auth:read", "projects:read", "agents:write", "users:write"])
    assert.deepStrictEqual([...adminScopes], ["admin:*", "users:read", "users:write"])
  })
})

describe("docs/access.md", () => {
  it("is what the endpoints declare (npx vite-node scripts/access.ts writes it)", () => {
    assert.strictEqual(readFileSync("docs/access.md", "utf8"), accessTable())
  })
})

describe.each(laneEngines)("access on %s", (engine) => {
  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    const call = ({ method, path }: Endpoint, slug: string, options: Parameters<typeof request>[2] = {}) =>
      request(method, pathIn(slug, path), { ...options, headers: { ...fromElsewhere(), ...options.headers } })

    const expectRefused = (
      endpoint: Endpoint,
      response: { readonly status: number; readonly json: unknown },
      status: number,
      code: string
    ) => {
      assert.strictEqual(response.status, status, `${endpoint.method} ${endpoint.path}`)
      assert.deepInclude(response.json, { code }, `${endpoint.method} ${endpoint.path}`)
    }

    const closed = endpoints.filter(({ rule }) => rule.caller !== "public" && rule.caller !== "agent")

    it.effect("no request gets in without a credential", () =>
      Effect.gen(function*() {
        const { slug } = yield* freshProject()
        for (const endpoint of endpoints.filter(({ rule }) => rule.caller !== "public")) {
          expectRefused(endpoint, yield* call(endpoint, slug), 401, "unauthenticated")
          const token = `svk_${"x".repeat(43)}`
          expectRefused(endpoint, yield* call(endpoint, slug, { token }), 401, "unauthenticated")
          const headers = { cookie: `svc_session=${"x".repeat(43)}`, "x-csrf-token": "x" }
          expectRefused(endpoint, yield* call(endpoint, slug, { headers }), 401, "unauthenticated")
        }
      }))

    it.effect("a stranger's project is not there, a weaker role is not enough, and a key needs its scope", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const stranger = yield* freshKey()
        const bound = yield* freshKey({ isAdmin: true, boundTo: (yield* freshProject()).id })
        const weaker = {
          operator: yield* freshKey({ roles: { [project.id]: "viewer" } }),
          admin: yield* freshKey({ roles: { [project.id]: "operator" } })
        }
        const unscoped = yield* freshKey({ isAdmin: true, scopes: [] })
        for (const endpoint of closed) {
          const { caller, scope } = endpoint.rule
          if (isRole(caller)) {
            expectRefused(endpoint, yield* call(endpoint, project.slug, stranger), 404, "not_found")
            expectRefused(endpoint, yield* call(endpoint, project.slug, bound), 404, "not_found")
          }
          if (caller === "operator" || caller === "admin") {
            expectRefused(endpoint, yield* call(endpoint, project.slug, weaker[caller]), 403, "forbidden")
          }
          if (caller === "global_admin") {
            const [status, code] = endpoint.path.includes(":slug")
              ? [404, "not_found"] as const
              : [403, "forbidden"] as const
            expectRefused(endpoint, yield* call(endpoint, project.slug, stranger), status, code)
          }
          if (caller === "session") {
            const key = yield* freshKey({ isAdmin: true })
            expectRefused(endpoint, yield* call(endpoint, project.slug, key), 403, "forbidden")
          }
          if (scope !== undefined) {
            expectRefused(endpoint, yield* call(endpoint, project.slug, unscoped), 403, "scope_missing")
          }
        }
      }))

    it.effect("callers with the credential get in", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const keys = {
          viewer: yield* freshKey({ roles: { [project.id]: "viewer" } }),
          auditor: yield* freshKey({ roles: { [project.id]: "auditor" } }),
          operator: yield* freshKey({ roles: { [project.id]: "operator" } }),
          admin: yield* freshKey({ roles: { [project.id]: "admin" } }),
          global_admin: yield* freshKey({ isAdmin: true }),
          authenticated: yield* freshKey()
        }
        // a stream never ends, and a deleted project would be missed by the others
        const tried = closed.filter(({ method, path, rule }) =>
          rule.caller !== "session" && !path.endsWith("/stream") &&
          `${method} ${path}` !== "DELETE /api/v1/projects/:slug"
        )
        for (const endpoint of tried) {
          const { caller } = endpoint.rule
          if (caller === "public" || caller === "agent" || caller === "session") continue
          const response = yield* call(endpoint, project.slug, keys[caller])
          assert.notInclude([401, 403, 405, 500], response.status, `${endpoint.method} ${endpoint.path}`)
        }
      }))

    it.effect("a path id that is no UUID names nothing", () =>
      Effect.gen(function*() {
        const { slug } = yield* freshProject()
        const key = yield* freshKey({ isAdmin: true })
        for (const endpoint of closed.filter(({ rule }) => rule.caller !== "session")) {
          for (const name of paramsOf(endpoint.path).filter((name) => name.endsWith("_id") && name !== "task_id")) {
            const path = endpoint.path.replace(`:${name}`, "no-uuid")
            expectRefused(endpoint, yield* call({ ...endpoint, path }, slug, key), 404, "not_found")
          }
        }
      }))

    it.effect("a browser's change needs the CSRF token, from our own page", () =>
      Effect.gen(function*() {
        const { slug } = yield* freshProject()
        const browser = yield* signedIn(yield* freshUser({ isAdmin: true }))
        const { cookie } = browser
        for (const endpoint of closed.filter(({ rule }) => rule.mutates === true)) {
          const denied = [
            { cookie },
            { cookie, "x-csrf-token": "x".repeat(43) },
            { ...browser, "sec-fetch-site": "cross-site" },
            { ...browser, origin: "https://evil.example" },
            { ...browser, origin: "null" }
          ]
          for (const headers of denied) {
            expectRefused(endpoint, yield* call(endpoint, slug, { headers }), 403, "csrf_failed")
          }
        }
        const read = yield* request("GET", "/auth/me", { headers: { cookie } })
        assert.strictEqual(read.status, 200)
        const changed = yield* request("PATCH", "/auth/me", {
          headers: { ...browser, origin: "http://localhost", "sec-fetch-site": "same-origin" },
          body: { display_name: "Changed" }
        })
        assert.strictEqual(changed.json.display_name, "Changed")
      }))
  })
})
