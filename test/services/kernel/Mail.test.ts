import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { Mail } from "../../../src/services/kernel/Mail.ts"
import { invitationMessage } from "../../../src/services/kernel/Mail/Templates.ts"
import { MailTransport } from "../../../src/services/kernel/Mail/Transport.ts"
import { Metrics } from "../../../src/services/kernel/Metrics.ts"
import { Health } from "../../../src/services/operations/Health.ts"
import { engines } from "../../databases.ts"
import { Mailbox, mailingBrainOn, mailsTo } from "../../mailbox.ts"
import { until } from "../../until.ts"

let mailCount = 0

const inADay = Effect.map(Timestamp.now, (now) => Timestamp.addSeconds(now, 86_400))

/** Enqueues a mail to a new address; the address. */
const postMail = (subject = "A subject", to = `reader-${++mailCount}@example.com`) =>
  Effect.gen(function*() {
    const mail = yield* Mail
    yield* mail.enqueue({ to, subject, text: "The text.\n" }, yield* inADay)
    return to
  })

interface Waiting {
  readonly id: string
  readonly sealed: string
  readonly attempts: number
  readonly due_at: string
  readonly last_error: string | null
}

const waiting = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<Waiting>`SELECT id, sealed, attempts, due_at, last_error FROM mail_outbox ORDER BY id`
)

/** As if the pause was over. */
const dueNow = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE mail_outbox SET due_at = ${yield* Timestamp.now}`
})

const givenUp = Effect.flatMap(Metrics, ({ swallowedExceptions }) =>
  Effect.promise(async () => {
    const { values } = await swallowedExceptions.get()
    return values.find(({ labels }) => labels.module === "mail" && labels.site === "given_up")?.value ?? 0
  }))

const mailHealth = Effect.flatMap(Health, (health) => Effect.map(health.deepHealth(), ({ checks }) => checks.mail))

const failedOnce = until(waiting, (rows) => rows.length > 0 && rows.every(({ last_error }) => last_error !== null))
const empty = until(waiting, (rows) => rows.length === 0)

describe.each(engines)("mail on %s", (engine) => {
  layer(mailingBrainOn(engine), { excludeTestServices: true })((it) => {
    it.effect("goes out by itself, once, in plain text", () =>
      Effect.gen(function*() {
        const mail = yield* Mail
        const to = yield* postMail()
        yield* Effect.all([mail.deliver, mail.deliver, mail.deliver], { concurrency: "unbounded" })
        const [received, ...more] = yield* mailsTo(to)
        yield* empty
        assert.deepStrictEqual(more, [])
        assert.strictEqual(received?.text.trimEnd(), "The text.")
        assert.strictEqual(received?.from, "svc@localhost")
        assert.includeMembers([...received?.headers ?? []], [
          `To: ${to}`,
          "From: svc <svc@localhost>",
          "Auto-Submitted: auto-generated"
        ])
        assert.isTrue(received?.secure)
        yield* Effect.provide(Effect.flatMap(MailTransport, ({ verify }) => verify), MailTransport.layer)
      }))

    it.effect("waits sealed while the server is away, shows it, and goes when it is back", () =>
      Effect.gen(function*() {
        const server = yield* Mailbox
        const mail = yield* Mail
        yield* server.stop
        const to = yield* postMail("A secret subject")
        yield* mail.deliver
        const [row] = yield* failedOnce
        assert.notMatch(JSON.stringify(row), /secret subject|reader-/)
        assert.match(row?.last_error ?? "", /^ESOCKET: .*ECONNREFUSED/)
        assert.isAbove(Date.parse(row?.due_at ?? ""), Date.now() + 50_000)
        const ill = yield* mailHealth
        assert.strictEqual(ill?.status, "degraded")
        assert.match(ill?.detail ?? "", /^1 mail could not be delivered, to be retried: ESOCKET/)
        yield* dueNow
        yield* mail.deliver
        const [again] = yield* until(
          waiting,
          ([row]) => row?.attempts === 2 && Date.parse(row.due_at) > Date.now() + 110_000
        )
        assert.strictEqual(again?.id, row?.id)
        yield* server.start
        yield* dueNow
        yield* mailsTo(to)
        yield* empty
        assert.strictEqual((yield* mailHealth)?.status, "ok")
      }))

    it.effect("is given up when its time runs out, and counted", () =>
      Effect.gen(function*() {
        const server = yield* Mailbox
        const mail = yield* Mail
        const before = yield* givenUp
        yield* mail.enqueue(
          { to: "late@example.com", subject: "Late", text: "." },
          Timestamp.addSeconds(yield* Timestamp.now, -1)
        )
        yield* server.stop
        yield* mail.enqueue(
          { to: "soon@example.com", subject: "Soon", text: "." },
          Timestamp.addSeconds(yield* Timestamp.now, 30)
        )
        yield* mail.deliver
        yield* empty
        yield* server.start
        yield* until(givenUp, (count) => count === before + 2)
        assert.deepStrictEqual(server.received.filter(({ to }) => /^(late|soon)@/.test(to[0] ?? "")), [])
      }))

    it.effect("keeps what people chose in its place: no header, no recipient comes of it", () =>
      Effect.gen(function*() {
        const mail = yield* Mail
        const hostile = "Acme\r\nBcc: victim@example.com\r\n\r\nClick <b>here</b>\u2028\u202e\0" + "x".repeat(200)
        const to = `guest-${++mailCount}@example.com`
        const letter = invitationMessage({
          to,
          inviter: hostile,
          project: hostile,
          role: "viewer",
          url: "https://svc.example",
          link: "https://svc.example/x",
          expires_at: yield* inADay
        })
        yield* mail.enqueue(letter, yield* inADay)
        yield* mail.enqueue({ to: `raw-${mailCount}@example.com`, subject: hostile, text: "." }, yield* inADay)
        const mails = [...yield* mailsTo(to), ...yield* mailsTo(`raw-${mailCount}@example.com`)]
        assert.strictEqual(mails.length, 2)
        for (const { headers, to } of mails) {
          assert.strictEqual(to.length, 1)
          assert.deepStrictEqual(headers.filter((line) => /^(bcc|cc|to):/i.test(line)), [`To: ${to[0]}`])
        }
        assert.include(mails[0]?.text, "Acme")
        assert.notMatch(mails[0]?.text ?? "", /^Bcc:|\u202e|\0|x{101}/m)
      }))
  })
})

/** What becomes of a mail to a server that is not as it should be. */
const expectRefusal = (what: RegExp, secret = "no secret") =>
  Effect.gen(function*() {
    const mail = yield* Mail
    const { received } = yield* Mailbox
    yield* postMail()
    yield* mail.deliver
    const [row] = yield* failedOnce
    assert.match(row?.last_error ?? "", what)
    assert.notInclude(row?.last_error, secret)
    assert.deepStrictEqual(received, [])
  })

const urlAt = (host: string, login = "") => (url: Redacted.Redacted) =>
  Redacted.make(Redacted.value(url).replace("127.0.0.1", `${login}${host}`))

describe("a mail server that will not do", () => {
  layer(mailingBrainOn("SQLite", { hideSTARTTLS: true, disabledCommands: ["STARTTLS"] }, urlAt("0.0.0.0")), {
    excludeTestServices: true
  })("offers no encryption", (it) => {
    it.effect("gets no mail", () => expectRefusal(/^ETLS: /))
  })

  layer(mailingBrainOn("SQLite", {}, urlAt("0.0.0.0")), { excludeTestServices: true })(
    "has a certificate that no authority has signed",
    (it) => {
      it.effect("gets no mail", () => expectRefusal(/^ESOCKET: .*certificate/i))
    }
  )

  const login = {
    authOptional: false,
    onAuth: (_: unknown, __: unknown, callback: (error: Error) => void) => callback(new Error("Wrong password"))
  }
  layer(mailingBrainOn("SQLite", login, urlAt("127.0.0.1", "ann:open%20sesame@")), { excludeTestServices: true })(
    "does not take the password",
    (it) => {
      it.effect("is asked again later, and the password stays secret", () =>
        expectRefusal(/^EAUTH: 535 .*Wrong password/, "open sesame"))

      it.effect("is reported by svc doctor", () =>
        Effect.gen(function*() {
          const transport = yield* Effect.provide(MailTransport, MailTransport.layer)
          assert.match((yield* Effect.flip(transport.verify)).reason, /^EAUTH: 535/)
        }))
    }
  )

  const unknownRecipient = {
    onRcptTo: (_: unknown, __: unknown, callback: (error: Error) => void) =>
      callback(Object.assign(new Error("No such user"), { responseCode: 550 }))
  }
  layer(mailingBrainOn("SQLite", unknownRecipient), { excludeTestServices: true })("knows no such recipient", (it) => {
    it.effect("is not asked again", () =>
      Effect.gen(function*() {
        const mail = yield* Mail
        yield* postMail()
        yield* mail.deliver
        yield* empty
        yield* until(givenUp, (count) => count === 1)
      }))
  })
})
