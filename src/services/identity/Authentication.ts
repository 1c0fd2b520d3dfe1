import { Effect, Layer, Option } from "effect"
import { type EnforcementPolicy, findEnrollmentRequirement, isOverdue } from "../../domain/identity/Mfa.ts"
import type { Role, Scope } from "../../domain/kernel/Access.ts"
import type { Person, RequestSource, SessionCredential } from "../../domain/kernel/Actor.ts"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import { type CidrRange, type IpAddress, isInRanges, parseAddress, parseCidrs } from "../../domain/kernel/net/Cidr.ts"
import type { Project } from "../../domain/kernel/Project.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import * as Ids from "../kernel/Ids.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { RateLimits } from "../kernel/RateLimits.ts"
import { Settings } from "../kernel/Settings.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { tracedFn } from "../kernel/TracedFn.ts"
import { type KeyRow, makeCredentialsRepo, type SessionRow, type UserRow } from "./Authentication/Repo.ts"
import { decodeJoinedProject } from "./Projects/Repo.ts"
import { policyOf } from "./Sessions/SecondFactor.ts"

/** A person, and the project that the request names if one has that slug: the person need not have a role in it. */
export interface Authenticated {
  readonly person: Person
  readonly project: Project | null
  /** The user has a role in that project, though not necessarily from this address. */
  readonly isMember: boolean
}

/** Parsed lists of addresses that are kept. */
const maxParsedLists = 1000

/** The use of a key or session is stored at most this often, in seconds. */
const lastUsedIntervalSeconds = 60

/** Keeps what it parses: each request of a global admin is checked against the lists of all projects. */
const makeListParser = () => {
  const parsedLists = new Map<string, ReadonlyArray<CidrRange>>()
  return (list: string): ReadonlyArray<CidrRange> => {
    const known = parsedLists.get(list)
    if (known !== undefined) return known
    if (parsedLists.size >= maxParsedLists) parsedLists.clear()
    const ranges = parseCidrs(JSON.parse(list))
    parsedLists.set(list, ranges)
    return ranges
  }
}

const addressOf = ({ source_ip }: RequestSource): IpAddress | null => parseAddress(source_ip ?? "")

const refusalReason = (row: KeyRow | undefined, now: Timestamp.Timestamp): string | null => {
  if (row === undefined) return "no such key"
  if (row.revoked_at !== null) return "it is revoked"
  if (row.expires_at !== null && row.expires_at <= now) return "it has expired"
  return row.is_active === 1 ? null : "its owner is not active"
}

const authenticatedOf = (
  row: UserRow,
  via: Person["via"],
  source: RequestSource,
  parseList: ReturnType<typeof makeListParser>
): Authenticated => {
  // SQLite groups no rows to an empty object, PostgreSQL to null; the service wrote ids and roles
  const roles: Readonly<Record<ProjectId, Role>> = row.roles === null ? {} : JSON.parse(row.roles)
  const ranges: Readonly<Record<ProjectId, string>> = row.ranges === null ? {} : JSON.parse(row.ranges)
  // Object.entries forgets the type of the keys
  const memberships = Object.entries(roles) as Array<[ProjectId, Role]>
  const lists = Object.entries(ranges) as Array<[ProjectId, string]>
  const address = lists.length === 0 ? null : addressOf(source)
  const refused_projects = new Set(
    lists.flatMap(([id, list]) => isInRanges(address, parseList(list)) ? [] : [id])
  )
  const person: Person = {
    kind: "person",
    user_id: row.user_id,
    email: row.email,
    is_admin: row.is_admin === 1,
    roles: new Map(memberships.filter(([id]) => !refused_projects.has(id))),
    refused_projects,
    via,
    ...source
  }
  const project = row.project === null ? null : decodeJoinedProject(row.project)
  return { person, project, isMember: project !== null && (person.is_admin || roles[project.id] !== undefined) }
}

/** What the session is allowed now: the policy is evaluated at each request. */
const sessionOf = (
  row: SessionRow,
  now: Timestamp.Timestamp,
  policy: EnforcementPolicy,
  stepUpWindow: number
): SessionCredential => {
  const enrolled = row.mfa_enrolled_at !== null
  const factor_pending = enrolled && row.factor_at === null
  const started_at = row.mfa_enforcement_started_at
  const enrollment = findEnrollmentRequirement(policy, { is_admin: row.is_admin === 1, enrolled, started_at })
  return {
    kind: "session",
    session_id: row.id,
    enrolled,
    factor_pending,
    is_fresh: !factor_pending && row.proven_at !== null &&
      now < Timestamp.addSeconds(row.proven_at, stepUpWindow),
    overdue_since: isOverdue(enrollment, now) ? enrollment.deadline : null
  }
}

/**
 * Resolves a credential to a person, with the project of the request's path, by one statement: every request waits for
 * it, and each statement on PostgreSQL costs the brain 40 to 90 µs. No row is cached, so a revoked key, an ended
 * session and a removed membership are refused by all replicas from their commit on.
 */
export class Authentication extends Effect.Service<Authentication>()("svc/Authentication", {
  effect: Effect.gen(function*() {
    const repo = yield* makeCredentialsRepo
    const settings = yield* Settings
    const metrics = yield* Metrics
    const limits = yield* RateLimits
    // a short idle timeout needs more frequent updates, or a session in use would expire
    const lastSeenIntervalSeconds = Math.min(lastUsedIntervalSeconds, settings.sessionIdleTimeout / 10)

    const parseList = makeListParser()
    const pendingWrites = new Set<string>()

    /**
     * Stores one of several concurrent uses. A failed write is ignored: the time of last use is informational, and a
     * full disk must not lock all users out.
     */
    const recordUse = <A, E>(id: string, write: Effect.Effect<A, E>) =>
      Effect.suspend(() => {
        if (pendingWrites.has(id)) return Effect.void
        pendingWrites.add(id)
        return write.pipe(
          Effect.catchAll((error) =>
            Effect.zipRight(
              Effect.sync(() => metrics.swallowedExceptions.inc({ module: "authentication", site: "last_used" })),
              Effect.logDebug("could not update last_used_at of a credential", error)
            )
          ),
          Effect.ensuring(Effect.sync(() => pendingWrites.delete(id)))
        )
      })

    /** Logs the first ten refusals a minute of an address; without the limit, any client could fill the log. */
    const logRefusedKey = (why: string, { source_ip }: RequestSource, key: Partial<KeyRow>) =>
      Effect.whenEffect(
        Effect.annotateLogs(Effect.logInfo(`an API key was refused: ${why}`), {
          source_ip,
          ...(key.id !== undefined && { api_key_id: key.id, user_id: key.user_id })
        }),
        limits.takeForAddress("refused_key", source_ip)
      )

    /**
     * The person behind an API key (`svk_…`), if the key exists, is not revoked or expired, and its owner is active;
     * and the project of `slug`. `via` says whether the key is accepted from this address. `isUse`: stores the time of use.
     */
    const findByApiKey = tracedFn("Authentication.findByApiKey")(
      function*(token: string, source: RequestSource, isUse: boolean, slug: string | null) {
        const [row] = yield* repo.selectKey(slug, Ids.hashSecret(token))
        const now = yield* Timestamp.now
        const reason = refusalReason(row, now)
        if (row === undefined || reason !== null) {
          yield* logRefusedKey(reason ?? "", source, row ?? {})
          return Option.none<Authenticated>()
        }
        // the service wrote them, from the catalogue
        const scopes: ReadonlySet<Scope> = new Set<Scope>(JSON.parse(row.scopes))
        const is_address_allowed = row.allowed_cidrs === null ||
          isInRanges(addressOf(source), parseList(row.allowed_cidrs))
        const before = Timestamp.addSeconds(now, -lastUsedIntervalSeconds)
        if (isUse && is_address_allowed && (row.last_used_at === null || row.last_used_at <= before)) {
          yield* recordUse(row.id, repo.markKeyUsed(row.id, source.source_ip, now, before))
        }
        const via = {
          kind: "api_key",
          api_key_id: row.id,
          scopes,
          project_id: row.project_id,
          is_address_allowed
        } as const
        return Option.some(authenticatedOf(row, via, source, parseList))
      },
      orDieOnSql
    )

    /**
     * The person behind a session cookie, unless the session is expired, revoked or idle too long, or its user
     * inactive; and the project of `slug`. `isUse`: restarts the idle timeout.
     */
    const findBySession = tracedFn("Authentication.findBySession")(
      function*(token: string, source: RequestSource, isUse: boolean, slug: string | null) {
        const [row] = yield* repo.selectSession(slug, Ids.hashSecret(token))
        if (row === undefined) return Option.none<Authenticated>()
        const now = yield* Timestamp.now
        const idleEnd = Timestamp.addSeconds(row.last_seen_at, settings.sessionIdleTimeout)
        if (row.expires_at <= now || (row.remember_me === 0 && idleEnd <= now)) return Option.none<Authenticated>()
        const before = Timestamp.addSeconds(now, -lastSeenIntervalSeconds)
        if (isUse && row.last_seen_at <= before) {
          yield* recordUse(row.id, repo.markSessionUsed(row.id, now, before))
        }
        return Option.some(
          authenticatedOf(
            row,
            sessionOf(row, now, policyOf(settings, row.required_for_all === 1), settings.mfaStepUpWindow),
            source,
            parseList
          )
        )
      },
      orDieOnSql
    )

    return { findByApiKey, findBySession } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(RateLimits.layer))
}
