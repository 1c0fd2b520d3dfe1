import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { freshKey, freshProject, request, serverOn } from "../brain.ts"
import { engines } from "../databases.ts"

describe.each(engines)("projects on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.effect("a global admin creates, reads and changes a project", () =>
      Effect.gen(function*() {
        const { token } = yield* freshKey({ isAdmin: true })
        const created = yield* request("POST", "/projects", { token, body: { slug: "shop", name: "Shop" } })
        assert.strictEqual(created.status, 201)
        assert.deepInclude(created.json, { slug: "shop", timezone: "UTC", environment: "production", is_active: true })
        const again = yield* request("POST", "/projects", { token, body: { slug: "shop", name: "Shop" } })
        assert.deepInclude(again.json, { status: 409, code: "slug_taken" })
        const changed = yield* request("PATCH", "/projects/shop", { token, body: { name: "The shop" } })
        assert.strictEqual(changed.json.name, "The shop")
        assert.deepStrictEqual((yield* request("GET", "/projects/shop", { token })).json, changed.json)
      }))

    it.effect("a stranger's project is not there, and a weaker role may look only", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const stranger = yield* freshKey()
        const viewer = yield* freshKey({ roles: { [project.id]: "viewer" } })
        assert.strictEqual((yield* request("GET", `/projects/${project.slug}`, stranger)).status, 404)
        assert.strictEqual((yield* request("GET", `/projects/${project.slug}`, viewer)).status, 200)
        const refused = yield* request("PATCH", `/projects/${project.slug}`, { ...viewer, body: { name: "x" } })
        assert.deepInclude(refused.json, { status: 403, code: "forbidden" })
      }))

    it.effect("every failure is a problem document", () =>
      Effect.gen(function*() {
        const { token } = yield* freshKey({ isAdmin: true })
        const cases = [
          [yield* request("GET", "/projects"), 401, "unauthenticated"],
          [yield* request("GET", "/nowhere", { token }), 404, "not_found"],
          [yield* request("DELETE", "/projects", { token }), 405, "method_not_allowed"],
          [yield* request("POST", "/projects", { token, raw: "{" }), 400, "malformed_json"],
          [yield* request("POST", "/projects", { token, body: { slug: "UPPER", name: "" } }), 422, "validation_failed"],
          [yield* request("POST", "/projects", { token, body: { slug: "nul", name: "a\0b" } }), 422, "validation_failed"],
          [yield* request("POST", "/projects", { token, raw: `{"slug":"x","name":"${"y".repeat(9000)}"}` }), 413, "payload_too_large"]
        ] as const
        for (const [answer, status, code] of cases) {
          assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
          assert.deepInclude(answer.json, { status, code })
          assert.hasAllKeys(answer.json, ["type", "title", "status", "detail", "code", "details", "request_id"])
          assert.strictEqual(answer.status, status)
        }
      }))
  })
})
