import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { get, type IncomingMessage } from "node:http"
import { connect } from "node:net"
import { buffer } from "node:stream/consumers"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { baseUrl, freshKey, request, serverOn } from "../brain.ts"

/** A request whose response is not decompressed. */
const raw = (path: string, headers: Readonly<Record<string, string>>) =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async () => {
      // once returns a list of what the event brought
      const [response] = await once(get(base + path, { headers }), "response") as [IncomingMessage]
      return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
    }))

layer(serverOn("SQLite"), { excludeTestServices: true })("the API page", (it) => {
  it.effect("is there for others when who opened it first left while it was made", () =>
    Effect.gen(function*() {
      const { hostname, port } = new URL(yield* baseUrl)
      yield* Effect.promise(async () => {
        const socket = connect({ host: hostname, port: Number(port) })
        await once(socket, "connect")
        await new Promise((resolve) => socket.write("GET /api/v1/docs HTTP/1.1\r\nhost: localhost\r\n\r\n", resolve))
        socket.destroy()
        await once(socket, "close")
      })
      assert.strictEqual((yield* request("GET", "/docs")).status, 200)
      assert.strictEqual((yield* request("GET", "/docs")).status, 200)
    }))

  it.effect("and the document are compressed, and not sent again while they are the same", () =>
    Effect.gen(function*() {
      for (const path of ["/api/v1/docs", "/api/v1/openapi.json"]) {
        const br = yield* raw(path, { "accept-encoding": "gzip, br;q=0.9" })
        const gzip = yield* raw(path, { "accept-encoding": "gzip, br;q=0" })
        assert.strictEqual(br.headers["content-encoding"], "br")
        assert.strictEqual(gzip.headers["content-encoding"], "gzip")
        assert.strictEqual(br.headers["cache-control"], "no-cache")
        assert.deepStrictEqual(brotliDecompressSync(br.body), gunzipSync(gzip.body))
        assert.isBelow(br.body.length, 80_000)
        const again = yield* raw(path, { "if-none-match": br.headers.etag ?? "" })
        assert.strictEqual(again.status, 304)
        assert.strictEqual(again.body.length, 0)
      }
    }))
})

layer(serverOn("SQLite"), { excludeTestServices: true })("the pages for people", (it) => {
  it.effect("of the API runs no script, asks no other host for anything, and has every operation", () =>
    Effect.gen(function*() {
      const { headers, text } = yield* request("GET", "/docs")
      const policy = headers.get("content-security-policy") ?? ""
      assert.match(policy, /^default-src 'none'; script-src 'none'; style-src 'sha256-[^ ]+';/)
      assert.notInclude(policy, "unsafe")
      assert.notMatch(text, /<script|<iframe|<object| style=|@import|url\(/)
      assert.deepStrictEqual(text.match(/(src|href)="(https?:)?\/\/[^"]*"/g) ?? [], [])
      const { paths }: { paths: Record<string, Record<string, { operationId: string }>> } =
        (yield* request("GET", "/openapi.json")).json
      const ids = Object.values(paths).flatMap((methods) =>
        Object.values(methods).map(({ operationId }) => operationId)
      )
      assert.deepStrictEqual(ids.filter((id) => !text.includes(`<details id="${id}">`)), [])
    }))

  it.effect("at the bare address says whether the first admin is there, and where things are", () =>
    Effect.gen(function*() {
      const before = yield* request("GET", "//")
      assert.strictEqual(before.status, 200)
      assert.include(before.text, "has no admin yet")
      assert.include(before.text, "href=\"api/v1/docs\"")
      assert.include(before.text, "rel=\"icon\" href=\"data:")
      assert.match(
        before.headers.get("content-security-policy") ?? "",
        /^default-src 'none'; script-src 'none'; .*img-src data:$/
      )
      yield* freshKey({ isAdmin: true })
      assert.include((yield* request("GET", "//")).text, "svc login")
    }))
})
