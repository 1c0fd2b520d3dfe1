import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { freshKey, freshProject, request, serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { freshUser, proxied, signedIn } from "./people.ts"

describe.each(laneEngines)("Idempotency-Key on %s", (engine) => {
  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    const create = (token: string, key: string, slug: string, name = "A project") =>
      request("POST", "/projects", { token, body: { slug, name }, headers: { "idempotency-key": key } })

    it.effect("the same key and body get the first response; another body is a conflict", () =>
      Effect.gen(function*() {
        const { token } = yield* freshKey({ isAdmin: true })
        const first = yield* create(token, "k-1", "once")
        assert.strictEqual(first.status, 201)
        assert.isNull(first.headers.get("idempotency-replayed"))
        const again = yield* create(token, "k-1", "once")
        assert.strictEqual(again.status, 201)
        assert.strictEqual(again.text, first.text)
        assert.strictEqual(again.headers.get("content-type"), "application/json")
        assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
        assert.deepInclude((yield* create(token, "k-1", "twice")).json, { status: 409, code: "idempotency_conflict" })
        assert.deepInclude((yield* create(token, "k-2", "once")).json, { status: 409, code: "slug_taken" })
      }))

    it.effect("a key is one person's, on one route of one project", () =>
      Effect.gen(function*() {
        const [project, other] = [yield* freshProject(), yield* freshProject()]
        const user = yield* freshUser()
        const [one, two] = [yield* freshKey({ isAdmin: true }), yield* freshKey({ isAdmin: true })]
        const grant = (slug: string, token: string) =>
          request("POST", `/projects/${slug}/memberships`, {
            token,
            body: { user_id: user.id, role: "viewer" },
            headers: { "idempotency-key": "same" }
          })
        assert.strictEqual((yield* grant(project.slug, one.token)).status, 201)
        assert.strictEqual((yield* grant(project.slug, one.token)).headers.get("idempotency-replayed"), "true")
        assert.strictEqual((yield* grant(project.slug, two.token)).json.code, "already_member")
        assert.isNull((yield* grant(other.slug, one.token)).headers.get("idempotency-replayed"))
        assert.strictEqual((yield* create(one.token, "same", "same-key")).status, 201)
      }))

    it.effect("a failure frees the key, a run-out day too", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { token } = yield* freshKey({ isAdmin: true })
        yield* create(token, "x", "taken")
        assert.strictEqual((yield* create(token, "k-3", "taken")).status, 409)
        assert.strictEqual((yield* create(token, "k-3", "UPPER")).status, 422)
        assert.strictEqual((yield* create(token, "k-3", "free")).status, 201)
        yield* sql`UPDATE idempotency_keys SET created_at = '2020-01-01T00:00:00.000000Z'`
        assert.strictEqual((yield* create(token, "k-3", "free-again")).status, 201)
      }))

    it.effect("at the same time, it is done once", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const headers = yield* signedIn(yield* freshUser({ isAdmin: true }))
        const body = { email: "only.once@example.com", password: "long enough for anybody" }
        const post = request("POST", "/users", { headers: { ...headers, "idempotency-key": "k-4" }, body })
        const responses = yield* Effect.all([post, post, post], { concurrency: "unbounded" })
        for (const { json, status } of responses) {
          if (status !== 201) assert.deepInclude(json, { status: 409, code: "idempotency_conflict" })
        }
        assert.include(responses.map(({ status }) => status), 201)
        const [row] = yield* sql<
          { n: number }
        >`SELECT count(*) AS n FROM users WHERE email_key = 'only.once@example.com'`
        assert.strictEqual(row?.n, 1)
        assert.strictEqual((yield* post).headers.get("idempotency-replayed"), "true")
        const stored = JSON.stringify(yield* sql`SELECT * FROM idempotency_keys`)
        assert.notInclude(stored, "long enough")
      }))

    it.effect("a secret is not shown twice, nor kept", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const headers = { ...(yield* signedIn(yield* freshUser())), "idempotency-key": "k-5" }
        const mint = request("POST", "/api-keys", { headers, body: { name: "once" } })
        const { json: { token }, status } = yield* mint
        assert.strictEqual(status, 201)
        assert.deepInclude((yield* mint).json, { status: 409, code: "idempotency_conflict" })
        assert.lengthOf((yield* request("GET", "/api-keys", { headers })).json, 1)
        assert.notInclude(JSON.stringify(yield* sql`SELECT * FROM idempotency_keys`), token)
      }))

    it.effect("a key that is none is refused", () =>
      Effect.gen(function*() {
        const { token } = yield* freshKey({ isAdmin: true })
        for (const key of ["x".repeat(201), "two words"]) {
          const refusal = yield* create(token, key, "never")
          assert.strictEqual(refusal.status, 422)
          assert.strictEqual(refusal.json.details.issues[0].path, "Idempotency-Key")
        }
      }))
  })
})
