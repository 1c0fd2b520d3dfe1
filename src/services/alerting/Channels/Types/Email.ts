import { Data, Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import type { SentMessageInfo } from "nodemailer/lib/smtp-transport/index.js"
import type { Notification } from "../../../../domain/alerting/Notification.ts"
import { normalizeHostName } from "../../../../domain/kernel/net/HostName.ts"
import { parseAddress } from "../../../../domain/kernel/net/OutboundAddress.ts"
import { isMailAddress, parseSender, type Sender } from "../../../../domain/kernel/Smtp.ts"
import { text } from "../../../../domain/kernel/Text.ts"
import { truncateText } from "../../../../domain/kernel/TruncateText.ts"
import { Outbound } from "../../../kernel/Outbound.ts"
import { type ChannelType, ConfigRefused, type Dispatch, SendFailed, type SendReceipt } from "../ChannelType.ts"
import { actionsOf, colorOf, factsOf, headlineOf } from "./Wording.ts"

const maxRecipients = 50

/** Control characters would end a line of SMTP. */
const lineText = (max: number) =>
  text(max, 1).pipe(Schema.filter((value) => !/\p{Cc}/u.test(value) || "must not contain control characters"))

const mailAddress = lineText(254).pipe(Schema.filter((value) => isMailAddress(value) || "must be an e-mail address"))

const EmailConfig = Schema.Struct({
  smtp_host: lineText(253).pipe(
    Schema.filter((host) => normalizeHostName(host) !== null || "must be a host name, without a scheme or port")
  ),
  smtp_port: Schema.Literal(25, 465, 587, 2525),
  smtp_user: lineText(256),
  smtp_pass: lineText(1024),
  smtp_tls: Schema.optionalWith(Schema.Boolean, { default: () => true }),
  from_addr: Schema.optionalWith(
    lineText(320).pipe(
      Schema.filter((value) => parseSender(value)._tag === "Right" || "must be an e-mail address, or a name with one")
    ),
    { exact: true }
  ),
  to_addrs: Schema.Array(mailAddress).pipe(Schema.minItems(1), Schema.maxItems(maxRecipients))
}).pipe(
  Schema.filter(({ smtp_port, smtp_tls }) =>
    smtp_tls || smtp_port === 25 ? undefined : { path: ["smtp_tls"], message: "may be false with port 25 only" }
  ),
  Schema.filter(({ from_addr, smtp_user }) =>
    from_addr !== undefined || isMailAddress(smtp_user)
      ? undefined
      : { path: ["from_addr"], message: "is required, because smtp_user is no e-mail address" }
  )
)
type EmailConfig = typeof EmailConfig.Type

/** Milliseconds: to connect, for the greeting, of an idle socket, and of the whole delivery. */
const [connectMillis, greetingMillis, idleMillis, sendMillis] = [5000, 10_000, 10_000, 30_000]

const maxSubject = 200

const senderOf = ({ from_addr, smtp_user }: EmailConfig): Sender => {
  const parsed = parseSender(from_addr ?? smtp_user)
  return parsed._tag === "Right" ? parsed.right : { name: "", address: smtp_user }
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;" }

const escapeHtml = (plain: string): string => plain.replace(/[&<>"]/g, (character) => entities[character] ?? "")

const textOf = (notification: Notification): string =>
  [
    headlineOf(notification),
    notification.text,
    factsOf(notification).map(({ name, value }) => `${name}: ${value}`).join("\n"),
    actionsOf(notification).map(({ label, url }) => `${label}: ${url}`).join("\n")
  ].filter((part) => part !== "").join("\n\n") + "\n"

const htmlOf = (notification: Notification): string => {
  const rows = factsOf(notification).map(({ name, value }) =>
    `<tr><td style="color:#666;padding:2px 12px 2px 0;vertical-align:top">${escapeHtml(name)}</td><td>${
      escapeHtml(value)
    }</td></tr>`
  )
  const links = actionsOf(notification).map(({ label, url }) => `<a href="${escapeHtml(url)}">${label}</a>`)
  return [
    "<!doctype html><html><body style=\"font-family:sans-serif;font-size:14px\">",
    `<h2 style="border-left:4px solid ${colorOf(notification)};padding-left:8px;font-size:16px">${
      escapeHtml(headlineOf(notification))
    }</h2>`,
    `<p style="white-space:pre-wrap">${escapeHtml(notification.text)}</p>`,
    rows.length === 0 ? "" : `<table>${rows.join("")}</table>`,
    links.length === 0 ? "" : `<p>${links.join(" &middot; ")}</p>`,
    "</body></html>"
  ].join("\n")
}

/** All mails of one condition refer to this id, so that mail programs show them as one thread. */
const threadIdOf = ({ dedup_key }: Notification, domain: string): string =>
  `<svc-${createHash("sha256").update(dedup_key).digest("hex").slice(0, 32)}@${domain}>`

/** The subject of a thread stays the same: some mail programs begin another thread otherwise. */
const subjectOf = (notification: Notification): string => {
  const title = headlineOf({ ...notification, kind: "alert" })
  const subject = notification.project === null ? title : `[${notification.project.slug}] ${title}`
  return truncateText(
    (notification.kind === "alert" || notification.alert_id === null ? "" : "Re: ") + subject,
    maxSubject
  )
}

export const mailOf = (config: EmailConfig, { delivery_id, notification }: Dispatch) => {
  const from = senderOf(config)
  const domain = from.address.split("@")[1] ?? ""
  const thread = threadIdOf(notification, domain)
  return {
    from,
    to: config.to_addrs.map((address) => ({ name: "", address })),
    subject: subjectOf(notification),
    text: textOf(notification),
    html: htmlOf(notification),
    // constant over attempts: a mail that arrives twice is shown once
    messageId: `<${delivery_id}@${domain}>`,
    inReplyTo: thread,
    references: thread,
    headers: {
      "Auto-Submitted": "auto-generated",
      // a person reads it, because the recipients are part of the channel's config
      "List-Unsubscribe": `<mailto:${from.address}?subject=Unsubscribe>`,
      ...(notification.project !== null && { "List-Id": `<${notification.project.slug}.svc.${domain}>` }),
      "X-SVC-Trigger": notification.trigger
    }
  }
}

const readField = (error: unknown, name: string): unknown =>
  typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined

/** One line of the server's own text, without addresses. */
const toLine = (text: string): string => text.replace(/\S+@\S+/g, "…").replace(/[\p{Cc}\s]+/gu, " ").slice(0, 200)

/**
 * Refused for good: the password, or the address of the sender or of all recipients, by their enhanced codes 5.1.x (RFC
 * 3463) or 550, 551 and 553 without one.
 */
const faultOf = (command: string, code: number, response: string): SendFailed["fault"] => {
  if (code < 500) return "moment"
  if (command.startsWith("AUTH") || code === 535) return "channel"
  if (!/^(RCPT TO|MAIL FROM|DATA)/.test(command)) return "moment" // no STARTTLS, for example: nothing was refused yet
  const enhanced = /^\d{3}[ -](\d\.\d+)\.\d+/.exec(response)?.[1]
  const isAboutAddress = /^(RCPT TO|MAIL FROM)/.test(command) &&
    (enhanced === undefined ? [550, 551, 553].includes(code) : enhanced === "5.1")
  return isAboutAddress ? "channel" : "message"
}

const makeSendFailed = (fault: SendFailed["fault"], reason: string, response_code: number | null = null) =>
  new SendFailed({ fault, reason, response_code, response_body: null, retry_after: null })

const toSendFailed = (error: unknown): SendFailed => {
  const code = String(readField(error, "code") ?? "unknown")
  const responseCode = Number(readField(error, "responseCode") ?? 0)
  const response = String(readField(error, "response") ?? "")
  const command = String(readField(error, "command") ?? "")
  if (responseCode === 0) {
    return makeSendFailed("moment", `${code}: ${toLine(String(readField(error, "message") ?? ""))}`)
  }
  return makeSendFailed(faultOf(command, responseCode, response), `${code}: ${toLine(response)}`, responseCode)
}

/** Some recipients were refused. One that was refused for now gets the mail again, and so do the others, under its id. */
const receiptOf = ({ rejectedErrors = [], response }: SentMessageInfo): SendReceipt | SendFailed => {
  const codes = rejectedErrors.map((error) => Number(readField(error, "responseCode") ?? 0))
  const later = codes.find((code) => code < 500)
  const refused = codes.length === 0 ? "" : ` (${codes.length} of the recipients were refused: ${codes.join(", ")})`
  return later === undefined
    ? { response_code: Number(response.slice(0, 3)) || null, response_body: toLine(response) + refused, pause: null }
    : makeSendFailed("moment", `some recipients were refused for now${refused}`, later)
}

class SmtpRejected
  extends Data.TaggedError("SmtpRejected")<{ readonly failed: SendFailed; readonly isConnected: boolean }>
{}

const neverConnected: ReadonlySet<string> = new Set(["ECONNECTION", "ECONNREFUSED", "ESOCKET", "ETIMEDOUT", "EDNS"])

const sendTo = (address: string, config: EmailConfig, dispatch: Dispatch) =>
  Effect.gen(function*() {
    const { tls } = yield* Outbound
    const { createTransport } = yield* Effect.promise(() => import("nodemailer")) // loaded only where mail is sent
    const transport = createTransport({
      host: address, // the checked one
      port: config.smtp_port,
      secure: config.smtp_port === 465,
      requireTLS: config.smtp_tls && config.smtp_port !== 465,
      ignoreTLS: !config.smtp_tls,
      tls: { ...tls, ...(parseAddress(config.smtp_host) === null && { servername: config.smtp_host }) },
      auth: { user: config.smtp_user, pass: config.smtp_pass },
      connectionTimeout: connectMillis,
      greetingTimeout: greetingMillis,
      socketTimeout: idleMillis,
      disableFileAccess: true,
      disableUrlAccess: true
    })
    return yield* Effect.tryPromise({
      try: (signal) => transport.sendMail({ ...mailOf(config, dispatch), signal }),
      catch: (error) =>
        new SmtpRejected({
          failed: toSendFailed(error),
          isConnected: !neverConnected.has(String(readField(error, "code"))) ||
            readField(error, "responseCode") !== undefined
        })
    })
  })

export const email: ChannelType<EmailConfig, typeof EmailConfig.Encoded, Outbound> = {
  type: "email",
  schema: EmailConfig,
  secrets: ["smtp_pass"],
  internal: [],
  destination: ({ smtp_host, smtp_port, smtp_tls }) => `${smtp_host.toLowerCase()}:${smtp_port} ${smtp_tls}`,
  check: ({ smtp_host, smtp_port }) =>
    Effect.flatMap(Outbound, (outbound) => outbound.resolveAllowed(smtp_host, smtp_port)).pipe(
      Effect.mapError(({ why }) => new ConfigRefused({ field: "smtp_host", why })),
      Effect.asVoid
    ),
  target: ({ smtp_host, smtp_port }) => `${smtp_host.toLowerCase()}:${smtp_port}`,
  rate: { per_second: 5, burst: 20 },
  send: (config, dispatch) =>
    Effect.gen(function*() {
      const outbound = yield* Outbound
      const addresses = yield* outbound.resolveAllowed(config.smtp_host, config.smtp_port).pipe(
        Effect.mapError(({ why }) => makeSendFailed("moment", `not called: ${why}`))
      )
      // another address of the same server only where no connection came about: else the mail could go out twice
      const [first, ...others] = addresses.slice(0, 3).map((address) => sendTo(address, config, dispatch))
      if (first === undefined) return yield* makeSendFailed("moment", "not called: its host name has no address")
      const sent = yield* others.reduce(
        (attempt, next) => Effect.catchIf(attempt, ({ isConnected }) => !isConnected, () => next),
        first
      ).pipe(
        Effect.mapError(({ failed }) => failed),
        Effect.timeoutFail({
          duration: sendMillis,
          onTimeout: () => makeSendFailed("moment", "ETIMEDOUT: not delivered within 30 s")
        })
      )
      const receipt = receiptOf(sent)
      return receipt instanceof SendFailed ? yield* receipt : receipt
    })
}
