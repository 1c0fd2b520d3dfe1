import { Data, Effect, Either, Redacted } from "effect"
import { parseSmtpUrl, senderOf } from "../../../domain/kernel/Smtp.ts"
import type { DeliveryFailure } from "../Outbox/Table.ts"
import { publicUrlOf } from "../PublicUrl.ts"
import { Settings } from "../Settings.ts"

/** A mail in plain text. The transport encodes each field, so its content cannot add a header or a recipient. */
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

/** Timeouts in milliseconds: to connect, for the server's greeting, of an idle socket, and of the whole delivery. */
const [connectMillis, greetingMillis, idleMillis, sendMillis] = [10_000, 10_000, 20_000, 45_000]

const readField = (error: unknown, name: string): unknown =>
  typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined

const messageErrorCodes = ["EENVELOPE", "EMESSAGE"]

const toMailRefused = (error: unknown): MailRefused => {
  const [code, response] = [String(readField(error, "code") ?? "unknown"), readField(error, "response")]
  const serverText = typeof response === "string" ? response : String(readField(error, "message") ?? "")
  // one line of the server's own text, without addresses
  const reason = `${code}: ${serverText.replace(/\S+@\S+/g, "…").replace(/[\p{Cc}\s]+/gu, " ").slice(0, 200)}`
  const isPermanent = readField(error, "permanent") === true || readField(error, "command") === "API"
  const isMessageError = messageErrorCodes.includes(code) && readField(error, "command") !== "MAIL FROM"
  return new MailRefused({ reason, fault: !isMessageError ? "receiver" : isPermanent ? "entry" : "moment" })
}

/** Sends mail through the server of SVC_SMTP_URL. */
export class MailTransport extends Effect.Service<MailTransport>()("svc/MailTransport", {
  effect: Effect.gen(function*() {
    const settings = yield* Settings
    if (settings.smtpUrl === null) return { isConfigured: false, send: () => dieUnconfigured, verify: dieUnconfigured }
    const server = yield* Either.mapLeft(
      parseSmtpUrl(Redacted.value(settings.smtpUrl)),
      (problem) => `SVC_SMTP_URL ${problem}`
    ).pipe(
      Effect.catchAll((problem) => Effect.dieMessage(problem)) // the setting was read by the same rule
    )
    const { host, login, port, security } = server
    const { createTransport } = yield* Effect.promise(() => import("nodemailer")) // loaded only where mail is sent
    const transport = createTransport({
      host,
      port,
      secure: security === "tls",
      requireTLS: security === "starttls",
      // where plain text is accepted, an untrusted certificate is no worse
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
        Effect.timeoutFail({
          duration: sendMillis,
          onTimeout: () => new MailRefused({ fault: "receiver", reason: "ETIMEDOUT: not delivered within 45 s" })
        })
      )

    /** `id` becomes the Message-ID, so a mail that is sent twice is shown once. */
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

    /** Connects and authenticates, and sends nothing. */
    const verify: Effect.Effect<void, MailRefused> = Effect.asVoid(withTimeout(() => transport.verify()))

    return { isConfigured: true, send, verify }
  })
}) {
  static readonly layer = this.Default
}

const dieUnconfigured: Effect.Effect<void, MailRefused> = Effect.dieMessage("mail was to be sent without SVC_SMTP_URL")
