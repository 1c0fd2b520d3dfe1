import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "vitest"
import WebSocket, { WebSocketServer } from "ws"
import { encodeTextMessages } from "../../src/gateway/TextMessages.ts"

describe("text messages", () => {
  it("arrive as they are, of any length, between what the library writes", async () => {
    const texts = ["", "a", "x".repeat(125), "y".repeat(126), "ü".repeat(32_767), "z".repeat(65_536), "{\"end\":1}"]
    const server = createServer()
    const wss = new WebSocketServer({ noServer: true, perMessageDeflate: false })
    server.on("upgrade", (request, socket, head) => {
      wss.handleUpgrade(request, socket, head, (ws) => {
        ws.send("first")
        socket.write(encodeTextMessages(texts))
        ws.ping()
        ws.send("last")
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const received: Array<string> = []
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`) // listens on TCP
    await new Promise<void>((resolve) => {
      client.on("message", (data: Buffer, isBinary) => {
        assert.isFalse(isBinary)
        received.push(data.toString())
        if (data.toString() === "last") resolve()
      })
    })
    client.terminate()
    server.close()
    assert.deepStrictEqual(received, ["first", ...texts, "last"])
  })
})
