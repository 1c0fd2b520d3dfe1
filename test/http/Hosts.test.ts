import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { isBrainPath } from "../../src/http/middleware/Request.ts"
import { Settings } from "../../src/services/kernel/Settings.ts"
import { baseUrl, serverOn } from "../brain.ts"
import { until } from "../until.ts"
import { wire } from "./wire.ts"

/** The response to a request that is sent letter for letter. */
const raw = (lines: ReadonlyArray<string>) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.async<string>((resume) => {
      let response = ""
      const socket = connect(
        { host: "127.0.0.1", port: Number(new URL(base).port) },
        () => socket.write(`${lines.join("\r\n")}\r\n\r\n`)
      )
      socket.on("data", (chunk) => (response += String(chunk))).on("close", () => resume(Effect.succeed(response)))
    }))

const to = (host: string, target = "/api/v1/setup/status") => wire({ method: "GET", target, headers: { host } })

const upgrade = (host: string) =>
  raw([
    "GET /ws/agent HTTP/1.1",
    `Host: ${host}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
  ])

describe("the host names that the brain accepts", () => {
  const settings = { publicUrl: "https://svc.example.com", allowedHosts: ["Internal.Example.com", "192.0.2.7"] }

  layer(serverOn("SQLite", settings), { excludeTestServices: true })((it) => {
    it.effect("are those of its settings and of the machine itself, with any port", () =>
      Effect.gen(function*() {
        for (
          const host of [
            "svc.example.com",
            "SVC.example.com.:8443",
            "internal.example.com",
            "192.0.2.7:1",
            "127.0.0.1",
            "localhost:1",
            "[::1]:7700"
          ]
        ) {
          assert.strictEqual((yield* to(host)).status, 200, host)
        }
      }))

    it.effect("are no others, for nothing that it serves, and it says how to add one", () =>
      Effect.gen(function*() {
        for (
          const target of [
            "/",
            "/api/v1/setup/status",
            "/api/v1/projects",
            "/setup",
            "/metrics",
            "/api/v1/docs",
            "/no/such/path"
          ]
        ) {
          const response = yield* to("evil.example:7700", target)
          assert.strictEqual(response.status, 400, target)
          assert.strictEqual(response.contentType, "application/problem+json")
          assert.strictEqual(response.json.code, "host_not_allowed")
          assert.include(response.json.detail, "svc allowed-hosts add evil.example")
          assert.isString(response.headers["content-security-policy"])
        }
        for (
          const host of [
            "svc.example.com.evil.example",
            "evilsvc.example.com",
            "user@svc.example.com",
            "svc.example.com,evil.example",
            "a b",
            "127.1"
          ]
        ) {
          assert.deepInclude((yield* to(host)).json, { status: 400, code: "host_not_allowed" }, host)
        }
      }))

    it.effect("count for whole URLs and doubled headers, which are refused, and for HTTP/1.0", () =>
      Effect.gen(function*() {
        const status = (lines: ReadonlyArray<string>) =>
          Effect.map(raw([...lines, "Connection: close"]), (response) => response.slice(9, 12))
        const good = "Host: svc.example.com"
        const path = "/api/v1/setup/status"
        assert.strictEqual(yield* status([`GET ${path} HTTP/1.1`, good]), "200")
        assert.strictEqual(yield* status([`GET ${path} HTTP/1.1`, good, good]), "400")
        assert.strictEqual(yield* status([`GET ${path} HTTP/1.1`, good, "Host: evil.example"]), "400")
        assert.strictEqual(yield* status([`GET ${path} HTTP/1.1`]), "400")
        assert.strictEqual(yield* status([`GET ${path} HTTP/1.1`, "Host:"]), "400")
        assert.strictEqual(yield* status([`GET ${path} HTTP/1.0`]), "400")
        assert.strictEqual(yield* status([`GET http://svc.example.com${path} HTTP/1.1`, good]), "400")
        assert.strictEqual(yield* status([`GET http://evil.example${path} HTTP/1.1`, good]), "400")
        assert.strictEqual(yield* status([`GET ${path} HTTP/1.1`, good, "X-Forwarded-Host: evil.example"]), "200")
      }))

    it.effect("count for agents' sockets too", () =>
      Effect.gen(function*() {
        assert.match(yield* upgrade("svc.example.com"), /^HTTP\/1\.1 401 /)
        const refusal = yield* upgrade("evil.example")
        assert.match(refusal, /^HTTP\/1\.1 400 /)
        assert.include(refusal, "\"code\":\"host_not_allowed\"")
      }))

    it.effect("do not matter to who only asks whether it lives", () =>
      Effect.gen(function*() {
        for (const target of ["/health", "/health/ready", "/api/v1/health", "/api/v1/health/ready"]) {
          assert.notStrictEqual((yield* to("10.1.2.3", target)).status, 400, target)
        }
        assert.match(yield* raw(["GET /health HTTP/1.0"]), /^HTTP\/1\.1 200 /)
        assert.strictEqual((yield* to("10.1.2.3", "/api/v1/health/deep")).status, 400)
      }))

    it.effect("can be added and taken away while it runs", () =>
      Effect.gen(function*() {
        const file = join((yield* Settings).home, "allowed-hosts")
        writeFileSync(file, "# ours\nadded.example.com # since today\n\nnot a name\n")
        yield* until(to("added.example.com"), ({ status }) => status === 200)
        writeFileSync(file, "")
        yield* until(to("added.example.com"), ({ status }) => status === 400)
      }))
  })

  layer(serverOn("SQLite", { host: "0.0.0.0", publicUrl: "" }), { excludeTestServices: true })((it) => {
    it.effect("of a fresh server on all addresses are the one that was called, and no name", () =>
      Effect.gen(function*() {
        assert.strictEqual((yield* to("127.0.0.1")).status, 200)
        assert.deepInclude((yield* to("brain")).json, { status: 400, code: "host_not_allowed" })
        assert.strictEqual((yield* to("0.0.0.0")).status, 400)
      }))
  })
})

describe("the paths of the brain on a router with others", () => {
  it("are its own however they are written", () => {
    const written = [
      "/metrics",
      "/metrics/",
      "/metrics?a",
      "/METRICS",
      "/metrics;a",
      "//api/v1/tasks",
      "/api//v1",
      "/%61pi/v1/tasks",
      "/api/v1/%ff",
      "http://evil.example/api/v1",
      "http://evil?x/api/v1",
      "/%ff"
    ]
    for (const url of written) assert.isTrue(isBrainPath(url), url)
    for (const url of ["/", "/metricsx", "/shop?to=/api/v1", "/shop/api/v1", "/api", "http://a.example/shop"]) {
      assert.isFalse(isBrainPath(url), url)
    }
  })
})
