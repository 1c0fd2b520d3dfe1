import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { randomInt } from "node:crypto"
import { createServer, type Socket } from "node:net"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import { type ChannelTypes, ChannelTypes as Types } from "../../../../src/services/alerting/Channels/ChannelTypes.ts"
import { Outbound, Resolver } from "../../../../src/services/kernel/Outbound.ts"
import { settingsOn } from "../../../databases.ts"
import { until } from "../../../until.ts"
import { deliveryId, flawOf, makeReceiver, notification, send } from "./receiver.ts"

const config = {
  smtp_host: "smtp.example",
  smtp_port: 2525,
  smtp_user: "alerts@shop.example",
  smtp_pass: "the smtp password",
  to_addrs: ["ada@shop.example", "grace@shop.example"]
}

interface Mail {
  readonly raw: string
  readonly isSecure: boolean
  readonly to: ReadonlyArray<string>
}

const refusal = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode })

/** A mail server at port 2525 of an address of its own, since the contract names the ports; TLS under the test's CA. */
const overServer = <A, E>(
  options: SMTPServerOptions,
  use: (server: { readonly mails: ReadonlyArray<Mail>; readonly logins: ReadonlyArray<string> }) => Effect.Effect<
    A,
    E,
    ChannelTypes
  >
) =>
  Effect.gen(function*() {
    const { cert, key, settings } = yield* makeReceiver
    const mails: Array<Mail> = []
    const logins: Array<string> = []
    const address = `127.${randomInt(1, 255)}.${randomInt(0, 255)}.${randomInt(1, 255)}`
    const server = new SMTPServer({
      cert,
      key,
      closeTimeout: 100,
      onAuth: ({ password = "", username = "" }, session, callback) => {
        logins.push(`${username}:${password}:${session.secure}`)
        callback(null, { user: username })
      },
      onData: (stream, session, callback) => {
        const chunks: Array<Buffer> = []
        stream.on("data", (chunk: Buffer) => chunks.push(chunk))
        stream.on("end", () => {
          mails.push({
            raw: Buffer.concat(chunks).toString("utf8").replace(/\r\n[ \t]+/g, " "),
            isSecure: session.secure,
            to: session.envelope.rcptTo.map((one) => one.address)
          })
          callback()
        })
      },
      ...options
    })
    server.on("error", () => {}) // a client that goes away
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => void server.listen(2525, address, () => resume(Effect.void))),
      () => Effect.async<void>((resume) => server.close(() => resume(Effect.void)))
    )
    const layer = Types.layer.pipe(
      Layer.provide(Outbound.layer),
      Layer.provide(Layer.succeed(Resolver, { addresses: () => Effect.succeed([address]) })),
      Layer.provide(settingsOn("SQLite", settings))
    )
    return yield* Effect.provide(use({ mails, logins }), layer)
  })

const headerOf = (mail: Mail | undefined, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)\r$`, "im").exec(mail?.raw ?? "")?.[1]

describe("a mail", () => {
  it.scoped("goes over STARTTLS after signing in, as text and HTML, in the thread of its condition", () =>
    overServer({}, ({ logins, mails }) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* send("email", config)).response_code, 250)
        yield* send("email", config, { kind: "recovered", title: "<b>x</b>" })
        yield* send("email", config, { dedup_key: "another condition" })
        const [first, second, third] = mails
        assert.deepStrictEqual(logins.slice(0, 1), ["alerts@shop.example:the smtp password:true"])
        assert.isTrue(first?.isSecure)
        assert.deepStrictEqual(first?.to, config.to_addrs)
        assert.strictEqual(headerOf(first, "From"), "alerts@shop.example")
        assert.strictEqual(headerOf(first, "Subject"), "[shop] shop.charge fails with CardDeclined")
        assert.strictEqual(headerOf(first, "Message-ID"), `<${deliveryId}@shop.example>`)
        assert.strictEqual(headerOf(first, "List-Unsubscribe"), "<mailto:alerts@shop.example?subject=Unsubscribe>")
        assert.strictEqual(headerOf(first, "Auto-Submitted"), "auto-generated")
        const threads = mails.map((mail) => headerOf(mail, "References"))
        assert.match(threads[0] ?? "", /^<svc-[0-9a-f]{32}@shop\.example>$/)
        assert.strictEqual(threads[0], threads[1])
        assert.notStrictEqual(threads[0], threads[2])
        assert.strictEqual(headerOf(second, "Subject"), "Re: [shop] <b>x</b>")
        assert.include(second?.raw, "Recovered: &lt;b&gt;x")
        assert.match(third?.raw ?? "", /text\/plain[\s\S]*12 times since[\s\S]*text\/html[\s\S]*<h2/)
      })))

  it.scoped("waits where the server is greylisting or busy, and is over where the server refuses for good", () => {
    let refused: Error | undefined
    let refusedData: Error | undefined
    let refusedLogin: Error | undefined
    const options: SMTPServerOptions = {
      onRcptTo: ({ address }, _session, callback) =>
        callback(address.startsWith("grace") || refused?.message.startsWith("all") ? refused : null),
      onData: (stream, _session, callback) => {
        stream.resume()
        stream.on("end", () => callback(refusedData ?? null))
      },
      onAuth: (_auth, _session, callback) => callback(refusedLogin ?? null, { user: "x" })
    }
    return overServer(options, () =>
      Effect.gen(function*() {
        const failure = Effect.flip(send("email", config))
        refused = refusal(451, "all 4.7.1 Greylisted, try again")
        assert.deepInclude(yield* failure, { fault: "moment", response_code: 451 })
        refused = refusal(451, "4.7.1 Greylisted")
        assert.deepInclude(yield* failure, { fault: "moment", response_code: 451 }, "one of two recipients")
        refused = refusal(550, "5.1.1 No such user")
        const partly = yield* send("email", config)
        assert.match(partly.response_body ?? "", /1 of the recipients were refused: 550/)
        refused = refusal(550, "all 5.1.1 No such user grace@shop.example")
        const unknown = yield* failure
        assert.strictEqual(unknown.response_code, 550)
        assert.notInclude(unknown.reason, "grace@")
        refused = undefined
        refusedData = refusal(554, "5.7.1 Message refused as spam")
        assert.deepInclude(yield* failure, { fault: "message", response_code: 554 })
        refusedData = refusal(452, "4.3.1 Disk full")
        assert.deepInclude(yield* failure, { fault: "moment", response_code: 452 })
        refusedLogin = refusal(535, "5.7.8 Wrong password the smtp password")
        const login = yield* failure
        assert.deepInclude(login, { fault: "channel", response_code: 535 })
        assert.notInclude(JSON.stringify(login), config.smtp_pass)
        refusedLogin = refusal(454, "4.7.0 Temporary failure")
        assert.strictEqual((yield* failure).fault, "moment")
      }))
  })

  it.scoped("sends no password to a server without STARTTLS, nor to one with another's certificate", () =>
    overServer(
      { hideSTARTTLS: true, disabledCommands: ["STARTTLS"], authOptional: true },
      ({ logins, mails }) =>
        Effect.gen(function*() {
          assert.strictEqual((yield* Effect.flip(send("email", config))).fault, "moment")
          assert.deepStrictEqual([logins, mails], [[], []])
        })
    ).pipe(
      Effect.zipRight(overServer({}, ({ logins }) =>
        Effect.gen(function*() {
          const other = yield* Effect.flip(send("email", { ...config, smtp_host: "other.example" }))
          assert.strictEqual(other.fault, "moment")
          assert.deepStrictEqual(logins, [])
        })))
    ))

  it.scoped("is sent to no internal address, at any port, and the check comes before the connection", () =>
    Effect.gen(function*() {
      const connections: Array<string> = []
      const address = `127.${randomInt(1, 255)}.${randomInt(0, 255)}.${randomInt(1, 255)}`
      const server = createServer((socket) => {
        connections.push(address)
        socket.on("error", () => {}).end("220 mail\r\n")
      })
      yield* Effect.acquireRelease(
        Effect.async<void>((resume) => void server.listen(2525, address, () => resume(Effect.void))),
        () => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
      )
      const lookups: Array<string> = []
      const addressesOf: Readonly<Record<string, ReadonlyArray<string>>> = {
        "local.example": [address],
        "half.example": ["93.184.216.34", address],
        "metadata.example": ["169.254.169.254"],
        "mapped.example": [`::ffff:${address}`],
        "nat64.example": ["64:ff9b::a00:1"],
        "rebinding.example": [address]
      }
      const resolver = Layer.succeed(Resolver, {
        addresses: (host: string) =>
          Effect.suspend(() => {
            lookups.push(host)
            const isFirst = lookups.filter((name) => name === host).length === 1
            if (host === "rebinding.example" && isFirst) return Effect.succeed(["93.184.216.34"])
            const found = addressesOf[host]
            return found === undefined ? Effect.fail("ENOTFOUND") : Effect.succeed(found)
          })
      })
      const layer = Types.layer.pipe(
        Layer.provide(Outbound.layer),
        Layer.provide(resolver),
        Layer.provide(settingsOn("SQLite"))
      )
      yield* Effect.gen(function*() {
        const literals = [
          address,
          "127.1",
          "0x7f000001",
          "2130706433",
          "0177.0.0.1",
          "::1",
          "::ffff:127.0.0.1",
          "fd00::1"
        ]
        const hosts = Object.keys(addressesOf).filter((host) => host !== "rebinding.example")
        for (const smtp_port of [25, 465, 587, 2525]) {
          for (const smtp_host of [...hosts, ...literals]) {
            const unsafe = { ...config, smtp_host, smtp_port }
            assert.strictEqual(yield* flawOf("email", unsafe), "config.smtp_host", `${smtp_host}:${smtp_port}`)
            // a config that was saved before: an invalid host name fails as such
            const failed = yield* Effect.either(Effect.sandbox(send("email", unsafe)))
            assert.strictEqual(failed._tag, "Left", `${smtp_host}:${smtp_port}`)
          }
          for (const smtp_host of hosts) {
            const failed = yield* Effect.flip(send("email", { ...config, smtp_host, smtp_port }))
            assert.match(failed.reason, /^not called: an address of its host is not called/, smtp_host)
          }
        }
        assert.isNull(yield* flawOf("email", { ...config, smtp_host: "rebinding.example" }))
        yield* TestClock.adjust("31 seconds")
        const rebound = yield* Effect.flip(send("email", { ...config, smtp_host: "rebinding.example" }))
        assert.include(rebound.reason, "not called: an address of its host is not called (loopback)")
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(connections, [])
    }))

  it.scopedLive("ends where a server talks without end", () =>
    Effect.gen(function*() {
      const { settings } = yield* makeReceiver
      const address = `127.${randomInt(1, 255)}.${randomInt(0, 255)}.${randomInt(1, 255)}`
      const flood = (begin: string, more: string) => (socket: Socket) => {
        const write = () => {
          while (!socket.destroyed && socket.write(more));
        }
        socket.on("drain", write).write(begin)
        write()
      }
      const manners = [
        flood("220", "x".repeat(1000)),
        flood("", "220-mail\r\n".repeat(100)),
        flood("", "220 mail\r\n".repeat(100)),
        (socket: Socket) => void socket.end("220 mail\r\n"),
        (socket: Socket) => void socket.write("220 mail\r\n", () => socket.resetAndDestroy()),
        (socket: Socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")
      ]
      const written: Array<number> = []
      let next = 0
      const server = createServer((socket) => {
        const at = next++
        socket.on("error", () => {}).on("close", () => (written[at] = socket.bytesWritten)).resume()
        manners[at]?.(socket)
      })
      yield* Effect.acquireRelease(
        Effect.async<void>((resume) => void server.listen(2525, address, () => resume(Effect.void))),
        () => Effect.async<void>((resume) => void server.close(() => resume(Effect.void)))
      )
      const layer = Types.layer.pipe(
        Layer.provide(Outbound.layer),
        Layer.provide(Layer.succeed(Resolver, { addresses: () => Effect.succeed([address]) })),
        Layer.provide(settingsOn("SQLite", settings))
      )
      for (const at of manners.keys()) {
        const failed = yield* Effect.provide(Effect.flip(send("email", config)), layer)
        assert.strictEqual(failed.fault, "moment", `${at}: ${failed.reason}`)
        assert.isBelow(failed.reason.length, 300)
      }
      yield* until(Effect.sync(() => written.filter((bytes) => bytes >= 0).length), (ended) => ended === manners.length)
      for (const bytes of written) assert.isBelow(bytes, 64 * 1024 * 1024)
    }))

  it.scoped("gets no header and no recipient by what a task or a config says", () =>
    overServer({}, ({ mails }) =>
      Effect.gen(function*() {
        const evil = "x\r\nBcc: evil@example.com\r\n\r\nbody"
        const { project } = notification()
        yield* send("email", config, {
          title: evil,
          text: "line\r\n.\r\nQUIT\r\n",
          project: project === null ? null : { ...project, slug: "shop" },
          facts: [{ name: evil, value: evil }]
        })
        assert.deepStrictEqual(mails[0]?.to, config.to_addrs)
        const [head] = mails[0]?.raw.split("\r\n\r\n") ?? []
        assert.notMatch(head ?? "", /^bcc/im)
        for (
          const flaw of [
            { to_addrs: ["a@b.example\r\nBcc: c@d.example"] },
            { to_addrs: ["a@b.example, c@d.example"] },
            { to_addrs: [] },
            { to_addrs: Array.from({ length: 51 }, (_, index) => `a${index}@b.example`) },
            { from_addr: "Alerts\r\nBcc: x <a@b.example>" },
            { from_addr: "nobody" },
            { smtp_host: "smtp.example:25" },
            { smtp_host: "smtp://smtp.example" },
            { smtp_port: 26 },
            { smtp_tls: false },
            { smtp_user: "login" },
            { smtp_pass: "" }
          ]
        ) assert.isString(yield* flawOf("email", { ...config, ...flaw }), JSON.stringify(flaw))
        assert.isNull(yield* flawOf("email", { ...config, smtp_port: 25, smtp_tls: false }))
        assert.isNull(yield* flawOf("email", { ...config, smtp_user: "login", from_addr: "Alerts <a@b.example>" }))
      })))
})
