import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { serverOn } from "../brain.ts"
import { tlsProxy } from "../e2e/tls.ts"
import { has } from "../needs.ts"
import { portOf } from "../ports.ts"
import { assertRefused, ok, visitor } from "./remote.ts"
import { svc } from "./svc.ts"
import { svcHere } from "./svcHere.ts"

const hasOpenSsl = await has("OpenSSL")

layer(serverOn("SQLite"), { excludeTestServices: true })("svc that the brain refuses or that finds none", (it) => {
  it.scoped("says which key is not accepted, what it lacks, and which project is not seen", () =>
    Effect.gen(function*() {
      const { run, settings, token } = yield* visitor({ scopes: ["agents:read"] })
      assertRefused(yield* run("tasks", "list"), "The API key lacks the scope tasks:read. The key is from SVC_API_KEY")
      assertRefused(yield* run("agents", "list", "--project", "nowhere"), "--project or SVC_PROJECT")
      const unknown = yield* svcHere(["agents", "list"], { ...settings, SVC_API_KEY: "svk_hidden" })
      assertRefused(unknown, "does not accept the API key from SVC_API_KEY")
      assert.notInclude(unknown.stderr, "hidden")
      const broken = yield* svcHere(["agents", "list"], { ...settings, SVC_API_KEY: "svk_hid\nden" })
      assertRefused(broken, "SVC_API_KEY has no valid API key")
      assert.notInclude(broken.stderr, "svk_hid")
      const { SVC_API_KEY: _, ...keyless } = settings
      assertRefused(
        yield* svcHere(["agents", "list"], { ...keyless, SVC_API_KEY_FILE: "/nowhere" }),
        "SVC_API_KEY_FILE: cannot read /nowhere"
      )
      const file = join(settings.SVC_HOME ?? "", "key")
      writeFileSync(file, `${token}\n`)
      ok(yield* svcHere(["agents", "list"], { ...keyless, SVC_API_KEY_FILE: file }))
      const viewer = yield* visitor({ role: "viewer" })
      assertRefused(yield* viewer.run("agents", "create", "shop"), "svc: ")
    }))

  it.scoped("says that nothing listens, that no svc responds, that a proxy fails, and what is wrong with TLS", () =>
    Effect.gen(function*() {
      const { base, settings } = yield* visitor()
      const listAgents = (url: string) => svc(["agents", "list"], { ...settings, SVC_URL: url })
      const served = { status: 200, body: "<html>\u001b[31m" }
      const server = createServer((_, response) => response.writeHead(served.status).end(served.body))
      const port = yield* portOf(server)
      assertRefused(yield* listAgents(`http://127.0.0.1:${port}`), "is not an svc brain, or one of another version")
      served.status = 502
      assertRefused(yield* listAgents(`http://127.0.0.1:${port}`), "a proxy before it, answered 502")
      assertRefused(yield* listAgents(`https://127.0.0.1:${port}`), "the server does not use TLS")
      yield* Effect.promise(() => new Promise((resolve) => server.close(resolve)))
      assertRefused(yield* listAgents(`http://127.0.0.1:${port}`), "cannot be reached: nothing listens there")
      assertRefused(yield* listAgents("http://nowhere.invalid"), "its host name cannot be found")
      if (!hasOpenSsl) return
      const { url } = yield* tlsProxy(base)
      assertRefused(yield* listAgents(url), "NODE_EXTRA_CA_CERTS")
    }))

  it.scoped("says that a command may have been issued when it was sent and got no response", () =>
    Effect.gen(function*() {
      const { base, connect, settings } = yield* visitor()
      yield* connect("shop")
      let status: number | null = null
      const server = createServer((request, response) => {
        const respond = async () => {
          if (request.method === "POST") {
            return status === null
              ? request.socket.destroy()
              : response.writeHead(status).end()
          }
          const { authorization = "" } = request.headers
          const forwarded = await fetch(`${base}${request.url}`, { headers: { authorization } })
          return response.writeHead(forwarded.status, { "content-type": "application/json" }).end(
            await forwarded.text()
          )
        }
        void respond()
      })
      const port = yield* portOf(server)
      const restart = svcHere(["commands", "restart", "w"], { ...settings, SVC_URL: `http://127.0.0.1:${port}` })
      assertRefused(
        yield* restart,
        /it ended the connection\), so it may have been issued\. Check svc commands list/,
        3
      )
      status = 504
      assertRefused(yield* restart, "(status 504), so it may have been issued", 3)
      status = 503 // said by a proxy that has no brain to give it to
      assertRefused(yield* restart, "svc: ")
    }))
})
