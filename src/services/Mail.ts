import { Effect, Layer, Option, Schema } from "effect"
import * as Timestamp from "../domain/Timestamp.ts"
import { orDieOnSql } from "./Database.ts"
import * as Ids from "./Ids.ts"
import { Vault } from "./Keys.ts"
import { Loops } from "./Loops.ts"
import { type ClaimedMail, MailRepo } from "./Mail/Repo.ts"
import { type MailRefused, MailTransport, type MailMessage } from "./Mail/Transport.ts"
import { Metrics } from "./Metrics.ts"

/** A process that dies while it sends leaves the mail to another one after this many seconds. */
const claimSeconds = 60

/** A minute after the first failure, then twice as long each time, up to an hour. */
const retryDelaySeconds = (attempts: number): number => Math.min(60 * 2 ** (attempts - 1), 3600)

const SealedMessage = Schema.parseJson(Schema.Struct({ to: Schema.String, subject: Schema.String, text: Schema.String }))
const encode = Schema.encodeSync(SealedMessage)
const decode = Schema.decodeUnknown(SealedMessage)

/**
 * Mail that goes out by a table: whoever has something to say puts it there in their own transaction, and a loop sends
 * it, tries again with back-off, and gives up when the mail would be of no use any more. A mail may arrive twice, when
 * a process dies between the server's word and its own note of it.
 */
export class Mail extends Effect.Service<Mail>()("svc/Mail", {
  effect: Effect.gen(function*() {
    const repo = yield* MailRepo
    const transport = yield* MailTransport
    const vault = yield* Vault
    const metrics = yield* Metrics

    /** Whether mail can be sent at all. */
    const isEnabled = transport.isConfigured

    /** In the caller's transaction: the mail goes out once that commits. After `expires_at` nobody needs it. */
    const enqueue = Effect.fn("Mail.enqueue")(function*(message: MailMessage, expires_at: string) {
      const id = yield* Ids.next
      const now = yield* Timestamp.now
      const sealed = yield* vault.seal("mail_outbox", id, encode(message))
      yield* repo.insert({ id, sealed, due_at: now, created_at: now, expires_at })
    }, orDieOnSql)

    const giveUp = ({ attempts, id }: ClaimedMail, reason: string) =>
      Effect.gen(function*() {
        yield* repo.delete(id)
        metrics.swallowedExceptions.inc({ module: "mail", site: "given_up" })
        yield* Effect.logError(`mail ${id} was given up after ${attempts} attempts: ${reason}`)
      })

    const handleFailure = Effect.fnUntraced(function*(mail: ClaimedMail, { fault, reason }: MailRefused) {
      const retryAt = Timestamp.addSeconds(yield* Timestamp.now, retryDelaySeconds(mail.attempts))
      if (fault === "mail" || retryAt >= mail.expires_at) return yield* giveUp(mail, reason)
      yield* repo.postpone(mail.id, retryAt, reason)
      yield* Effect.logWarning(`mail ${mail.id} was not taken, attempt ${mail.attempts}; the next is at ${retryAt}: ${reason}`)
    })

    /** Sends what is due, one after the other, until a failure that would be that of the others too. */
    const deliver: Effect.Effect<void> = Effect.gen(function*() {
      const now = yield* Timestamp.now
      if (!(yield* repo.hasDue(now))) return
      const claimed = yield* repo.claim(now, Timestamp.addSeconds(now, claimSeconds))
      if (Option.isNone(claimed)) return
      const mail = claimed.value
      if (mail.expires_at <= now) {
        yield* giveUp({ ...mail, attempts: mail.attempts - 1 }, "its time ran out")
        return yield* deliver
      }
      const message = yield* Effect.flatMap(vault.open("mail_outbox", mail.id, mail.sealed), decode).pipe(
        Effect.orDie // the keys were checked at start, so this is damage in the database
      )
      const sent = yield* Effect.either(transport.send(mail.id, message))
      if (sent._tag === "Right") yield* repo.delete(mail.id)
      else yield* handleFailure(mail, sent.left)
      if (sent._tag === "Right" || sent.left.fault !== "server") yield* deliver
    }).pipe(Effect.withSpan("Mail.deliver"), orDieOnSql)

    return { isEnabled, enqueue, deliver } as const
  })
}) {
  static readonly layer = this.Default

  /** Looks once a second, where mail is sent at all. */
  static readonly loop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const mail = yield* Mail
    if (mail.isEnabled) yield* loops.every("mail", "1 second", mail.deliver)
  }))
}
