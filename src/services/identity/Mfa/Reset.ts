import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import type { UserDetail } from "../../../domain/identity/User.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../../audit/Audit.ts"
import { Notices } from "../../kernel/Mail/Notices.ts"
import { Hints, inTransaction } from "../../kernel/sql/Database.ts"
import { MfaRepo } from "../MfaRepo.ts"
import { SessionsRepo } from "../SessionsRepo.ts"
import { TrustedDevicesRepo } from "../TrustedDevicesRepo.ts"

type ResetUser = Pick<UserDetail, "email" | "id">

/** Resets a lost second factor; available on the command line only, to the owner of the database. */
export class MfaReset extends Effect.Service<MfaReset>()("svc/MfaReset", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* MfaRepo
    const devices = yield* TrustedDevicesRepo
    const sessions = yield* SessionsRepo
    const notices = yield* Notices
    const audit = yield* Audit
    const hints = yield* Hints

    /**
     * Removes the user's secret, recovery codes and trusted browsers, and revokes their sessions, since the lost device
     * may hold one. False when the user had no second factor.
     */
    const reset = Effect.fn("MfaReset.reset")(function*({ email, id: userId }: ResetUser) {
      yield* repo.findByUserForUpdate(userId) // before its codes, in the order that a verification locks them
      if (!(yield* repo.clear(userId))) return false
      const now = yield* Timestamp.now
      yield* devices.revokeAll(userId, now)
      yield* sessions.revokeAll(userId, now, null)
      yield* notices.enqueue("factor_reset", email, { source_ip: null })
      yield* hints.publish("access", userId)
      yield* audit.record(auditEntry("user.mfa_reset_by_admin", "user", userId))
      return true
    }, inTransaction(sql))

    return { reset } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([
    MfaRepo.layer,
    Notices.layer,
    SessionsRepo.layer,
    TrustedDevicesRepo.layer
  ]))
}
