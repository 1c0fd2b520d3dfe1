import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { accessRules } from "../../src/http/AccessRules.ts"
import { Cookies } from "../../src/http/middleware/Cookies.ts"
import type { SettingsShape } from "../../src/services/kernel/Settings.ts"
import { freshKey, request, serverOn } from "../brain.ts"
import { settingsOn } from "../databases.ts"
import { freshUser, fromElsewhere, login, password, proxied } from "./people.ts"
import { wire } from "./wire.ts"

describe("cookies over https", () => {
  layer(serverOn("SQLite", { ...proxied, publicUrl: "https://svc.example" }), { excludeTestServices: true })((it) => {
    it.effect("are Secure and bound to the host by their names", () =>
      Effect.gen(function*() {
        const response = yield* login((yield* freshUser()).email, {
          headers: { ...fromElsewhere(), origin: "https://svc.example" }
        })
        const [session = "", csrf = ""] = response.headers.getSetCookie()
        assert.match(session, /^__Host-svc_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
        assert.match(csrf, /^__Host-svc_csrf=[\w-]{43}; Max-Age=604800; Path=\/; Secure; SameSite=Strict$/)
        const cookie = session.split(";", 1)[0] ?? ""
        assert.strictEqual((yield* request("GET", "/auth/me", { headers: { cookie } })).status, 200)
      }))
  })
})

describe("a brain on all addresses, without https", () => {
  const onAll = { ...proxied, host: "0.0.0.0", publicUrl: "", allowedHosts: ["10.0.0.5"] }
  const api = (path: string) => `/api/v1${path}`
  const loginAt = (host: string, email: string) =>
    wire({
      method: "POST",
      target: api("/auth/login"),
      headers: { host, "content-type": "application/json", ...fromElsewhere() },
      body: JSON.stringify({ email, password })
    })
  const cookieOf = (response: { readonly headers: Readonly<Record<string, unknown>> }) =>
    [response.headers["set-cookie"] ?? []].flat().map((cookie) => String(cookie).split(";", 1)[0]).join("; ")

  layer(serverOn("SQLite", onAll), { excludeTestServices: true })((it) => {
    it.effect("takes passwords and sessions on the machine itself only", () =>
      Effect.gen(function*() {
        const { email } = yield* freshUser()
        const me = (host: string, cookie: string) =>
          wire({ method: "GET", target: api("/auth/me"), headers: { host, cookie } })
        for (const host of ["localhost:7700", "127.0.0.1", "[::1]:7700"]) {
          const response = yield* loginAt(host, email)
          assert.match(cookieOf(response), /^svc_session=[\w-]{43}; svc_csrf=/, host)
          assert.strictEqual((yield* me(host, cookieOf(response))).status, 200)
          assert.strictEqual((yield* me("10.0.0.5:7700", cookieOf(response))).status, 401)
        }
        const invalid = yield* loginAt("10.0.0.5:7700", email)
        assert.deepInclude(invalid.json, { status: 403, code: "https_required" })
        assert.include(invalid.json.detail, "SVC_PUBLIC_URL")
        assert.isUndefined(invalid.headers["set-cookie"])
      }))

    it.effect("takes no link, and shows no page that asks for a password, elsewhere", () =>
      Effect.gen(function*() {
        // a logout token only ends sessions, once: a reader on the way gains nothing
        const taking = [...accessRules].filter(([route, { caller, mutates }]) =>
          caller === "public" && mutates === true && !route.endsWith("/auth/oidc/backchannel-logout")
        ).map(([route]) => route)
        const pages = ["GET /setup", "GET /reset-password", "GET /invitation"]
        for (const route of [...taking, ...pages, "POST /api/v1/invitations/preview"]) {
          const [method = "", target = ""] = route.split(" ")
          const response = yield* wire({ method, target, headers: { host: "10.0.0.5:7700", ...fromElsewhere() } })
          assert.deepInclude(response.json, { status: 403, code: "https_required" }, route)
        }
        for (const page of pages) {
          assert.strictEqual(
            (yield* wire({ method: "GET", target: page.slice(4), headers: { host: "localhost" } })).status,
            200,
            page
          )
        }
      }))

    it.effect("still works for API keys and for health checks", () =>
      Effect.gen(function*() {
        const { token } = yield* freshKey()
        for (const target of [api("/auth/me"), "/health", api("/docs"), api("/setup/status")]) {
          const response = yield* wire({
            method: "GET",
            target,
            headers: { host: "10.0.0.5:7700", authorization: `Bearer ${token}` }
          })
          assert.strictEqual(response.status, 200, target)
        }
      }))
  })

  layer(serverOn("SQLite", { ...onAll, environment: "development" }), { excludeTestServices: true })((it) => {
    it.effect("takes them anywhere in development", () =>
      Effect.gen(function*() {
        const response = yield* loginAt("10.0.0.5:7700", (yield* freshUser()).email)
        assert.strictEqual(response.status, 200)
        assert.match(cookieOf(response), /^svc_session=/)
      }))
  })
})

describe("the address people sign in at", () => {
  const started = (overrides: Partial<SettingsShape>) =>
    Effect.scoped(Effect.exit(Layer.build(Cookies.layer.pipe(Layer.provide(settingsOn("SQLite", overrides))))))

  it.effect("is https, or this machine, or known to be a trial", () =>
    Effect.gen(function*() {
      const accepted = [
        { publicUrl: "https://svc.example" },
        { publicUrl: "http://localhost:7700" },
        { publicUrl: "", host: "127.0.0.1" },
        { publicUrl: "", host: "::1" },
        { publicUrl: "", host: "0.0.0.0" },
        { publicUrl: "http://svc.example", environment: "development" }
      ] as const
      for (const settings of accepted) {
        assert.strictEqual((yield* started(settings))._tag, "Success", JSON.stringify(settings))
      }
      const invalid = [{ publicUrl: "http://svc.example" }, { publicUrl: "ftp://x" }, {
        publicUrl: "",
        host: "10.0.0.5"
      }]
      for (const settings of invalid) {
        assert.include(String(yield* started(settings)), "SVC_PUBLIC_URL", JSON.stringify(settings))
      }
    }))
})
