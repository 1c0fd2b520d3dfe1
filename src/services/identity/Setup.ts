import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Redacted } from "effect"
import type { CompleteSetup, SetupCompleted } from "../../domain/identity/Setup.ts"
import { makeUser, normalizeEmail, personalTextsOf } from "../../domain/identity/User.ts"
import { system } from "../../domain/kernel/Actor.ts"
import { Conflict, Forbidden, RateLimited } from "../../domain/kernel/Errors.ts"
import { MembershipId, UserId } from "../../domain/kernel/Id.ts"
import { clientKey } from "../../domain/kernel/net/ClientAddress.ts"
import type { CreateProject } from "../../domain/kernel/Project.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Audit, type AuditEntry, auditEntry } from "../audit/Audit.ts"
import { CurrentActor } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { publicUrlOf } from "../kernel/PublicUrl.ts"
import { Settings } from "../kernel/Settings.ts"
import { inTransaction, orDieOnSql } from "../kernel/sql/Database.ts"
import { MembershipsRepo } from "./Memberships/Repo.ts"
import { Passwords } from "./Passwords.ts"
import { Projects } from "./Projects.ts"
import { type Browser, firstSignIn, SessionCreation } from "./Sessions/Creation.ts"
import { makeSetupRepo } from "./Setup/Repo.ts"
import { UsersRepo } from "./UsersRepo.ts"

export interface FirstAdmin {
  readonly email: string
  readonly displayName: string | null
  readonly password: Redacted.Redacted
}

/** A setup link that was opened in a browser. */
interface SetupLink {
  readonly tokenHash: string
  readonly browser: Browser
}

const alreadySetUp = new Conflict({
  code: "setup_done",
  detail: "The brain is set up already. Sign in, or ask its global admin for an account."
})

const setupTokenInvalid = new Forbidden({
  code: "setup_token_invalid",
  detail: "This setup link is not valid or has expired. Restart the brain to get a new one in its log."
})

const tooManyAttempts = new RateLimited({ detail: "Too many setup attempts. Wait 15 minutes." })

const setupActor = system("setup")

const withSetupActor = Effect.provideService(CurrentActor, setupActor)

const attemptWindowSeconds = 900
/** The limit of all addresses together, as a multiple of one address's limit (interface, Limits). */
const globalAttemptFactor = 8

const firstProject: CreateProject = {
  slug: "default",
  name: "Default",
  description: null,
  environment: "production",
  timezone: "UTC",
  default_scheduler_owner: "svc-scheduler",
  allowed_schedulers: null
}

/** First boot: while there is no user, the holder of the one-time token creates the first admin. */
export class Setup extends Effect.Service<Setup>()("svc/Setup", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* makeSetupRepo
    const users = yield* UsersRepo
    const projects = yield* Projects
    const memberships = yield* MembershipsRepo
    const sessions = yield* SessionCreation
    const passwords = yield* Passwords
    const audit = yield* Audit
    const settings = yield* Settings

    const hashPassword = ({ displayName: display_name, email, password }: FirstAdmin) =>
      passwords.hashNew({ password, field: "password", about: personalTextsOf({ email, display_name }) })

    /** Whether the brain has no user yet. */
    const isFirstBoot = Effect.map(repo.hasUsers, (has) => !has).pipe(orDieOnSql)

    /**
     * A new setup link, valid once and for SVC_SETUP_TOKEN_TTL_SECONDS; none when there is a user. Links of other
     * replicas and earlier starts remain valid. The starting server prints it.
     */
    const createLink = Effect.fn("Setup.createLink")(function*() {
      if (yield* repo.hasUsers) return Option.none<string>()
      const now = yield* Timestamp.now
      const token = yield* Ids.secret
      yield* repo.deleteExpiredTokens(now)
      yield* repo.insertToken({
        id: yield* Ids.next,
        token_hash: Ids.hashSecret(token),
        created_at: now,
        expires_at: Timestamp.addSeconds(now, settings.setupTokenTtl)
      })
      return Option.some(`${publicUrlOf(settings)}/setup?token=${token}`)
    }, orDieOnSql)

    /** Counts an attempt in the database, for all replicas; fails after too many. */
    const countAttempt = Effect.fnUntraced(function*(source_ip: string) {
      yield* repo.lockAttempts
      const now = yield* Timestamp.now
      yield* repo.deleteAttemptsUntil(Timestamp.addSeconds(now, -attemptWindowSeconds))
      const perAddress = settings.firstBootAttemptsPerIp
      if (
        (yield* repo.countAttemptsFrom(source_ip)) >= perAddress ||
        (yield* repo.countAttempts) >= perAddress * globalAttemptFactor
      ) {
        return yield* tooManyAttempts
      }
      yield* repo.insertAttempt({ id: yield* Ids.next, source_ip, attempted_at: now })
    }, sql.withTransaction)

    /**
     * Creates the admin and the project `default` with the admin as its member, if there is still no user. With a link,
     * verifies its token again under the lock, and signs the browser in.
     */
    const createFirstAdmin = Effect.fnUntraced(
      function*(admin: FirstAdmin, passwordHash: string, link: SetupLink | null) {
        yield* users.lockAll
        if ((yield* users.count) > 0) return yield* alreadySetUp
        const now = yield* Timestamp.now
        if (link !== null && !(yield* repo.isTokenValid(link.tokenHash, now))) return yield* setupTokenInvalid
        const { displayName: display_name, email } = admin
        const created = makeUser({ id: yield* Ids.nextOf(UserId), email, display_name, is_admin: true }, now)
        const user = { ...created, last_login_at: link === null ? null : now }
        yield* users.insert(user, normalizeEmail(user.email), passwordHash)
        yield* repo.deleteTokens
        const project = yield* projects.create(firstProject)
        const membershipId = yield* Ids.nextOf(MembershipId)
        const membership = { user_id: user.id, project_id: project.id, role: "admin" } as const
        yield* memberships.insert({ id: membershipId, ...membership, created_at: now })
        const source = link?.browser.source ?? { source_ip: null, user_agent: null }
        const entries: ReadonlyArray<AuditEntry> = [
          auditEntry("membership.granted", "membership", membershipId, {
            project_id: project.id,
            metadata: { user_id: user.id, role: membership.role },
            source
          }),
          auditEntry("setup.completed", "user", user.id, {
            metadata: { email: user.email, by_link: link !== null },
            source
          })
        ]
        const earlier = entries.map((entry) => ({ actor: setupActor, entry }))
        const completed: SetupCompleted = { user, project_id: project.id }
        if (link === null) {
          yield* audit.recordAll(earlier)
          return { completed, session: null }
        }
        const session = yield* sessions.begin(user, { ...firstSignIn(link.browser, "setup"), earlier })
        return { completed, session }
      },
      sql.withTransaction,
      withSetupActor
    )

    /**
     * Completes the first boot by the token of the link, and signs the browser in. A wrong token costs one of the
     * address's attempts.
     */
    const complete = Effect.fn("Setup.complete")(function*(input: CompleteSetup, browser: Browser) {
      if (yield* repo.hasUsers) return yield* alreadySetUp
      yield* countAttempt(clientKey(browser.source.source_ip))
      const tokenHash = Ids.hashSecret(Redacted.value(input.token))
      if (!(yield* repo.isTokenValid(tokenHash, yield* Timestamp.now))) return yield* setupTokenInvalid
      const { display_name: displayName, email, password } = input
      const admin: FirstAdmin = { email, displayName, password }
      return yield* createFirstAdmin(admin, yield* hashPassword(admin), { tokenHash, browser })
    }, orDieOnSql)

    /**
     * Creates the first admin from the command line, on first boot only. Needs no token: its caller has the database.
     */
    const bootstrapAdmin = Effect.fn("Setup.bootstrapAdmin")(function*(admin: FirstAdmin) {
      if (yield* repo.hasUsers) return yield* alreadySetUp
      return (yield* createFirstAdmin(admin, yield* hashPassword(admin), null)).completed
    }, orDieOnSql)

    /** Revokes all setup links, on first boot only, in case one has leaked. Returns how many. */
    const resetTokens = Effect.fn("Setup.resetTokens")(function*() {
      yield* users.lockAll
      if ((yield* users.count) > 0) return yield* alreadySetUp
      const tokens = yield* repo.deleteTokens
      yield* audit.record({ action: "setup.tokens_reset", target_type: "setup", metadata: { tokens } })
      return tokens
    }, inTransaction(sql))

    return { isFirstBoot, createLink, complete, bootstrapAdmin, resetTokens } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([MembershipsRepo.layer, Passwords.layer, Projects.layer, SessionCreation.layer, UsersRepo.layer])
  )
}
