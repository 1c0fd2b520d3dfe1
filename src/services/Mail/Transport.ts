import { Data, Effect, Either, Redacted } from "effect"
import { parseSmtpUrl, senderOf } from "../../domain/Smtp.ts"
import type { DeliveryFailure } from "../Outbox/Table.ts"
import { publicUrlOf } from "../PublicUrl.ts"
import { Settings } from "../Settings.ts"

/** A letter in plain text. Whatever the fields hold, each stays in its place: none can add a header or a recipient. */
export interface MailMessage {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** A mail was not accepted. `fault` of the receiver: the server is away, offers no TLS, or refuses the password. */
export class MailRefused extends Data.TaggedError("MailRefused")<DeliveryFailure> {
  override get message() {
    return this.reason
  }
}

/** Milliseconds: to connect, to be greeted, without a word, and for all of it. */
const [connectMillis, greetingMillis, idleMillis, sendMillis] = [10_000, 10_000, 20_000, 45_000]

const readField = (error: unknown, name: string): unknown =>
  typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined

const messageErrorCodes = ["EENVELOPE", "EMESSAGE"]

const toMailRefused = (error: unknown): MailRefused => {
  const [code, response] = [String(readField(error, "code") ?? "unknown"), readField(error, "response")]
  const serverText = typeof response === "string" ? response : String(readField(error, "message") ?? "")
  // one line of the server's own words, and nobody's address
  const reason = `${code}: ${serverText.replace(/\S+@\S+/g, "…").replace(/[\p{Cc}\s]+/gu, " ").slice(0, 200)}`
  const isPermanent = readField(error, "permanent") === true || readField(error, "command") === "API"
  const isMessageError = messageErrorCodes.includes(code) && readField(error, "command") !== "MAIL FROM"
  return new MailRefused({ reason, fault: !isMessageError ? "receiver" : isPermanent ? "entry" : "moment" })
}

/** Hands mail to the server of SVC_SMTP_URL. */
export class MailTransport extends Effect.Service<MailTransport>()("svc/MailTransport", {
  effect: Effect.gen(function*() {
    const settings = yield* Settings
    if (settings.smtpUrl === null) return { isConfigured: false, send: () => dieUnconfigured, verify: dieUnconfigured }
    const server = yield* Either.mapLeft(parseSmtpUrl(Redacted.value(settings.smtpUrl)), (wrong) => `SVC_SMTP_URL ${wrong}`).pipe(
      Effect.catchAll((wrong) => Effect.dieMessage(wrong)) // the setting was read by the same rule
    )
    const { host, login, port, security } = server
    const { createTransport } = yield* Effect.promise(() => import("nodemailer")) // who sends no mail does not load it
    const transport = createTransport({
      host,
      port,
      secure: security === "tls",
      requireTLS: security === "starttls",
      // where nothing but plain text may do, a certificate that nobody vouches for is no worse
      tls: { rejectUnauthorized: security !== "optional" },
      ...(login !== null && { auth: { user: login.user, pass: login.password } }),
      connectionTimeout: connectMillis,
      greetingTimeout: greetingMillis,
      socketTimeout: idleMillis,
      disableFileAccess: true,
      disableUrlAccess: true
    })
    const from = senderOf(settings.smtpFrom, server, publicUrlOf(settings))

    const withTimeout = <A>(work: (signal: AbortSignal) => Promise<A>) =>
      Effect.tryPromise({ try: work, catch: toMailRefused }).pipe(
        Effect.timeoutFail({ duration: sendMillis, onTimeout: () => new MailRefused({ fault: "receiver", reason: "ETIMEDOUT: no end in 45 s" }) })
      )

    /** `id` makes a mail that is sent twice the same mail to who reads it. */
    const send = (id: string, { subject, text, to }: MailMessage): Effect.Effect<void, MailRefused> =>
      Effect.asVoid(withTimeout((signal) =>
        transport.sendMail({
          from,
          to: { name: "", address: to },
          subject,
          text,
          messageId: `<${id}@${from.address.split("@")[1] ?? ""}>`,
          headers: { "Auto-Submitted": "auto-generated" },
          signal
        })
      ))

    /** Connects and signs in, and sends nothing. */
    const verify: Effect.Effect<void, MailRefused> = Effect.asVoid(withTimeout(() => transport.verify()))

    return { isConfigured: true, send, verify }
  })
}) {
  static readonly layer = this.Default
}

const dieUnconfigured: Effect.Effect<void, MailRefused> = Effect.dieMessage("mail was to be sent without SVC_SMTP_URL")
