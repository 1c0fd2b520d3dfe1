import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer, Option, TestClock } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import { connect } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import {
  AuditOutbound,
  Outbound,
  type OutboundFailed,
  OutboundRefused,
  type OutboundRequest,
  Resolver
} from "../../../src/services/kernel/Outbound.ts"
import { settingsOn } from "../../databases.ts"
import { freePort, portOf } from "../../ports.ts"
import { makeReceiver } from "../alerting/Channels/receiver.ts"

/** A server of 127.0.0.1; its port, and what it was asked. */
const serverOf = (respond: RequestListener) =>
  Effect.gen(function*() {
    const seen: Array<IncomingMessage> = []
    const server = createServer((request, response) => {
      seen.push(request)
      respond(request, response)
    })
    return { port: yield* portOf(server), seen }
  })

const local = ["127.0.0.0/8:*"]

/** The service, for which the only fake thing is the DNS: what a name resolves to at its first lookup, its second …; the last stays. */
const outbound = (
  names: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>,
  allowed: ReadonlyArray<string> = []
) => {
  const lookups: Array<string> = []
  const resolver = Layer.succeed(Resolver, {
    addresses: (host: string) =>
      Effect.suspend(() => {
        lookups.push(host)
        const results = names[host] ?? []
        const addresses = results[Math.min(lookups.filter((name) => name === host).length, results.length) - 1]
        return addresses === undefined ? Effect.fail("ENOTFOUND") : Effect.succeed(addresses)
      })
  })
  const layer = Outbound.layer.pipe(
    Layer.provide(resolver),
    Layer.provide(settingsOn("SQLite", { outboundAllowCidrs: allowed }))
  )
  return Effect.map(Layer.build(layer), (context) => {
    const use = <A, E>(body: (service: Outbound) => Effect.Effect<A, E>) =>
      Effect.provide(Effect.flatMap(Outbound, body), context)
    return {
      lookups,
      call: (url: string, more: Partial<OutboundRequest> = {}) =>
        use((service) => service.call({ url, method: "POST", headers: {}, body: "{}", plainHttp: true, ...more })),
      check: (url: string, plainHttp = true) => use((service) => service.check(url, { plainHttp }))
    }
  })
}

/** The port of a program that is stopped, with as many connections as wait for it: the kernel accepts no further one. */
const stoppedServer = Effect.gen(function*() {
  const port = yield* freePort
  const listen = `require("node:net").createServer().listen({ port: ${port}, host: "127.0.0.1", backlog: 1 },
    () => console.log("listens"))`
  yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, ["-e", listen], { stdio: ["ignore", "pipe", "inherit"] })
      await once(child.stdout, "data")
      child.kill("SIGSTOP")
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  yield* Effect.acquireRelease(
    Effect.sync(() => Array.from({ length: 8 }, () => connect(port, "127.0.0.1").on("error", () => {}))),
    (sockets) => Effect.sync(() => sockets.forEach((socket) => socket.destroy()))
  )
  return port
})

const ok: RequestListener = (_request, response) => response.end("fine")

describe("outbound calls", () => {
  it.scoped("are refused for each way to write an internal address, without a connection", () =>
    Effect.gen(function*() {
      const { port, seen } = yield* serverOf(ok)
      const { call, lookups } = yield* outbound({ "localhost": [["127.0.0.1"]], "localhost.": [["127.0.0.1"]] })
      const hosts = [
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "017700000001",
        "127.0.0.1.",
        "%31%32%37.0.0.1",
        "１２７.0.0.1",
        "0.0.0.0",
        "0",
        "127.0.0.0x1",
        "①②⑦.⓪.⓪.①",
        "127。0。0。1",
        "[::1]",
        "[::]",
        "[::127.0.0.1]",
        "[fe80::1]",
        "[fec0::1]",
        "[fd00::1]",
        "[fd00:ec2::254]",
        "[ff02::1]",
        "[2001:0:4136:e378:8000:63bf:80ff:fffe]",
        "[64:ff9b:1::127.0.0.1]",
        "[::ffff:127.0.0.1]",
        "[0:0:0:0:0:ffff:7f00:1]",
        "[64:ff9b::127.0.0.1]",
        "[64:ff9b:1:7f00:0:100::]",
        "[2002:7f00:1::]",
        "169.254.169.254",
        "100.64.0.1",
        "198.18.0.1",
        "localhost",
        "localhost."
      ]
      for (const host of hosts) {
        const error = yield* Effect.flip(call(`http://${host}:${port}/`))
        assert.strictEqual(error._tag, "OutboundRefused", host)
        assert.match(error.why, /^an address of its host is not called \(\w+\); SVC/, host)
      }
      assert.strictEqual((yield* Effect.flip(call(`http://[fe80::1%25eth0]:${port}/`)))._tag, "OutboundRefused")
      assert.deepStrictEqual(lookups, ["localhost", "localhost."], "an address is not looked up")
      assert.lengthOf(seen, 0)
    }))

  it.scoped("check every address of a name", () =>
    Effect.gen(function*() {
      const { check } = yield* outbound({
        "public.example": [["93.184.216.34", "2606:4700::1111"]],
        "half.example": [["93.184.216.34", "10.0.0.1"]],
        "v6.example": [["93.184.216.34", "fe80::1%eth0"]],
        "loopback6.example": [["::1"]],
        "zone.example": [["fe80::1%1"]],
        "local.example": [["fd12:3456::1"]],
        "mapped.example": [["::ffff:10.0.0.1"]],
        "nat64.example": [["64:ff9b::a00:1"]],
        "sixtofour.example": [["2002:a00:1::1"]],
        "metadata.example": [["169.254.169.254"]],
        "azure.example": [["168.63.129.16"]],
        "nonsense.example": [["no address"]],
        "empty.example": [[]]
      })
      yield* check("https://public.example/hook")
      const names = ["half", "v6", "loopback6", "zone", "local", "mapped", "nat64", "sixtofour", "metadata", "azure"]
      for (const name of [...names, "nonsense", "empty", "missing"]) {
        assert.strictEqual((yield* Effect.flip(check(`https://${name}.example/hook`)))._tag, "OutboundRefused", name)
      }
    }))

  it.scoped("go to the address that was checked: a name is not asked again on the way", () =>
    Effect.gen(function*() {
      const { port, seen } = yield* serverOf(ok)
      const { call, lookups } = yield* outbound({ "hooks.example": [["127.0.0.1"], ["10.0.0.1"]] }, local)
      const url = `http://hooks.example:${port}/path?query=1`
      assert.deepInclude(yield* call(url, { headers: { "x-own": "1" } }), { status: 200, body: "fine" })
      assert.deepStrictEqual(lookups, ["hooks.example"])
      assert.strictEqual(seen[0]?.headers.host, `hooks.example:${port}`)
      assert.strictEqual(seen[0]?.url, "/path?query=1")
      assert.strictEqual(seen[0]?.headers["x-own"], "1")
      yield* call(url)
      assert.lengthOf(lookups, 1, "remembered for half a minute")
      yield* TestClock.adjust("31 seconds")
      const rebound = yield* Effect.flip(call(url))
      assert.strictEqual(rebound._tag, "OutboundRefused", "although a connection to the old address is still open")
      assert.lengthOf(seen, 2)
    }))

  it.scoped("go to a checked address only, also while the results of the name server change from call to call", () =>
    Effect.gen(function*() {
      const { port, seen } = yield* serverOf(ok)
      const inner = yield* serverOf(ok)
      const rounds = 20
      const results = Array.from({ length: rounds }, (_, index) => (index % 2 === 0 ? ["127.0.0.1"] : ["127.0.0.2"]))
      const { call } = yield* outbound({ "hooks.example": results }, ["127.0.0.1:*"])
      const outcomes = yield* Effect.forEach(results, () =>
        Effect.zipRight(
          TestClock.adjust("31 seconds"),
          Effect.match(Effect.zip(call(`http://hooks.example:${port}/`), call(`http://hooks.example:${port}/`)), {
            onFailure: ({ _tag }) => _tag,
            onSuccess: ([{ status }]) => String(status)
          })
        ))
      assert.deepStrictEqual(outcomes, results.map((_, index) => (index % 2 === 0 ? "200" : "OutboundRefused")))
      assert.lengthOf(seen, rounds)
      assert.lengthOf(inner.seen, 0)
    }))

  it.scoped("go to an internal address only at the ports that its setting names, and by the setting of their own", () =>
    Effect.gen(function*() {
      const { port, seen } = yield* serverOf(ok)
      const isRefusal = (result: Exit.Exit<unknown, OutboundRefused | OutboundFailed>) =>
        Exit.isFailure(result) && Cause.squash(result.cause) instanceof OutboundRefused
      const url = `http://127.0.0.1:${port}/`
      const isRefused = (allowed: ReadonlyArray<string>) =>
        Effect.flatMap(outbound({}, allowed), ({ call }) => Effect.map(Effect.exit(call(url)), isRefusal))
      for (const allowed of [["127.0.0.1"], [`127.0.0.1:${port - 1}`], [`127.0.0.1:1-${port - 1}`], ["[::1]:*"]]) {
        assert.isTrue(yield* isRefused(allowed), allowed.join())
      }
      for (
        const allowed of [[`127.0.0.1:${port}`], [`127.0.0.0/8:${port - 1}-${port + 1}`], ["10.0.0.1", "127.0.0.1:*"]]
      ) {
        assert.isFalse(yield* isRefused(allowed), allowed.join())
      }
      assert.lengthOf(seen, 3)

      const request = { url, method: "GET", headers: {}, plainHttp: true } as const
      const callBoth = Effect.all([
        Effect.flatMap(Outbound, ({ call }) => Effect.exit(call(request))),
        Effect.flatMap(AuditOutbound, ({ call }) => Effect.exit(call(request)))
      ]).pipe(
        Effect.map((exits) => exits.map(isRefusal)),
        Effect.provide(Layer.merge(Outbound.layer, AuditOutbound.layer)),
        Effect.provide(Resolver.layer)
      )
      const only = `127.0.0.1:${port}`
      const channels = Effect.provide(callBoth, settingsOn("SQLite", { outboundAllowCidrs: [only] }))
      assert.deepStrictEqual(yield* channels, [false, true])
      const audit = Effect.provide(callBoth, settingsOn("SQLite", { auditWebhookAllowCidrs: [only] }))
      assert.deepStrictEqual(yield* audit, [true, false])
    }))

  it.scoped("name the host to a TLS server, and not the address", () =>
    Effect.gen(function*() {
      let named = ""
      const server = createTlsServer({
        SNICallback: (name, callback) => {
          named = name
          callback(new Error("that is all we wanted to know"))
        }
      })
      const port = yield* portOf(server)
      const { call } = yield* outbound({ "hooks.example": [["127.0.0.1"]] }, local)
      assert.strictEqual(
        (yield* Effect.flip(call(`https://hooks.example:${port}/`, { plainHttp: false })))._tag,
        "OutboundFailed"
      )
      assert.strictEqual(named, "hooks.example")
    }))

  it.scoped("follow no redirect", () =>
    Effect.gen(function*() {
      const inner = yield* serverOf(ok)
      const outer = yield* serverOf((_request, response) =>
        response.writeHead(307, { location: `http://127.0.0.2:${inner.port}/` }).end()
      )
      const { call } = yield* outbound({ "hooks.example": [["127.0.0.1"]] }, local)
      assert.strictEqual((yield* call(`http://hooks.example:${outer.port}/`)).status, 307)
      assert.lengthOf(inner.seen, 0)
    }))

  it.scoped("read no proxy from the environment, and trust an authority of a file only", () =>
    Effect.gen(function*() {
      const proxy = yield* serverOf(ok)
      const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "NODE_USE_ENV_PROXY"]
        .concat("all_proxy", "npm_config_proxy", "npm_config_https_proxy", "GLOBAL_AGENT_HTTP_PROXY")
      const before = names.map((name) => process.env[name])
      yield* Effect.acquireRelease(
        Effect.sync(() => names.forEach((name) => (process.env[name] = `http://127.0.0.1:${proxy.port}`))),
        () =>
          Effect.sync(() =>
            names.forEach((name, index) => {
              const value = before[index]
              if (value === undefined) Reflect.deleteProperty(process.env, name)
              else process.env[name] = value
            })
          )
      )
      const receiver = yield* serverOf(ok)
      const { call } = yield* outbound({ "hooks.example": [["127.0.0.1"]] }, local)
      assert.strictEqual((yield* call(`http://hooks.example:${receiver.port}/`)).status, 200)
      assert.deepStrictEqual([receiver.seen.length, proxy.seen.length], [1, 0])

      const tls = yield* makeReceiver // its certificate is of the test's own authority
      const unknown = yield* Effect.flip(call(`https://hooks.example:${tls.port}/`, { plainHttp: false }))
      assert.match(unknown.why, /UNABLE_TO_VERIFY|SELF_SIGNED/)
      assert.lengthOf(tls.seen, 0)
    }))

  it.scoped("take https only, unless it is said, and no user name", () =>
    Effect.gen(function*() {
      const { check, lookups } = yield* outbound({ "hooks.example": [["93.184.216.34"]] })
      const refusedUrls = [
        ["http://hooks.example/", false],
        ["ftp://hooks.example/", true],
        ["file:///etc/passwd", true],
        ["gopher://hooks.example/", true],
        ["https://user@hooks.example/", true],
        ["https://user:secret@hooks.example/", true],
        ["https://:secret@hooks.example/", true],
        ["//hooks.example/", true],
        ["hooks.example", true],
        ["", true]
      ] as const
      for (const [url, plainHttp] of refusedUrls) {
        const error = yield* Effect.flip(check(url, plainHttp))
        assert.strictEqual(error._tag, "OutboundRefused", url)
        assert.notInclude(error.why, "secret")
      }
      assert.lengthOf(lookups, 0)
      yield* check("https://hooks.example:8443/", false)
      yield* check("http://hooks.example/", true)
    }))

  it.scoped("keep 8 KiB of a response that does not end", () =>
    Effect.gen(function*() {
      const { port } = yield* serverOf((_request, response) => {
        const more = () => {
          while (!response.destroyed && response.write("x".repeat(1000)));
        }
        response.on("drain", more).on("error", () => {})
        more()
      })
      const { call } = yield* outbound({}, local)
      assert.lengthOf((yield* call(`http://127.0.0.1:${port}/`)).body, 8192)
    }))

  it.scoped("end in time, whatever does not come", () =>
    Effect.gen(function*() {
      const { port } = yield* serverOf(() => {})
      const { call } = yield* outbound({}, local)
      const late = yield* Effect.fork(Effect.flip(call(`http://127.0.0.1:${port}/`, { timeout: "3 seconds" })))
      yield* TestClock.adjust("3 seconds")
      assert.include(yield* late, { _tag: "OutboundFailed", why: "there was no answer in time" })
      const closedPort = yield* Effect.flip(call("http://127.0.0.1:1/"))
      assert.include(closedPort, { _tag: "OutboundFailed", why: "the connection was refused (ECONNREFUSED)" })
    }))

  it.scopedLive("take 5 s to connect, of the 10 s in all", () =>
    Effect.gen(function*() {
      const port = yield* stoppedServer
      const { call } = yield* outbound({}, local)
      const begun = performance.now()
      assert.include(yield* Effect.flip(call(`http://127.0.0.1:${port}/`)), {
        _tag: "OutboundFailed",
        why: "it cannot be connected to in time (UND_ERR_CONNECT_TIMEOUT)"
      })
      assert.isAtLeast(performance.now() - begun, 4900)
    }))

  it.scoped("take 10 s in all", () =>
    Effect.gen(function*() {
      const { port } = yield* serverOf(() => {})
      const { call } = yield* outbound({}, local)
      const late = yield* Effect.fork(Effect.flip(call(`http://127.0.0.1:${port}/`)))
      yield* TestClock.adjust("9999 millis")
      assert.isTrue(Option.isNone(yield* Fiber.poll(late)))
      yield* TestClock.adjust("1 millis")
      assert.include(yield* late, { _tag: "OutboundFailed", why: "there was no answer in time" })
    }))

  it.scoped("give up on a name server that says nothing", () =>
    Effect.gen(function*() {
      const silent = Layer.succeed(Resolver, { addresses: () => Effect.never })
      const context = yield* Layer.build(
        Outbound.layer.pipe(Layer.provide(silent), Layer.provide(settingsOn("SQLite")))
      )
      const late = yield* Effect.fork(Effect.flip(Effect.provide(
        Effect.flatMap(Outbound, (service) => service.check("https://hooks.example/", { plainHttp: false })),
        context
      )))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* late)._tag, "OutboundRefused")
    }))
})
