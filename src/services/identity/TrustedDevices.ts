import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import type { TrustedDevice } from "../../domain/identity/Mfa.ts"
import type { Person } from "../../domain/kernel/Actor.ts"
import { Conflict, NotFound } from "../../domain/kernel/Errors.ts"
import { TrustedDeviceId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { currentPerson, currentSession } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Settings } from "../kernel/Settings.ts"
import { inTransaction, orDieOnSql } from "../kernel/sql/Database.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { MfaRepo } from "./MfaRepo.ts"
import { sessionEnded, SessionsRepo } from "./SessionsRepo.ts"
import { type TrustedDeviceRow, TrustedDevicesRepo } from "./TrustedDevicesRepo.ts"

/** A trusted device's cookie: its secret and its lifetime. */
export interface DeviceCookie {
  readonly token: string
  readonly maxAgeSeconds: number
}

/** 409 when the user has no second factor. */
export const mfaNotEnrolled = new Conflict({
  code: "mfa_not_enrolled",
  detail: "You have no second factor. Enrol one first, with POST /auth/mfa/enroll-start."
})

const deviceNotFound = new NotFound({ resource: "device" })

/** Browsers that need no code at their owner's logins (interface, Multi-factor authentication). */
export class TrustedDevices extends Effect.Service<TrustedDevices>()("svc/TrustedDevices", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* TrustedDevicesRepo
    const sessions = yield* SessionsRepo
    const mfa = yield* MfaRepo
    const audit = yield* Audit
    const settings = yield* Settings

    /** `token`: from the browser's cookie. */
    const toTrustedDevice = ({ token_hash, ...device }: TrustedDeviceRow, token: string | null): TrustedDevice => ({
      ...device,
      is_current: token !== null && Ids.hashSecret(token) === token_hash
    })

    const list = Effect.fn("TrustedDevices.list")(function*(token: string | null) {
      const { user_id } = yield* currentPerson
      return (yield* repo.list(user_id)).map((device) => toTrustedDevice(device, token))
    }, orDieOnSql)

    /**
     * Trusts the person's browser, and revokes the device of its former cookie. Runs in the caller's transaction, which
     * records `entry` last.
     */
    const trust = Effect.fnUntraced(function*(person: Person, formerToken: string | null) {
      const now = yield* Timestamp.now
      const maxAgeSeconds = settings.mfaTrustedDeviceDays * Timestamp.secondsPerDay
      const token = yield* Ids.secret
      const device: TrustedDeviceRow = {
        id: yield* Ids.nextOf(TrustedDeviceId),
        token_hash: Ids.hashSecret(token),
        label: person.user_agent?.slice(0, 200).trim() || "Unnamed browser",
        created_at: now,
        last_seen_at: now,
        expires_at: Timestamp.addSeconds(now, maxAgeSeconds),
        revoked_at: null
      }
      if (formerToken !== null) yield* repo.revokeToken(person.user_id, formerToken, now)
      yield* repo.insert({ ...device, user_id: person.user_id })
      const entry = auditEntry("auth.mfa_device_trusted", "trusted_device", device.id)
      return { cookie: { token, maxAgeSeconds } satisfies DeviceCookie, device: toTrustedDevice(device, token), entry }
    })

    /** Trusts the caller's browser; the endpoint requires a step-up. */
    const create = Effect.fn("TrustedDevices.create")(function*(former: string | null) {
      const { person, session_id } = yield* currentSession
      // locks the user, as the revocation of all trusted browsers does, so that it covers this one too
      if (!(yield* sessions.isActiveForUpdate(person.user_id, session_id, yield* Timestamp.now))) {
        return yield* sessionEnded
      }
      if (!(yield* mfa.isEnrolled(person.user_id))) return yield* mfaNotEnrolled
      const { cookie, device, entry } = yield* trust(person, former)
      yield* audit.record(entry)
      return { cookie, device }
    }, inTransaction(sql))

    /** The next login in that browser needs a code. */
    const revoke = Effect.fn("TrustedDevices.revoke")(function*(id: TrustedDeviceId) {
      const { user_id } = yield* currentPerson
      if (!(yield* repo.exists(user_id, id))) return yield* deviceNotFound
      if (!(yield* repo.revoke(user_id, id, yield* Timestamp.now))) return
      yield* audit.record(auditEntry("auth.mfa_device_revoked", "trusted_device", id))
    }, inTransaction(sql))

    const rename = Effect.fn("TrustedDevices.rename")(
      function*(id: TrustedDeviceId, label: string, token: string | null) {
        const { user_id } = yield* currentPerson
        const device = yield* Effect.flatMap(repo.rename(user_id, id, label), orFail(deviceNotFound))
        yield* audit.record(auditEntry("auth.mfa_device_renamed", "trusted_device", id))
        return toTrustedDevice(device, token)
      },
      inTransaction(sql)
    )

    return { list, trust, create, revoke, rename } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([
    MfaRepo.layer,
    SessionsRepo.layer,
    TrustedDevicesRepo.layer
  ]))
}
