import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { freshKey, request, serverOn } from "../brain.ts"
import { freshUser, proxied, signedIn } from "./people.ts"

const mine = "https://app.example.com"
const preflight = (origin: string) =>
  request("OPTIONS", "/auth/sessions/revoke-others", {
    headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization" }
  })

const corsOf = (headers: Headers) =>
  [...headers].filter(([name]) => name.startsWith("access-control-")).map(([name]) => name)

describe("the headers for browsers", () => {
  layer(serverOn("SQLite", { ...proxied, publicUrl: "https://localhost" }), { excludeTestServices: true })((it) => {
    it.effect("with every response: nothing is kept, framed, guessed or sent on, and https only", () =>
      Effect.gen(function*() {
        const responses = [
          yield* request("GET", "//health"),
          yield* request("GET", "/no-such-path"),
          yield* request("GET", "/projects"),
          yield* request("GET", "//setup"),
          yield* request("GET", "//setup", { headers: { host: "evil.example" } })
        ]
        for (const { headers } of responses) {
          assert.strictEqual(headers.get("strict-transport-security"), "max-age=31536000")
          assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
          assert.strictEqual(headers.get("x-frame-options"), "DENY")
          assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
          assert.strictEqual(headers.get("cache-control"), "no-store")
          assert.strictEqual(headers.get("cross-origin-opener-policy"), "same-origin")
          assert.strictEqual(headers.get("cross-origin-resource-policy"), "same-origin")
          assert.include(headers.get("permissions-policy"), "camera=()")
          const policy = headers.get("content-security-policy") ?? ""
          assert.match(policy, /^default-src '(none|self)'/)
          assert.include(policy, "frame-ancestors 'none'")
          assert.notInclude(policy, "http")
          assert.deepStrictEqual(corsOf(headers), [])
        }
      }))

    it.effect("with each page what may run in it: only its own script and style, and on the API page no script", () =>
      Effect.gen(function*() {
        const hash = "'sha256-[A-Za-z0-9+/]{43}='"
        for (const path of ["//setup", "//reset-password", "//invitation"]) {
          assert.match(
            (yield* request("GET", path)).headers.get("content-security-policy") ?? "",
            new RegExp(`^default-src 'none'; script-src ${hash}; style-src ${hash}; `),
            path
          )
        }
        const { headers } = yield* request("GET", "/docs")
        const policy = headers.get("content-security-policy") ?? ""
        assert.match(policy, new RegExp(`^default-src 'none'; script-src 'none'; style-src ${hash}; `))
        for (const word of ["unsafe-inline", "unsafe-eval", "http"]) assert.notInclude(policy, word)
        assert.strictEqual(headers.get("cache-control"), "no-cache")
      }))

    it.effect("nothing of other sites while none is configured", () =>
      Effect.gen(function*() {
        const { token } = yield* freshKey()
        const allowed = yield* preflight(mine)
        assert.strictEqual(allowed.status, 405)
        assert.deepStrictEqual(corsOf(allowed.headers), [])
        const read = yield* request("GET", "/projects", { token, headers: { origin: mine } })
        assert.strictEqual(read.status, 200)
        assert.deepStrictEqual(corsOf(read.headers), [])
        assert.isNull(read.headers.get("vary"))
      }))
  })

  layer(serverOn("SQLite", { ...proxied, corsOrigins: [mine, "http://localhost:5173"] }), {
    excludeTestServices: true
  })((it) => {
    it.effect("of other sites only those that are named, letter for letter", () =>
      Effect.gen(function*() {
        const allowed = yield* preflight(mine)
        assert.strictEqual(allowed.status, 204)
        assert.strictEqual(allowed.headers.get("access-control-allow-origin"), mine)
        assert.strictEqual(allowed.headers.get("access-control-allow-credentials"), "true")
        assert.include(allowed.headers.get("access-control-allow-methods"), "PATCH")
        assert.include(allowed.headers.get("access-control-allow-headers"), "x-csrf-token")
        assert.strictEqual(allowed.headers.get("vary"), "Origin")
        assert.isNull(allowed.headers.get("strict-transport-security"), "it is not reached over https")
        const { token } = yield* freshKey()
        const read = yield* request("GET", "/projects", { token, headers: { origin: mine } })
        assert.strictEqual(read.headers.get("access-control-allow-origin"), mine)
        const failed = yield* request("GET", "/projects", { headers: { origin: mine } })
        assert.strictEqual(failed.status, 401)
        assert.strictEqual(failed.headers.get("access-control-allow-origin"), mine, "its page may read why")
        for (
          const origin of [
            "https://app.example.com.evil.example",
            "https://evil.example",
            "http://app.example.com",
            "https://app.example.com:444",
            "null",
            "HTTPS://APP.EXAMPLE.COM"
          ]
        ) {
          assert.deepStrictEqual(corsOf((yield* preflight(origin)).headers), [], origin)
          const response = yield* request("GET", "/projects", { token, headers: { origin } })
          assert.deepStrictEqual(corsOf(response.headers), [], origin)
          assert.strictEqual(response.headers.get("vary"), "Origin")
        }
      }))

    it.effect("a response that varies by its encoding varies by the origin too", () =>
      Effect.gen(function*() {
        const document = yield* request("GET", "/openapi.json", { headers: { origin: mine } })
        assert.strictEqual(document.headers.get("access-control-allow-origin"), mine)
        assert.strictEqual(document.headers.get("vary"), "accept-encoding, Origin")
      }))

    it.effect("by cookie a named site's page still has to know the CSRF token, and another's is refused even with it", () =>
      Effect.gen(function*() {
        const browser = yield* signedIn(yield* freshUser())
        const change = (headers: Record<string, string>) =>
          request("PATCH", "/auth/me", {
            headers: { ...headers, "sec-fetch-site": "cross-site" },
            body: { display_name: "New" }
          })
        assert.strictEqual((yield* change({ ...browser, origin: mine })).status, 200)
        assert.strictEqual((yield* change({ cookie: browser.cookie, origin: mine })).json.code, "csrf_failed")
        assert.strictEqual((yield* change({ ...browser, origin: "https://evil.example" })).json.code, "csrf_failed")
      }))
  })
})
