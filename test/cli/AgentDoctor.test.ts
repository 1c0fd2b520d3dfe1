import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { freshAgent } from "../agent.ts"
import { baseUrl, freshProject, serverOn } from "../brain.ts"
import { temporaryHome } from "../databases.ts"
import { tlsProxy } from "../e2e/tls.ts"
import { svc } from "./svc.ts"

layer(serverOn("SQLite"), { excludeTestServices: true })("svc agent doctor", (it) => {
  it.scoped("reads the settings, says what is well, and ends with 1 when something is not", () =>
    Effect.gen(function*() {
      const { hmac_secret, token } = yield* freshAgent(yield* freshProject())
      const home = yield* temporaryHome
      const env = {
        SVC_HOME: home,
        SVC_AGENT_HOME: home,
        SVC_AGENT_BRAIN_URL: yield* baseUrl,
        SVC_AGENT_TOKEN: token,
        SVC_AGENT_HMAC_SECRET: hmac_secret
      }
      const well = yield* svc(["agent", "doctor"], env)
      assert.strictEqual(well.code, 0, well.stderr)
      assert.match(well.stdout, /^signature {2}ok .*acknowledged a signed message by WebSocket\.$/m)
      const polled = yield* svc(["agent", "doctor", "--no-websocket", "--json"], env)
      const { findings, ok } = JSON.parse(polled.stdout)
      assert.isTrue(ok)
      assert.match(findings.at(-1).detail, /over HTTP/)
      const tls = yield* tlsProxy(env.SVC_AGENT_BRAIN_URL)
      const trusted = yield* svc(["agent", "doctor"], {
        ...env,
        SVC_AGENT_BRAIN_URL: tls.url,
        NODE_EXTRA_CA_CERTS: tls.cert
      })
      assert.strictEqual(trusted.code, 0, trusted.stdout)
      assert.match(trusted.stdout, /^tls {8}ok .*The certificate is trusted, and valid until/m)
      const stranger = yield* svc(["agent", "doctor"], { ...env, SVC_AGENT_BRAIN_URL: tls.url })
      assert.match(stranger.stdout, /^tls {8}failed .*not trusted .*NODE_EXTRA_CA_CERTS/m)
      const wrongToken = yield* svc(["agent", "doctor", "--json"], { ...env, SVC_AGENT_TOKEN: "another" })
      assert.strictEqual(wrongToken.code, 1)
      assert.isFalse(JSON.parse(wrongToken.stdout).ok)
      assert.match(wrongToken.stderr, /^svc: 1 of 8 checks failed/)
      const unset = yield* svc(["agent", "doctor"], { SVC_HOME: home })
      assert.strictEqual(unset.code, 1)
      assert.match(unset.stdout, /settings {3}failed/)
      assert.include(unset.stdout, "SVC_AGENT_BRAIN_URL")
      assert.notInclude(JSON.stringify([well, polled, wrongToken]), hmac_secret)
    }))
})
