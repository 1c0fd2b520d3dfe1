import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Cookies } from "../../src/http/middleware/Cookies.ts"
import type { SettingsShape } from "../../src/services/Settings.ts"
import { request, serverOn } from "../brain.ts"
import { settingsOn } from "../databases.ts"
import { freshUser, fromElsewhere, login, proxied } from "./people.ts"

describe("cookies over https", () => {
  layer(serverOn("SQLite", { ...proxied, publicUrl: "https://svc.example" }), { excludeTestServices: true })((it) => {
    it.effect("are Secure and bound to the host by their names", () =>
      Effect.gen(function*() {
        const answer = yield* login((yield* freshUser()).email, { headers: { ...fromElsewhere(), origin: "https://svc.example" } })
        const [session = "", csrf = ""] = answer.headers.getSetCookie()
        assert.match(session, /^__Host-svc_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
        assert.match(csrf, /^__Host-svc_csrf=[\w-]{43}; Max-Age=604800; Path=\/; Secure; SameSite=Strict$/)
        const cookie = session.split(";", 1)[0] ?? ""
        assert.strictEqual((yield* request("GET", "/auth/me", { headers: { cookie } })).status, 200)
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
      const refused = [{ publicUrl: "http://svc.example" }, { publicUrl: "ftp://x" }, { publicUrl: "", host: "10.0.0.5" }]
      for (const settings of refused) {
        assert.include(String(yield* started(settings)), "SVC_PUBLIC_URL", JSON.stringify(settings))
      }
    }))
})
