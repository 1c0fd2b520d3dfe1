import { Context, Schema } from "effect"
import type { Code } from "./ErrorCodes.ts"

/** Roles of a project. An auditor is a viewer who also reads the audit log, and no operator. */
export const Role = Schema.Literal("viewer", "auditor", "operator", "admin")
export type Role = typeof Role.Type

/** The roles that each role includes besides itself. */
const includedRoles: Readonly<Record<Role, ReadonlyArray<Role>>> = {
  viewer: [],
  auditor: ["viewer"],
  operator: ["viewer"],
  admin: ["viewer", "auditor", "operator"]
}

export const includesRole = (role: Role, required: Role): boolean =>
  role === required || includedRoles[role].includes(required)

/** Whether an endpoint asks for a role in the project of its path. */
export const isRole = (caller: Caller): caller is Role => Object.hasOwn(includedRoles, caller)

/**
 * Who may call an endpoint.
 *
 * - `public`: no credentials
 * - `agent`: an agent, by its bearer token
 * - `session`: a signed-in person by cookie only, never an API key
 * - `authenticated`: a person or an API key
 * - a role: that role in the project of the path, or one that includes it
 * - `global_admin`: the global is_admin bit
 */
export type Caller = "public" | "agent" | "session" | "authenticated" | Role | "global_admin"

/** API-key scopes, `resource:action` (design section 8). `admin:*` contains all of them. */
const resources = [
  "auth",
  "home",
  "projects",
  "tasks",
  "workers",
  "queues",
  "agents",
  "commands",
  "schedules",
  "audit",
  "memberships",
  "notifications",
  "automation",
  "deploys",
  "users"
] as const
export type Resource = (typeof resources)[number]
export type Scope = `${Resource}:read` | `${Resource}:write` | "tasks:delete" | "admin:*"

/** Rate buckets: requests per window and address, or user (interface, Limits). One sliding window per bucket. */
export const rateBuckets = {
  login: 20,
  password_reset: 10,
  invitation: 30,
  bulk_write: 10,
  channel_test: 20,
  channel_import: 30,
  agent: 600,
  backchannel_logout: 6000,
  docs: 10,
  mfa: 10,
  setup: 5,
  activity: 60,
  dead_letters: 60,
  backtest: 60,
  denial: 10,
  refused_key: 10
} as const
export type Bucket = keyof typeof rateBuckets

/**
 * Buckets that count a user's requests instead of an address's: `activity`, questions to agents, backtests of rules, and
 * the rows that refusals may write.
 */
const userBuckets: ReadonlySet<Bucket> = new Set<Bucket>(["activity", "dead_letters", "backtest", "denial"])
export const isUserBucket = (bucket: Bucket): boolean => userBuckets.has(bucket)

/** The length of a bucket's window in seconds. */
export const windowSeconds = (bucket: Bucket): number => (bucket === "setup" ? 900 : 60)

export interface AccessRule {
  readonly caller: Caller
  /** Required of API keys; absent where no API key may call, or none is needed. */
  readonly scope?: Scope
  /** Public, but a session cookie is honoured: its person is the actor, and CSRF is checked. */
  readonly allowsSession?: true
  /** Changes something: by cookie it needs the CSRF token. */
  readonly mutates?: boolean
  /**
   * Creates a record (201), so that `Idempotency-Key` is honoured. `secret`: the response shows something that is never
   * shown again, so a replay is 409 instead of the first response.
   */
  readonly creates?: true | "secret"
  readonly bucket?: Bucket
  /**
   * Reads much, so that few are in flight for each user and credential (`services/kernel/ResponseBudget.ts`). `by_query`: if its query
   * asks for a search or a file. A page over 100 is a heavy read of every endpoint.
   */
  readonly heavy?: "always" | "by_query"
  /** Its response lasts as long as its reader stays, and its number is limited elsewhere. */
  readonly isLive?: true
  /** Public, and takes a password or an equivalent link. Refused over plain HTTP, which would expose it. */
  readonly requiresHttps?: true
  /** Concerns the whole brain, so that an API key which is bound to a project may not call it. */
  readonly unboundKey?: true
  /** Removes or ends something: refusals of signed-in callers are audited. */
  readonly destructive?: boolean
  /** By cookie it needs a step-up: password and second factor given within SVC_MFA_STEP_UP_WINDOW_SECONDS. Keys and restricted sessions are not asked. */
  readonly stepUp?: true
  /** Open to a session whose second factor is pending (design, section 8). */
  readonly allowsPendingFactor?: true
  /** Open to a session whose user is past the deadline to enrol a second factor (interface, MFA enforcement). */
  readonly allowsRestrictedSession?: true
  /** The failures of the endpoint beside those that its rule, path and body imply (`http/Docs/Failures.ts`): its codes. */
  readonly failureCodes?: ReadonlyArray<Code>
  /** Largest request body in bytes where the default setting does not fit the contract. */
  readonly bodyLimit?: number
  /** Takes its body as application/x-www-form-urlencoded instead of JSON, because another specification says so. */
  readonly form?: true
}

/** Whether requests are counted as reads of their person, who may have so many in flight (`services/kernel/ResponseBudget.ts`). */
export const isCountedRead = ({ caller, isLive, mutates }: AccessRule): boolean =>
  caller !== "public" && caller !== "agent" && mutates !== true && isLive !== true

/** A page of more rows is a heavy read. */
export const largestLightPage = 100

/** Parameters that make a read examine more rows than it returns, or return all of them. */
const heavyParameters = ["search", "query", "name", "format"]

/** Whether a request to an endpoint of this rule, with this URL, is a heavy read. */
export const isHeavyRead = ({ heavy }: AccessRule, url: string): boolean => {
  const index = url.indexOf("?")
  if (heavy === "always" || index === -1) return heavy === "always"
  const query = new URLSearchParams(url.slice(index + 1))
  return Number(query.get("limit") ?? 0) > largestLightPage ||
    (heavy === "by_query" && heavyParameters.some((name) => query.has(name)))
}

/** The declaration that each endpoint carries: `.annotate(Access, { caller: "viewer", scope: "tasks:read" })`. */
export class Access extends Context.Tag("svc/Access")<Access, AccessRule>() {}
