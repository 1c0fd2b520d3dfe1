import type { Role, Scope } from "./Access.ts"
import type { ApiKeyId, ProjectId, SessionId, UserId } from "./Id.ts"
import type { Timestamp } from "./Timestamp.ts"

/** Who acts: recorded in the audit log and asked by policies. */
export type Actor = Person | System

/** Where a request came from. */
export interface RequestSource {
  readonly source_ip: string | null
  readonly user_agent: string | null
}

/** A user, by session cookie or through one of their API keys. */
export interface Person extends RequestSource {
  readonly kind: "person"
  readonly user_id: UserId
  readonly email: string
  readonly is_admin: boolean
  /** Role in each project that accepts the address. An API key never holds more than its owner. */
  readonly roles: ReadonlyMap<ProjectId, Role>
  /** Projects of the person, for a global admin of all, that do not accept the address. */
  readonly refused_projects: ReadonlySet<ProjectId>
  readonly via: SessionCredential | ApiKeyCredential
}

export interface SessionCredential {
  readonly kind: "session"
  readonly session_id: SessionId
  /** The person has a second factor. */
  readonly enrolled: boolean
  /** The person has one, and it was not given in this session. */
  readonly factor_pending: boolean
  /** Password and factor were given within the step-up window. */
  readonly is_fresh: boolean
  /** The deadline by which they should have enrolled, when it has passed; else null. */
  readonly overdue_since: Timestamp | null
}

export interface ApiKeyCredential {
  readonly kind: "api_key"
  readonly api_key_id: ApiKeyId
  readonly scopes: ReadonlySet<Scope>
  /** The project the key is bound to, or null. */
  readonly project_id: ProjectId | null
  /** The request comes from an address in the key's `allowed_cidrs`. */
  readonly is_address_allowed: boolean
}

/** A session may do whatever its person may; a key what its scopes name. */
export const hasScope = (via: Person["via"], scope: Scope): boolean =>
  via.kind === "session" || via.scopes.has(scope) || via.scopes.has("admin:*")

/** The program itself: the CLI, an embedding application, a sweeper. May do everything. */
export interface System {
  readonly kind: "system"
  readonly name: string
}

export const system = (name: string): Actor => ({ kind: "system", name })
