import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomInt } from "node:crypto"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import type { ChannelTypes } from "../../../src/services/Notifications/ChannelTypes.ts"
import { ChannelTypes as Types } from "../../../src/services/Notifications/ChannelTypes.ts"
import { Outbound, Resolver } from "../../../src/services/Outbound.ts"
import { settingsOn } from "../../databases.ts"
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
          const wrong of [
            { to_addrs: ["a@b.example\r\nBcc: c@d.example"] },
            { to_addrs: ["a@b.example, c@d.example"] },
            { to_addrs: [] },
            { to_addrs: Array.from({ length: 51 }, (_, at) => `a${at}@b.example`) },
            { from_addr: "Alerts\r\nBcc: x <a@b.example>" },
            { from_addr: "nobody" },
            { smtp_host: "smtp.example:25" },
            { smtp_host: "smtp://smtp.example" },
            { smtp_port: 26 },
            { smtp_tls: false },
            { smtp_user: "login" },
            { smtp_pass: "" }
          ]
        ) assert.isString(yield* flawOf("email", { ...config, ...wrong }), JSON.stringify(wrong))
        assert.isNull(yield* flawOf("email", { ...config, smtp_port: 25, smtp_tls: false }))
        assert.isNull(yield* flawOf("email", { ...config, smtp_user: "login", from_addr: "Alerts <a@b.example>" }))
      })))
})
