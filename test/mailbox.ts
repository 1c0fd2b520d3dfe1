import { Context, Effect, Layer, Redacted } from "effect"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import { PasswordResets } from "../src/services/identity/PasswordResets.ts"
import { Mail } from "../src/services/kernel/Mail.ts"
import type { SettingsShape } from "../src/services/kernel/Settings.ts"
import { brainOn, serverOn } from "./brain.ts"
import type { Engine } from "./databases.ts"
import { until } from "./until.ts"

export interface Received {
  /** In lower case. */
  readonly to: ReadonlyArray<string>
  readonly from: string
  /** Header lines, unfolded. */
  readonly headers: ReadonlyArray<string>
  /** Decoded. */
  readonly text: string
  readonly secure: boolean
}

const quotedPrintable = (text: string): string =>
  Buffer.from(
    text.replace(/=\r?\n/g, "").replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    "latin1"
  ).toString("utf8")

const parsed = (raw: string) => {
  const [head = "", ...rest] = raw.split("\r\n\r\n")
  const headers = head.replace(/\r\n[ \t]+/g, " ").split("\r\n")
  const encoding = headers.find((line) => /^content-transfer-encoding:/i.test(line)) ?? ""
  const body = rest.join("\r\n\r\n")
  const text = /base64/i.test(encoding)
    ? Buffer.from(body, "base64").toString("utf8")
    : /quoted/i.test(encoding)
    ? quotedPrintable(body)
    : body
  return { headers, text: text.replaceAll("\r\n", "\n") }
}

/** A real SMTP server on a port of its own, which can go away and come back, and the mails it received. */
export const smtpServer = (options: SMTPServerOptions = {}) =>
  Effect.gen(function*() {
    const received: Array<Received> = []
    let port = 0
    let server: SMTPServer | null = null
    const start = Effect.async<void>((resume) => {
      server = new SMTPServer({
        authOptional: true,
        closeTimeout: 100,
        ...options,
        onData: (stream, session, callback) => {
          const chunks: Array<Buffer> = []
          stream.on("data", (chunk: Buffer) => chunks.push(chunk))
          stream.on("end", () => {
            const { mailFrom, rcptTo } = session.envelope
            received.push({
              to: rcptTo.map(({ address }) => address.toLowerCase()),
              from: mailFrom === false ? "" : mailFrom.address,
              secure: session.secure,
              ...parsed(Buffer.concat(chunks).toString("utf8"))
            })
            callback()
          })
        }
      })
      server.on("error", () => {}) // a client that goes away
      const listening = server.listen(port, "0.0.0.0", () => {
        const address = listening.address()
        port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.void)
      })
    })
    const stop = Effect.async<void>((resume) => {
      if (server === null) return resume(Effect.void)
      server.close(() => resume(Effect.void))
      server = null
    })
    yield* Effect.acquireRelease(start, () => stop)
    return { port, received, start, stop, url: Redacted.make(`smtp://127.0.0.1:${port}`) }
  })

/** The mails that the suite's SMTP server received. */
export class Mailbox
  extends Context.Tag("test/Mailbox")<Mailbox, Effect.Effect.Success<ReturnType<typeof smtpServer>>>()
{}

const withMailbox = <A, E, R>(
  over: (smtpUrl: Redacted.Redacted) => Layer.Layer<A, E, R>,
  options: SMTPServerOptions
) =>
  Layer.unwrapScoped(
    Effect.map(smtpServer(options), (mailbox) => Layer.merge(Layer.succeed(Mailbox, mailbox), over(mailbox.url)))
  )

/** `serverOn`, with a mail server that it sends to. */
export const mailingServerOn = (engine: Engine, overrides: Partial<SettingsShape> = {}) =>
  withMailbox((smtpUrl) => serverOn(engine, { ...overrides, smtpUrl }), {})

/** `brainOn`, with a mail server that it sends to. */
export const mailingBrainOn = (
  engine: Engine,
  options: SMTPServerOptions = {},
  settings: (url: Redacted.Redacted) => Redacted.Redacted = (url) => url
) => withMailbox((smtpUrl) => brainOn(engine, { smtpUrl: settings(smtpUrl) }), options)

/** The mails to an address that came so far. */
export const mailsSoFar = (address: string) =>
  Effect.map(Mailbox, ({ received }) => received.filter(({ to }) => to.includes(address.toLowerCase())))

/** What the loops do each second. */
const tick = Effect.flatMap(PasswordResets, (resets) => resets.processRequests).pipe(
  Effect.zipRight(Effect.flatMap(Mail, (mail) => mail.deliver))
)

/** The mails to an address, once there are so many. */
export const mailsTo = (address: string, many = 1) =>
  until(Effect.zipRight(tick, mailsSoFar(address)), (mails) => mails.length >= many)

/** The token of the link in a mail. */
export const tokenIn = ({ text }: { readonly text: string }): string => /\?token=([\w-]{43})/.exec(text)?.[1] ?? ""
