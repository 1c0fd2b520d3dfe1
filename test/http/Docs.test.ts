import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { connect } from "node:net"
import { baseUrl, request, serverOn } from "../brain.ts"

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
})
