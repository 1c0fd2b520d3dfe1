import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { createHash } from "node:crypto"
import { Conflict } from "../../domain/kernel/Errors.ts"
import type { ProjectId, UserId } from "../../domain/kernel/Id.ts"
import { idempotencyRetentionSeconds } from "../../domain/kernel/Idempotency.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Vault } from "./keys/Keys.ts"
import { orDieOnSql } from "./sql/Database.ts"
import { firstRowOf } from "./sql/Rows.ts"

/** One `Idempotency-Key` with its scope. */
export interface IdempotentRequest {
  readonly projectId: ProjectId | null
  readonly userId: UserId
  /** `POST /api/v1/projects/:slug/agents` */
  readonly route: string
  readonly key: string
  readonly body: string
}

/** A stored response, to be sent again. */
export interface StoredResponse {
  readonly status: number
  readonly body: string
}

const Row = Schema.Struct({
  body_hash: Schema.String,
  status: Schema.NullOr(Schema.Int),
  response: Schema.NullOr(Schema.String)
})

const conflict = (detail: string) => new Conflict({ code: "idempotency_conflict", detail })

const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex")

const scopeOf = ({ key, projectId, route, userId }: IdempotentRequest): string =>
  sha256(JSON.stringify([projectId, userId, route, key]))

/**
 * `Idempotency-Key` of creations. The key is reserved before the work and completed after it, so the work is never done
 * twice. When the brain dies in between, the outcome is unknown, and the key stays a conflict until it expires.
 */
export class Idempotency extends Effect.Service<Idempotency>()("svc/Idempotency", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    // encrypted: a body may contain a password, and a plain hash of it could be guessed offline at full speed
    const sealBodyHash = ({ body }: IdempotentRequest, scope: string) =>
      vault.seal("idempotency_keys.body_hash", scope, sha256(body))
    const hasSameBody = ({ body }: IdempotentRequest, scope: string, sealed: string) =>
      vault.open("idempotency_keys.body_hash", scope, sealed).pipe(
        Effect.map((text) => text === sha256(body)),
        Effect.orElseSucceed(() => false) // a fingerprint that cannot be decrypted counts as another body
      )

    /** Reserves the key and returns null, or returns the first response of a completed key. */
    const reserve = Effect.fn("Idempotency.reserve")(function*(request: IdempotentRequest) {
      const scope = scopeOf(request)
      const body_hash = yield* sealBodyHash(request, scope)
      const created_at = yield* Timestamp.now
      const expiredBefore = Timestamp.addSeconds(created_at, -idempotencyRetentionSeconds)
      const reservedRows = yield* sql`
        INSERT INTO idempotency_keys ${sql.insert({ scope, body_hash, status: null, response: null, created_at })}
        ON CONFLICT (scope) DO UPDATE
          SET body_hash = excluded.body_hash, status = NULL, response = NULL, created_at = excluded.created_at
          WHERE idempotency_keys.created_at <= ${expiredBefore}
        RETURNING scope`
      if (reservedRows.length > 0) return null
      const row = Option.getOrUndefined(
        yield* firstRowOf(Row)(
          sql`SELECT body_hash, status, response FROM idempotency_keys WHERE scope = ${scope}`
        )
      )
      return yield* replayResponse(row, row !== undefined && (yield* hasSameBody(request, scope, row.body_hash)))
    }, orDieOnSql)

    /** Stores the response; `response` is null where it contains a secret. */
    const complete = (request: IdempotentRequest, status: number, response: string | null) =>
      Effect.asVoid(
        sql`UPDATE idempotency_keys SET status = ${status}, response = ${response} WHERE scope = ${scopeOf(request)}`
      ).pipe(orDieOnSql)

    /** Releases the key after a failure, so that it can be used again. */
    const release = (request: IdempotentRequest) =>
      Effect.asVoid(sql`DELETE FROM idempotency_keys WHERE scope = ${scopeOf(request)}`).pipe(orDieOnSql)

    return { reserve, complete, release } as const
  })
}) {
  static readonly layer = this.Default
}

const replayResponse = (row: typeof Row.Type | undefined, isSame: boolean): Effect.Effect<StoredResponse, Conflict> => {
  if (row === undefined) return conflict("The first request with this Idempotency-Key has just failed. Send it again.")
  if (!isSame) return conflict("This Idempotency-Key was used with another body.")
  if (row.status === null) {
    return conflict("The first request with this Idempotency-Key is still at work, or how it ended is not known.")
  }
  if (row.response === null) {
    return conflict("This was created before. The answer held a secret, which is shown only once.")
  }
  return Effect.succeed({ status: row.status, body: row.response })
}
