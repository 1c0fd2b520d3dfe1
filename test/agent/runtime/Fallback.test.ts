import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync } from "node:fs"
import { createServer, request as httpRequest } from "node:http"
import { connect } from "node:net"
import type { Duplex } from "node:stream"
import { diagnose } from "../../../src/agent/runtime/Doctor.ts"
import { freshAgent } from "../../agent.ts"
import { baseUrl, freshProject, serverOn } from "../../brain.ts"
import { temporaryHome } from "../../databases.ts"
import { MemoryEngine } from "../engines/memory.ts"
import { drained, optionsFor, started, statusOf } from "./agents.ts"

/** A proxy of the usual kind, which may let upgrades through or not. */
const proxyTo = (target: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { hostname, port } = new URL(target)
      const manners: { upgrades: "pass" | "refuse" | "swallow"; seen: Array<string>; clock: number } = {
        upgrades: "refuse",
        seen: [],
        clock: 0
      }
      const server = createServer((incoming, outgoing) => {
        manners.seen.push(`${incoming.method} ${incoming.url?.split("?")[0]}`)
        const forward = httpRequest({
          hostname,
          port,
          method: incoming.method,
          path: incoming.url,
          headers: incoming.headers
        }, (response) => {
          outgoing.writeHead(response.statusCode ?? 502, {
            ...response.headers,
            date: new Date(Date.now() + manners.clock).toUTCString()
          })
          response.pipe(outgoing)
        })
        forward.on("error", () => outgoing.destroy())
        outgoing.on("close", () => forward.destroy())
        incoming.pipe(forward)
      })
      const upgraded = new Set<Duplex>()
      server.on("upgrade", (incoming, socket) => {
        upgraded.add(socket) // which the server knows no more
        socket.on("error", () => {})
        manners.seen.push("upgrade")
        if (manners.upgrades === "swallow") return
        if (manners.upgrades === "refuse") {
          return socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        }
        const through = connect(Number(port), hostname, () => {
          const lines = incoming.rawHeaders.flatMap((
            name,
            index,
            all
          ) => (index % 2 === 0 ? [`${name}: ${all[index + 1]}`] : []))
          through.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`)
          through.pipe(socket).pipe(through)
        })
        through.on("error", () => socket.destroy())
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const address = server.address()
      return { manners, server, upgraded, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}` }
    }),
    ({ server, upgraded }) =>
      Effect.promise(() => {
        server.closeAllConnections()
        for (const socket of upgraded) socket.destroy()
        return new Promise<void>((resolve) => server.close(() => resolve()))
      })
  )

layer(serverOn("SQLite", { agentHeartbeat: 1 }), { excludeTestServices: true })("an agent behind a proxy", (it) => {
  it.scoped("that lets no upgrade through falls back on long-poll, and goes back when it does", () =>
    Effect.gen(function*() {
      const project = yield* freshProject()
      const credentials = yield* freshAgent(project)
      const proxy = yield* proxyTo(yield* baseUrl)
      const shop = new MemoryEngine()
      const agent = yield* started(
        yield* optionsFor(proxy.url, credentials, { engines: [shop.engine], webSocketRetrySeconds: 2 })
      )
      yield* statusOf(agent, ({ transport }) => transport === "longpoll")
      assert.isAtLeast(proxy.manners.seen.filter((line) => line === "upgrade").length, 2)
      assert.match(agent.lines.join(), /WebSockets do not reach the brain/)
      shop.work(shop.enqueue())
      yield* drained(agent)
      assert.include(proxy.manners.seen, "POST /api/v1/agent/events")
      proxy.manners.upgrades = "pass"
      yield* statusOf(agent, ({ transport }) => transport === "websocket")
      shop.work(shop.enqueue())
      yield* drained(agent)
      assert.strictEqual(agent.status().lostEvents, 0)
    }))

  it.scoped("that swallows upgrades without a word keeps no event back either", () =>
    Effect.gen(function*() {
      const credentials = yield* freshAgent(yield* freshProject())
      const proxy = yield* proxyTo(yield* baseUrl)
      proxy.manners.upgrades = "swallow"
      const shop = new MemoryEngine()
      const agent = yield* started(yield* optionsFor(proxy.url, credentials, { engines: [shop.engine] }))
      shop.work(shop.enqueue())
      // two handshakes of ten seconds, and the wait between them
      yield* statusOf(agent, ({ transport }) => transport === "longpoll")
      yield* drained(agent)
      assert.match(agent.lines.join(), /No hello_ack came within 10 seconds.*the agent uses long-poll/)
      assert.strictEqual(agent.status().lostEvents, 0)
    }))

  it.scoped("does not fall back where its options forbid it", () =>
    Effect.gen(function*() {
      const credentials = yield* freshAgent(yield* freshProject())
      const proxy = yield* proxyTo(yield* baseUrl)
      const agent = yield* started(yield* optionsFor(proxy.url, credentials, { transport: "ws" }))
      yield* statusOf(agent, () => proxy.manners.seen.length >= 3)
      assert.deepStrictEqual([...new Set(proxy.manners.seen)], ["upgrade"])
    }))

  it.scoped("the doctor finds each flaw, and says what to do", () =>
    Effect.gen(function*() {
      const { hmac_secret, token } = yield* freshAgent(yield* freshProject())
      const other = yield* freshAgent(yield* freshProject())
      const base = yield* baseUrl
      const proxy = yield* proxyTo(base)
      const home = yield* temporaryHome
      const right = { brainUrl: base, token, hmacSecret: hmac_secret, home }
      const readFindings = (options: Parameters<typeof diagnose>[0], websocket = true) =>
        Effect.map(diagnose(options, { websocket }), (findings) => ({
          statuses: Object.fromEntries(findings.map(({ check, status }): [string, string] => [check, status])),
          failed: findings.filter(({ status }) => status === "failed").map(({ detail }) => detail).join(" ")
        }))
      const well = {
        settings: "ok",
        dns: "ok",
        folder: "ok",
        tcp: "ok",
        tls: "skipped",
        token: "ok",
        clock: "ok",
        signature: "ok"
      }
      assert.deepStrictEqual((yield* readFindings(right)).statuses, well)
      assert.deepStrictEqual((yield* readFindings(right, false)).statuses, well)
      const blocked = yield* readFindings({ ...right, brainUrl: proxy.url })
      assert.deepStrictEqual(blocked.statuses, { ...well, signature: "failed" })
      assert.match(blocked.failed, /--no-websocket/)
      assert.deepStrictEqual((yield* readFindings({ ...right, brainUrl: proxy.url }, false)).statuses, well)
      for (
        const [seconds, status, expected] of [[90, "failed", /behind the brain's; 60 s are allowed/], [
          -90,
          "failed",
          /ahead of/
        ], [30, "ok", /^$/]] as const
      ) {
        proxy.manners.clock = seconds * 1000
        const skewed = yield* readFindings({ ...right, brainUrl: proxy.url }, false)
        assert.deepStrictEqual(skewed.statuses, { ...well, clock: status })
        assert.match(skewed.failed, expected)
      }
      for (const websocket of [true, false]) {
        const unsigned = yield* readFindings({ ...right, hmacSecret: other.hmac_secret }, websocket)
        assert.deepStrictEqual(unsigned.statuses, { ...well, signature: "failed" })
        assert.match(unsigned.failed, /SVC_AGENT_HMAC_SECRET/)
        const unknown = yield* readFindings({ ...right, token: "svc_nobody" }, websocket)
        assert.deepInclude(unknown.statuses, { tcp: "ok", token: "failed", signature: "skipped" })
      }
      assert.deepStrictEqual(readdirSync(home), [], "the doctor left something behind")
      const unreachable = yield* readFindings({ ...right, brainUrl: "http://127.0.0.1:1" })
      assert.deepInclude(unreachable.statuses, { dns: "ok", tcp: "failed", token: "skipped" })
      const nowhere = yield* readFindings({ ...right, brainUrl: "https://no-such-host.invalid" })
      assert.deepInclude(nowhere.statuses, { dns: "failed", tcp: "skipped" })
      const nothing = yield* readFindings({ ...right, brainUrl: "" })
      assert.deepStrictEqual(nothing.statuses, { settings: "failed" })
      const untrusted = yield* readFindings({ ...right, brainUrl: base.replace("http:", "https:") })
      assert.deepInclude(untrusted.statuses, { tcp: "ok", tls: "failed", token: "skipped" })
    }))
})
