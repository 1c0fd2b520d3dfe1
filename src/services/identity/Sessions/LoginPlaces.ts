import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema } from "effect"
import type { RequestSource } from "../../../domain/kernel/Actor.ts"
import type { UserId } from "../../../domain/kernel/Id.ts"
import { clientKey } from "../../../domain/kernel/net/ClientAddress.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { BooleanColumn } from "../../kernel/sql/ColumnTypes.ts"
import { forUpdate } from "../../kernel/sql/Dialect.ts"
import { firstRowOf, hasRows } from "../../kernel/sql/Rows.ts"
import { TrustedDevicesRepo } from "../TrustedDevicesRepo.ts"

/** How long an address counts as known after the last sign-in from it. */
export const placeLifetimeSeconds = 90 * Timestamp.secondsPerDay

const addressPlace = (source_ip: string): string => `address ${clientKey(source_ip)}`

const lockedRow = firstRowOf(Schema.Struct({ is_locked: BooleanColumn }))

interface Guess {
  readonly now: string
  readonly threshold: number
  readonly lockUntil: string
}

/**
 * Where an account is known: by a browser that it trusts, or an address that it signed in from in the last 90 days. A place
 * has a counter and a lock of its own. So a person who guesses from elsewhere locks the account for everyone elsewhere and
 * not for its owner, and a person who has such a place has no more guesses than others.
 */
export class LoginPlaces extends Effect.Service<LoginPlaces>()("svc/LoginPlaces", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const devices = yield* TrustedDevicesRepo

    return {
      /** The place that a request comes from, as the account knows it; null: from elsewhere. `device`: from the cookie. */
      find: (userId: UserId, { source_ip }: RequestSource, device: string | null, now: Timestamp.Timestamp) =>
        Effect.gen(function*() {
          const deviceId = device === null ? null : yield* devices.findTrusted(userId, device, now)
          if (deviceId !== null) return `device ${deviceId}`
          if (source_ip === null) return null
          const place = addressPlace(source_ip)
          const isKnown = yield* hasRows(sql`SELECT 1 FROM login_places
            WHERE user_id = ${userId} AND place = ${place}
              AND seen_at > ${Timestamp.addSeconds(now, -placeLifetimeSeconds)}`)
          return isKnown ? place : null
        }),
      /** The address counts as known from now on. For a sign-in, or a new password by a mailed link. */
      recordAddress: (userId: UserId, { source_ip }: RequestSource, now: string) =>
        source_ip === null ? Effect.void : Effect.asVoid(
          sql`INSERT INTO login_places ${
            sql.insert({
              user_id: userId,
              place: addressPlace(source_ip),
              seen_at: now,
              failed_logins: 0,
              locked_until: null
            })
          } ON CONFLICT (user_id, place) DO UPDATE SET seen_at = excluded.seen_at`
        ),
      /** Whether wrong passwords from the place have locked it. The row stays locked until the transaction ends. */
      isLocked: (userId: UserId, place: string, now: string) =>
        hasRows(sql`SELECT 1 FROM login_places WHERE user_id = ${userId} AND place = ${place} AND locked_until > ${now}
          ${forUpdate(sql)}`),
      /** Forgets the wrong passwords from the place. */
      reset: (userId: UserId, place: string) =>
        sql`UPDATE login_places SET failed_logins = 0, locked_until = NULL WHERE user_id = ${userId} AND place = ${place}`,
      /** Counts a wrong password, as `UsersRepo.countFailure` does for the account. Returns whether it locked the place. */
      countFailure: (userId: UserId, place: string, { lockUntil, now, threshold }: Guess) =>
        Effect.map(
          lockedRow(sql`INSERT INTO login_places ${
            sql.insert({
              user_id: userId,
              place,
              seen_at: now,
              failed_logins: 1,
              locked_until: threshold <= 1 ? lockUntil : null
            })
          } ON CONFLICT (user_id, place) DO UPDATE SET failed_logins = login_places.failed_logins + 1,
              locked_until = CASE WHEN login_places.failed_logins + 1 >= ${threshold} THEN ${lockUntil} ELSE NULL END
            WHERE login_places.locked_until IS NULL OR login_places.locked_until <= ${now}
            RETURNING CASE WHEN locked_until IS NULL THEN 0 ELSE 1 END AS is_locked`),
          (row) => row._tag === "Some" && row.value.is_locked
        )
    } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(TrustedDevicesRepo.layer))
}
