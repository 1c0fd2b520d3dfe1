import { assert, describe, it } from "vitest"
import { SocketReader } from "../../src/gateway/SocketReader.ts"

/** A reader over a socket that records its calls; `pausing` are the messages whose handler pauses. */
const readerThatPausesAt = (...pausing: ReadonlyArray<string>) => {
  const log: Array<string> = []
  const ws = { pause: () => void log.push("socket paused"), resume: () => void log.push("socket resumed") }
  const reader: SocketReader = new SocketReader(ws, (data) => {
    log.push(String(data))
    if (pausing.includes(String(data))) reader.pause()
  }, (data) => log.push(`ping ${String(data)}`))
  const receive = (...messages: ReadonlyArray<string>) =>
    messages.forEach((message) => reader.receive(Buffer.from(message)))
  return { log, reader, receive }
}

describe("a socket's reader", () => {
  it("holds messages behind the one that paused it, and handles them in order before the socket is read on", () => {
    const { log, reader, receive } = readerThatPausesAt("b")
    receive("a", "b", "c", "d")
    assert.deepStrictEqual(log, ["a", "b", "socket paused"])
    assert.isTrue(reader.isPaused)
    reader.resume()
    receive("e")
    assert.deepStrictEqual(log, ["a", "b", "socket paused", "c", "d", "socket resumed", "e"])
  })

  it("stays paused when a message of the backlog pauses it again, and keeps what came behind it", () => {
    const { log, reader, receive } = readerThatPausesAt("a", "c")
    receive("a", "b", "c", "d")
    reader.resume()
    assert.deepStrictEqual(log, ["a", "socket paused", "b", "c", "socket paused"])
    receive("e")
    reader.resume()
    assert.deepStrictEqual(log.slice(5), ["d", "e", "socket resumed"])
  })

  it("handles a ping behind the messages that came before it", () => {
    const { log, reader, receive } = readerThatPausesAt("a")
    reader.receivePing(Buffer.from("1"))
    receive("a", "b")
    reader.receivePing(Buffer.from("2"))
    receive("c")
    assert.deepStrictEqual(log, ["ping 1", "a", "socket paused"])
    reader.resume()
    assert.deepStrictEqual(log.slice(3), ["b", "ping 2", "c", "socket resumed"])
  })

  it("reads on after as many resumes as pauses", () => {
    const { log, reader, receive } = readerThatPausesAt("a")
    receive("a", "b")
    reader.pause()
    reader.resume()
    assert.deepStrictEqual(log, ["a", "socket paused"])
    reader.resume()
    assert.deepStrictEqual(log, ["a", "socket paused", "b", "socket resumed"])
  })

  it("drops its backlog and later messages once it is closed, and leaves the socket alone", () => {
    const { log, reader, receive } = readerThatPausesAt("a")
    receive("a", "b")
    reader.close()
    reader.resume()
    reader.pause()
    receive("c")
    assert.deepStrictEqual(log, ["a", "socket paused"])
  })

  it("stops in the middle of the backlog when a message closes it", () => {
    const log: Array<string> = []
    const ws = { pause: () => {}, resume: () => void log.push("socket resumed") }
    const reader: SocketReader = new SocketReader(ws, (data) => {
      log.push(String(data))
      if (String(data) === "a") reader.pause()
      if (String(data) === "b") reader.close()
    }, () => log.push("ping"))
    for (const message of ["a", "b", "c"]) reader.receive(Buffer.from(message))
    reader.receivePing(Buffer.from("d"))
    reader.resume()
    assert.deepStrictEqual(log, ["a", "b"])
  })
})
