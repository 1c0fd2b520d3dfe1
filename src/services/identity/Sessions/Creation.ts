import { Effect, Layer } from "effect"
import { isOverdue } from "../../../domain/identity/Mfa.ts"
import type { ProviderSignIn } from "../../../domain/identity/Oidc.ts"
import type { LoginResult } from "../../../domain/identity/Session.ts"
import type { UserDetail } from "../../../domain/identity/User.ts"
import type { Actor, Person, RequestSource } from "../../../domain/kernel/Actor.ts"
import { SessionId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Audit, type AuditEntry, auditEntry } from "../../audit/Audit.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Settings } from "../../kernel/Settings.ts"
import { Hints } from "../../kernel/sql/Database.ts"
import { providerColumns, SessionsRepo } from "../SessionsRepo.ts"
import { LoginPlaces } from "./LoginPlaces.ts"
import { MfaLogin, type MfaState } from "./SecondFactor.ts"

/** A session's cookie: its secret and its lifetime. */
export interface SessionCookie {
  readonly token: string
  readonly maxAgeSeconds: number
}

export interface CreatedSession extends SessionCookie {
  readonly result: LoginResult
}

/** What a session begins with: `factor` was given, or stood for; all that the account asks for was given just now. */
export interface AuthenticationStrength {
  readonly remember: boolean
  readonly factor: boolean
  readonly fresh: boolean
  /** The sign-in at the provider whose end ends the session; null: a password opened it. */
  readonly provider: ProviderSignIn | null
}

/** A browser: from where it calls, and what its cookies say: of a session, and of being trusted. */
export interface Browser {
  readonly source: RequestSource
  readonly token: string | undefined
  readonly device: string | null
}

/** A sign-in of a browser. */
export interface SignIn extends Browser {
  readonly remember: boolean
  /** Whether the person gave the password just now, here or at the provider. */
  readonly fresh: boolean
  readonly provider: ProviderSignIn | null
  /** For the audit row. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** What else was done in the transaction; recorded before the sign-in. */
  readonly earlier?: ReadonlyArray<{ readonly actor: Actor; readonly entry: AuditEntry }>
}

/** The sign-in of a person who has chosen the account's password just now. */
export const firstSignIn = (browser: Browser, by: string): SignIn => ({
  ...browser,
  remember: false,
  fresh: true,
  provider: null,
  metadata: { by }
})

/** Opens sessions: at a login, or in place of another one when the password changes. */
export class SessionCreation extends Effect.Service<SessionCreation>()("svc/SessionCreation", {
  effect: Effect.gen(function*() {
    const repo = yield* SessionsRepo
    const settings = yield* Settings
    const mfa = yield* MfaLogin
    const audit = yield* Audit
    const hints = yield* Hints
    const places = yield* LoginPlaces

    /** Opens the session in the caller's transaction; returns the session with its actor. */
    const open = Effect.fnUntraced(
      function*(user: UserDetail, mfaState: MfaState, proof: AuthenticationStrength, source: RequestSource) {
        const now = yield* Timestamp.now
        const { remember } = proof
        const maxAgeSeconds = remember ? settings.sessionRememberMeLifetime : settings.sessionAbsoluteLifetime
        const token = yield* Ids.secret
        const id = yield* Ids.nextOf(SessionId)
        yield* places.recordAddress(user.id, source, now)
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
          proven_at: proof.fresh ? now : null,
          ...providerColumns(proof.provider)
        })
        const { enrolled, enrollment } = mfaState
        const factor_pending = enrolled && !proof.factor
        const result: LoginResult = {
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
          refused_projects: new Set(),
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
        return { opened: { token, maxAgeSeconds, result } satisfies CreatedSession, actor, id }
      }
    )

    /**
     * Opens the session of a sign-in in the caller's transaction, in place of the browser's former one. A trusted browser
     * counts as the second factor, but not as a fresh proof.
     */
    const begin = Effect.fnUntraced(function*(user: UserDetail, signIn: SignIn) {
      const { entries, is_trusted, ...standing } = yield* mfa.beginLogin(user.id, signIn.device)
      const { provider, remember } = signIn
      const proof = { remember, factor: is_trusted, fresh: signIn.fresh && !standing.enrolled, provider }
      const { actor, id, opened } = yield* open(user, standing, proof, signIn.source)
      const replacedSession = signIn.token === undefined
        ? null
        : yield* repo.revokeToken(Ids.hashSecret(signIn.token), yield* Timestamp.now)
      const metadata = {
        ...signIn.metadata,
        ...(replacedSession !== null && { replaced_session_id: replacedSession.id }),
        ...(standing.enrolled && { second_factor: is_trusted ? "trusted_device" : "owed" })
      }
      if (replacedSession !== null) yield* hints.publish("access", replacedSession.user_id)
      const login = auditEntry("auth.login", "session", id, { metadata })
      yield* audit.recordAll([
        ...(signIn.earlier ?? []),
        ...[login, ...entries].map((entry) => ({ actor, entry }))
      ])
      return opened
    })

    return { open, begin } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([LoginPlaces.layer, MfaLogin.layer, SessionsRepo.layer]))
}
