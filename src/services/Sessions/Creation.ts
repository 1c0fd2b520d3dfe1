import { Effect, Layer } from "effect"
import type { Person, RequestSource } from "../../domain/Actor.ts"
import { SessionId } from "../../domain/Id.ts"
import { isOverdue } from "../../domain/Mfa.ts"
import type { LoginResult } from "../../domain/Session.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import type { UserDetail } from "../../domain/User.ts"
import * as Ids from "../Ids.ts"
import type { MfaState } from "../Mfa/Login.ts"
import { Settings } from "../Settings.ts"
import { SessionsRepo } from "./Repo.ts"

/** A session's cookie: its secret and its lifetime. */
export interface SessionCookie {
  readonly token: string
  readonly maxAgeSeconds: number
}

export interface CreatedSession extends SessionCookie {
  readonly answer: LoginResult
}

/** What a session begins with: `factor` was given, or stood for; all that the account asks for was given just now. */
export interface AuthenticationStrength {
  readonly remember: boolean
  readonly factor: boolean
  readonly fresh: boolean
}

/** Opens sessions: at a login, or in place of another one when the password changes. */
export class SessionCreation extends Effect.Service<SessionCreation>()("svc/SessionCreation", {
  effect: Effect.gen(function*() {
    const repo = yield* SessionsRepo
    const settings = yield* Settings

    /** Opens the session in the caller's transaction; returns the session with its actor. */
    const open = Effect.fnUntraced(
      function*(user: UserDetail, mfaState: MfaState, proof: AuthenticationStrength, source: RequestSource) {
        const now = yield* Timestamp.now
        const { remember } = proof
        const maxAgeSeconds = remember ? settings.sessionRememberMeLifetime : settings.sessionAbsoluteLifetime
        const token = yield* Ids.secret
        const id = yield* Ids.nextOf(SessionId)
        yield* repo.insert({
          id,
          user_id: user.id,
          token_hash: Ids.hashSecret(token),
          remember_me: remember ? 1 : 0,
          issued_at: now,
          last_seen_at: now,
          expires_at: Timestamp.addSeconds(now, maxAgeSeconds),
          ip_at_issue: source.source_ip ?? "",
          user_agent_at_issue: source.user_agent,
          factor_at: proof.factor ? now : null,
          proven_at: proof.fresh ? now : null
        })
        const { enrolled, enrollment } = mfaState
        const factor_pending = enrolled && !proof.factor
        const answer: LoginResult = {
          user,
          mfa_required: factor_pending,
          mfa_enrollment_required: enrollment.required,
          mfa_enrollment_deadline: enrollment.deadline
        }
        const actor: Person = {
          kind: "person",
          user_id: user.id,
          email: user.email,
          is_admin: user.is_admin,
          roles: new Map(),
          via: {
            kind: "session",
            session_id: id,
            enrolled,
            factor_pending,
            is_fresh: proof.fresh && !factor_pending,
            overdue_since: isOverdue(enrollment, now) ? enrollment.deadline : null
          },
          ...source
        }
        return { opened: { token, maxAgeSeconds, answer } satisfies CreatedSession, actor, id }
      }
    )

    return { open } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(SessionsRepo.layer))
}
