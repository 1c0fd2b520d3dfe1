import { SqlClient, type SqlError } from "@effect/sql"
import { Effect, Option } from "effect"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Metrics } from "../Metrics.ts"
import type { Outbox } from "../Outbox.ts"
import { Reader } from "../sql/Database.ts"
import { skipLocked } from "../sql/Dialect.ts"

/** What every table of an outbox has, beside `due_at`, `created_at`, `last_error` and the columns of its payload. */
export interface OutboxEntry {
  readonly id: string
  /** Includes the current attempt. */
  readonly attempts: number
  /** The entry is of no use after this time. */
  readonly expires_at: string
}

/**
 * Why an entry was not delivered. `fault`: `entry` if the receiver rejects it permanently, `receiver` if it would
 * reject every entry now, otherwise `moment` (transient). `reason` is one line without a person's address.
 */
export interface DeliveryFailure {
  readonly fault: "entry" | "receiver" | "moment"
  readonly reason: string
}

interface TableOptions {
  /** In the log, and the label `module` of `svc_swallowed_exceptions_total{site="given_up"}`. */
  readonly name: string
  readonly table: string
  /** The columns of the payload. */
  readonly payload: ReadonlyArray<string>
}

/** An entry that was claimed this many seconds ago is sent by another process: the claiming process died. */
const claimSeconds = 60

/**
 * 1 minute after the first failure, doubled up to 1 hour. The attempt count is stored in the row, so a restart does not
 * reset the delay, as it would reset a Schedule's state.
 */
const retryDelaySeconds = (attempts: number): number => Math.min(60 * 2 ** (attempts - 1), 3600)

/**
 * An outbox in a table: an entry is inserted in the transaction of the change that it reports, any replica sends it, with
 * back-off after a failure, and it is given up when it has expired or is refused for good.
 */
export const makeOutboxTable = <Entry extends OutboxEntry>({ name, payload, table }: TableOptions) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const metrics = yield* Metrics
    const columns = sql.literal(["id", "attempts", "expires_at", ...payload].join(", "))

    /** In the caller's transaction: the entry is sent after its commit. */
    const enqueue = (entry: Omit<Entry, "attempts">) =>
      Effect.flatMap(
        Timestamp.now,
        (now) => sql`INSERT INTO ${sql(table)} ${sql.insert({ ...entry, due_at: now, created_at: now })}`
      )

    const remove = ({ id }: OutboxEntry) => sql`DELETE FROM ${sql(table)} WHERE id = ${id}`

    const giveUp = (entry: OutboxEntry, attempts: number, reason: string) =>
      Effect.gen(function*() {
        yield* remove(entry)
        metrics.swallowedExceptions.inc({ module: name, site: "given_up" })
        yield* Effect.logError(`${name} ${entry.id} was given up after ${attempts} attempts: ${reason}`)
      })

    const claim: Effect.Effect<Option.Option<Entry>, SqlError.SqlError> = Effect.gen(function*() {
      const now = yield* Timestamp.now
      // a plain read: most polls find no entry and must not occupy SQLite's writer
      const due = yield* read`SELECT 1 FROM ${sql(table)} WHERE due_at <= ${now} LIMIT 1`
      if (due.length === 0) return Option.none()
      const [entry] = yield* sql<Entry>`UPDATE ${sql(table)} SET attempts = attempts + 1, due_at = ${
        Timestamp.addSeconds(now, claimSeconds)
      }
        WHERE id = (SELECT id FROM ${sql(table)} WHERE due_at <= ${now} ORDER BY due_at LIMIT 1 ${skipLocked(sql)})
        RETURNING ${columns}`
      if (entry === undefined || entry.expires_at > now) return Option.fromNullable(entry)
      yield* giveUp(entry, entry.attempts - 1, "it expired")
      return yield* claim
    })

    const onFailure = Effect.fnUntraced(function*(entry: Entry, { fault, reason }: DeliveryFailure) {
      const retryAt = Timestamp.addSeconds(yield* Timestamp.now, retryDelaySeconds(entry.attempts))
      if (fault === "entry" || retryAt >= entry.expires_at) {
        yield* giveUp(entry, entry.attempts, reason)
      } else {
        yield* sql`UPDATE ${sql(table)} SET due_at = ${retryAt}, last_error = ${reason} WHERE id = ${entry.id}`
        yield* Effect.logWarning(
          `${name} ${entry.id} was not accepted, attempt ${entry.attempts}; the next is at ${retryAt}: ${reason}`
        )
      }
      return fault !== "receiver"
    })

    return {
      enqueue,
      outbox: { claim, remove, onFailure } satisfies Omit<
        Outbox<Entry, DeliveryFailure, SqlError.SqlError, never>,
        "send"
      >
    }
  })
