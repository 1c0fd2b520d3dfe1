import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { once } from "node:events"
import { connect as connectHttp2 } from "node:http2"
import { connected, event, longPoll } from "../agent.ts"
import { openStreamAt } from "../http/live.ts"
import { has } from "../needs.ts"
import { until } from "../until.ts"
import { adminKey } from "./brainProcess.ts"
import { callAt } from "./calls.ts"
import { type Proxy, type ProxyName, startProxy } from "./proxies/proxies.ts"
import { clientAddress } from "./proxies/tlsTunnel.ts"
import { site } from "./site.ts"

const ready = await has("nginx", "caddy", "OpenSSL")

/** The settings that docs/reverse-proxy.md names; the proxy connects from 127.0.0.1. */
const settings = { SVC_PUBLIC_URL: "https://localhost", SVC_TRUSTED_PROXIES: "127.0.0.1/32" }

/** The longest wait that agents ask for (the agents' protocol). */
const longestWaitSeconds = 30

/** A brain behind the proxy, and an agent of a new project. */
const behind = (name: ProxyName) =>
  Effect.gen(function*() {
    const brain = yield* (yield* site("SQLite", settings)).brain
    const proxy = yield* startProxy(name, brain.url)
    const token = yield* adminKey(proxy)
    const call = callAt(proxy, token)
    const project = yield* call("POST", "/projects", { slug: "shop", name: "Shop" })
    const { json } = yield* call("POST", "/projects/shop/agents", { name: "agent" })
    const agent = {
      base: proxy.url,
      agent_id: String(json.agent.id),
      project_id: String(project.json.id),
      token: String(json.token),
      hmac_secret: String(json.hmac_secret)
    }
    return { brain, proxy, token, call, agent }
  })

const sendTask = (agent: Effect.Effect.Success<ReturnType<typeof connected>>, task_id: string) =>
  Effect.promise(() => agent.sendEvents([event({ task_id })]))

/** The head of a response over HTTP/2, which browsers speak to the proxy, and its first bytes. */
const firstBytesOverHttp2 = ({ ca, httpsPort }: Proxy, path: string, token: string) =>
  Effect.acquireUseRelease(
    Effect.sync(() =>
      connectHttp2(`https://localhost:${httpsPort}`, {
        ca,
        lookup: (_name, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }])
      })
    ),
    (session) =>
      Effect.promise(async () => {
        const stream = session.request({ ":path": path, authorization: `Bearer ${token}` })
        const [headers] = await once(stream, "response")
        const [bytes] = await once(stream, "data")
        stream.close()
        return { status: Number(headers[":status"]), text: String(bytes) }
      }),
    (session) => Effect.sync(() => session.destroy())
  )

describe.skipIf(!ready).concurrent.each(["nginx", "caddy"] as const)("a brain behind %s", (name) => {
  it.scopedLive(
    "serves agents, streams, people and large bodies, and comes back after a restart",
    () =>
      Effect.gen(function*() {
        const { agent, brain, call, proxy, token } = yield* behind(name)

        // a long-poll waits as long as it may while everything else happens
        const poll = longPoll(agent)
        assert.strictEqual((yield* Effect.promise(() => poll.probe())).status, 200)
        const begin = process.hrtime.bigint()
        const waiting = yield* Effect.fork(Effect.promise(async () => {
          const { json, status } = await poll.pull(longestWaitSeconds)
          return { status, json, seconds: Number(process.hrtime.bigint() - begin) / 1e9 }
        }))

        // WebSocket, and a live stream whose events arrive one by one
        const socket = yield* connected(agent)
        const stream = yield* openStreamAt(proxy.url, "shop", token)
        for (const task_id of ["a", "b", "c"]) {
          assert.include(yield* sendTask(socket, task_id), { received: 1, accepted: 1 })
          assert.deepInclude((yield* stream.next).data, { task_id })
        }
        const { status, text } = yield* firstBytesOverHttp2(proxy, "/api/v1/projects/shop/stream", token)
        assert.strictEqual(status, 200)
        assert.match(text, /^(:|id:|event:|retry:)/)

        yield* expectAddresses(proxy, call)
        yield* expectLimits(proxy, call, poll)

        // people who type http://
        const plain = yield* Effect.promise(() =>
          fetch(`http://localhost:${proxy.httpPort}/api/v1/docs?a=b`, { redirect: "manual" })
        )
        assert.strictEqual(plain.status, 308)
        assert.match(plain.headers.get("location") ?? "", /^https:\/\/localhost(:\d+)?\/api\/v1\/docs\?a=b$/)

        const pulled = yield* Fiber.join(waiting)
        assert.strictEqual(pulled.status, 200)
        assert.deepStrictEqual(pulled.json.frames, [])
        assert.isAtLeast(pulled.seconds, longestWaitSeconds - 1)

        // a restart: 502 of the proxy while no brain runs, and then all as before
        assert.strictEqual(yield* brain.stop, 0)
        assert.strictEqual((yield* Effect.promise(() => socket.closed)).code, 1012)
        assert.strictEqual((yield* call("GET", "/projects")).status, 502)
        yield* brain.start
        yield* until(Effect.map(call("GET", "/projects"), ({ status }) => status), (status) => status === 200)
        const again = yield* connected(agent)
        assert.include(yield* sendTask(again, "d"), { accepted: 1 })
      })
  )
})

type Call = ReturnType<typeof callAt>

/** The brain knows the client's own address, whatever the client writes into the header; and the cookies are secure. */
const expectAddresses = (proxy: Proxy, call: Call) =>
  Effect.gen(function*() {
    const login = yield* Effect.promise(() =>
      fetch(`${proxy.url}/api/v1/auth/login`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-forwarded-for": "203.0.113.7",
          "x-real-ip": "203.0.113.7",
          forwarded: "for=203.0.113.7"
        },
        body: JSON.stringify({ email: "admin@example.com", password: "correct horse battery" })
      })
    )
    assert.strictEqual(login.status, 200)
    const cookies = login.headers.getSetCookie()
    assert.match(cookies.join("\n"), /__Host-svc_session=[^\n]*; Secure/)
    const sessions = yield* Effect.promise(async () => {
      const cookie = cookies.map((cookie) => cookie.split(";", 1)[0]).join("; ")
      const response = await fetch(`${proxy.url}/api/v1/auth/sessions`, { headers: { cookie } })
      return await response.text()
    })
    assert.include(sessions, `"ip_at_issue":"${clientAddress}"`)
    assert.notInclude(sessions, "203.0.113.7")
    const { text } = yield* call("GET", "/projects/shop/audit")
    assert.include(text, `"source_ip":"${clientAddress}"`)
    assert.notInclude(text, "203.0.113.7")
  })

/** Limits are the brain's: a problem document for what is too large, and no lower limit of the proxy. */
const expectLimits = (proxy: Proxy, call: Call, poll: ReturnType<typeof longPoll>) =>
  Effect.gen(function*() {
    const tooLarge = yield* call("POST", "/projects", { slug: "x", name: "x".repeat(3_000_000) })
    assert.strictEqual(tooLarge.status, 413)
    assert.deepInclude(tooLarge.json, { code: "payload_too_large", status: 413 })
    const large = Array.from({ length: 6 }, () =>
      poll.seal("event_batch", { events: [event({ data: { task_name: "shop.pay", args: ["x".repeat(900_000)] } })] }))
    const pushed = yield* Effect.promise(() =>
      poll.push(large)
    )
    assert.strictEqual(pushed.status, 200, JSON.stringify(pushed.json))
    const ids = Array.from({ length: 500 }, () => `agent_id=${crypto.randomUUID()}`).join("&")
    const long = yield* Effect.promise(() => fetch(`${proxy.url}/health?${ids}`))
    assert.strictEqual(long.status, 200)
  })
