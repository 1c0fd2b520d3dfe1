import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import { serverOn } from "../brain.ts"
import { portOf } from "../ports.ts"
import { assertRefused, ok, visitor } from "./remote.ts"
import { svcHere } from "./svcHere.ts"

layer(serverOn("SQLite", { webhookAllowHttp: true, outboundAllowCidrs: ["127.0.0.0/8:*"] }), {
  excludeTestServices: true
})("svc channels", (it) => {
  it.scoped("creates a channel of a config from standard input, tests, disables and deletes it", () =>
    Effect.gen(function*() {
      let status = 200
      const receiver = createServer((message, response) => {
        message.resume().on("end", () => response.writeHead(status).end())
      })
      const url = `http://127.0.0.1:${yield* portOf(receiver)}/hook`
      const { run, settings } = yield* visitor()
      const create = (input: string) =>
        svcHere(["channels", "create", "on-call", "--type", "webhook"], settings, { input })
      const created = ok(yield* create(JSON.stringify({ url, hmac_secret: "the-secret" })))
      assert.match(created, /url +http:\/\/127\.0\.0\.1/)
      assert.notInclude(created, "the-secret")
      assertRefused(yield* create("url"), "standard input must have", 2)
      assertRefused(yield* create("{}"), "config.url")
      assert.match(ok(yield* run("channels", "list")), /on-call +webhook +active/)
      assert.strictEqual(ok(yield* run("channels", "test", "on-call")), "on-call accepted a test message (200)\n")
      status = 500
      assertRefused(yield* run("channels", "test", "on-call"), "did not accept the test message (500): it answered 500")
      assert.strictEqual(ok(yield* run("channels", "disable", "on-call")), "disabled on-call\n")
      assert.match(ok(yield* run("channels", "show", "on-call")), /state +inactive/)
      assert.strictEqual(ok(yield* run("channels", "enable", "on-call")), "enabled on-call\n")
      assert.isTrue(JSON.parse(ok(yield* run("channels", "show", "on-call", "--json"))).is_active)
      assert.match(ok(yield* run("channels", "delete", "on-call", "--yes")), /^deleted the channel on-call/)
      assertRefused(yield* run("channels", "show", "on-call"), "no such channel: on-call")
    }))
})
