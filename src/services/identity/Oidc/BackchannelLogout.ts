import { SqlClient } from "@effect/sql"
import { Array as Arr, Effect, Layer } from "effect"
import { type RequestSource, system } from "../../../domain/kernel/Actor.ts"
import { BadRequest } from "../../../domain/kernel/Errors.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../../audit/Audit.ts"
import { CurrentActor } from "../../kernel/CurrentActor.ts"
import { RateLimits } from "../../kernel/RateLimits.ts"
import { Hints, orDieOnSql } from "../../kernel/sql/Database.ts"
import { SessionsRepo } from "../SessionsRepo.ts"
import { type LogoutToken, LogoutTokenRefused } from "./LogoutToken.ts"
import { LogoutTokensRepo } from "./LogoutTokensRepo.ts"
import { OidcProvider } from "./Provider.ts"

const tokenRefused = new BadRequest({
  code: "logout_token_refused",
  detail: "The logout token is not valid, has expired, or was used before. The brain's log has the reason."
})

/** Ends sessions at the provider's word (OpenID Connect Back-Channel Logout 1.0; docs/oidc.md). */
export class BackchannelLogout extends Effect.Service<BackchannelLogout>()("svc/oidc/BackchannelLogout", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const provider = yield* OidcProvider
    const tokens = yield* LogoutTokensRepo
    const sessions = yield* SessionsRepo
    const limits = yield* RateLimits
    const audit = yield* Audit
    const hints = yield* Hints

    /** Uses the token and revokes its sessions, both or neither: a provider may send it again after a failure. */
    const revokeSessions = Effect.fnUntraced(
      function*(token: LogoutToken, source: RequestSource) {
        if (!(yield* tokens.insert(token))) return yield* new LogoutTokenRefused({ why: "it was used before" })
        yield* tokens.recordEnd(token)
        const ended = { issuer: token.issuer, subject: token.subject, sid: token.sid }
        const users = yield* sessions.revokeOfProvider(ended, yield* Timestamp.now)
        const counts = Object.entries(Arr.groupBy(users, (id) => id))
        yield* Effect.forEach(new Set(users), (id) => hints.publish("access", id), { discard: true })
        yield* Effect.forEach(counts, ([id, { length }]) =>
          audit.record(auditEntry("auth.oidc_logout", "user", id, {
            metadata: { sessions: length, ...ended },
            source
          })), { discard: true })
      },
      sql.withTransaction
    )

    /** Logs the first ten refusals a minute of an address; without the limit, any client could fill the log. */
    const logRefusal = (why: string, { source_ip }: RequestSource) =>
      Effect.whenEffect(
        Effect.annotateLogs(Effect.logInfo("a logout token was refused"), { why, source_ip }),
        limits.takeForAddress("refused_key", source_ip)
      )

    /**
     * Revokes the sessions that come from the sign-ins of a logout token; there may be none. The caller learns of a
     * refusal only that there is one.
     */
    const logout = Effect.fn("BackchannelLogout.logout")(
      function*(token: string, source: RequestSource) {
        yield* Effect.flatMap(provider.verifyLogoutToken(token), (valid) => revokeSessions(valid, source)).pipe(
          Effect.catchTag("LogoutTokenRefused", ({ why }) => Effect.zipRight(logRefusal(why, source), tokenRefused))
        )
      },
      Effect.provideService(CurrentActor, system("oidc")),
      orDieOnSql
    )

    return { logout } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([LogoutTokensRepo.layer, OidcProvider.layer, RateLimits.layer, SessionsRepo.layer])
  )
}
