import { Effect, Layer, Schema } from "effect"
import { Loops } from "./concurrency/Loops.ts"
import * as Ids from "./Ids.ts"
import { Vault } from "./keys/Keys.ts"
import { type MailMessage, MailTransport } from "./Mail/Transport.ts"
import * as Outbox from "./Outbox.ts"
import { makeOutboxTable, type OutboxEntry } from "./Outbox/Table.ts"
import { orDieOnSql } from "./sql/Database.ts"

const SealedMessage = Schema.parseJson(
  Schema.Struct({ to: Schema.String, subject: Schema.String, text: Schema.String })
)
const encode = Schema.encodeSync(SealedMessage)
const decode = Schema.decodeUnknown(SealedMessage)

interface SealedMail extends OutboxEntry {
  readonly sealed: string
}

/**
 * Mail by an outbox table. The caller inserts a mail in its own transaction; a loop of any replica sends it, retries with
 * back-off, and gives it up when it has expired. A mail arrives twice when a process dies between the server's acceptance
 * and the deletion of the row.
 */
export class Mail extends Effect.Service<Mail>()("svc/Mail", {
  effect: Effect.gen(function*() {
    const transport = yield* MailTransport
    const vault = yield* Vault
    const { outbox, ...table } = yield* makeOutboxTable<SealedMail>({
      name: "mail",
      table: "mail_outbox",
      payload: ["sealed"]
    })

    /** Whether mail can be sent at all. */
    const isEnabled = transport.isConfigured

    /** In the caller's transaction: the mail is sent after its commit. After `expires_at` it is of no use. */
    const enqueue = Effect.fn("Mail.enqueue")(function*(message: MailMessage, expires_at: string) {
      const id = yield* Ids.next
      yield* table.enqueue({ id, sealed: yield* vault.seal("mail_outbox", id, encode(message)), expires_at })
    }, orDieOnSql)

    const send = ({ id, sealed }: SealedMail) =>
      Effect.flatMap(vault.open("mail_outbox", id, sealed), decode).pipe(
        Effect.orDie, // the keys were checked at start, so this is damage in the database
        Effect.flatMap((message) => transport.send(id, message))
      )

    /** Sends what is due, one after the other, until a failure that would be that of the others too. */
    const deliver: Effect.Effect<void> = Outbox.deliver({ ...outbox, send }).pipe(
      Effect.withSpan("Mail.deliver"),
      orDieOnSql
    )

    return { isEnabled, enqueue, deliver } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(MailTransport.layer))

  /** Polls once a second, if mail can be sent. */
  static readonly layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const mail = yield* Mail
    if (mail.isEnabled) yield* loops.every("mail", "1 second", mail.deliver)
  })).pipe(Layer.provide(this.layer))
}
