import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import {
  type ApiKey,
  type CreateApiKey,
  type CreatedApiKey,
  type ScopeList,
  ScopePreset,
  type UpdateApiKey
} from "../../domain/identity/ApiKey.ts"
import type { UserDetail } from "../../domain/identity/User.ts"
import { Forbidden, NotFound, ValidationFailed } from "../../domain/kernel/Errors.ts"
import { ApiKeyId, type ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { CurrentActor, currentPerson, currentSession, roleIn } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Hints, inTransaction, orDieOnSql } from "../kernel/sql/Database.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { makeApiKeysRepo } from "./ApiKeys/Repo.ts"
import { Scopes } from "./ApiKeys/Scopes.ts"
import { ProjectsRepo } from "./Projects/Repo.ts"
import { sessionEnded, SessionsRepo } from "./SessionsRepo.ts"

const prefixLength = 12

/** The user that a key belongs to. */
type Owner = Pick<UserDetail, "id" | "is_admin">

const orNotFound = orFail(new NotFound({ resource: "api_key" }))

const checkScopes = Effect.fnUntraced(function*(
  catalog: ScopeList,
  requested: ReadonlyArray<string>,
  isAdmin: boolean
) {
  const known: ReadonlySet<string> = new Set(catalog.scopes)
  const issues = requested.flatMap((scope, index) =>
    known.has(scope)
      ? []
      : [{ path: `scopes.${index}`, message: "is not a scope; GET /api-keys/scopes lists them" }]
  )
  if (issues.length > 0) return yield* new ValidationFailed({ issues })
  const adminOnly: ReadonlySet<string> = new Set(catalog.admin_only)
  const adminScopes = requested.filter((scope) => adminOnly.has(scope))
  if (!isAdmin && adminScopes.length > 0) {
    return yield* new Forbidden({
      code: "scope_admin_only",
      detail: `Only a global admin can put ${adminScopes.join(", ")} into a key.`
    })
  }
})

/** Keys for scripts: each belongs to a person and can never do more than they can. */
export class ApiKeys extends Effect.Service<ApiKeys>()("svc/ApiKeys", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* makeApiKeysRepo
    const projects = yield* ProjectsRepo
    const sessions = yield* SessionsRepo
    const scopeCatalog = yield* Scopes
    const audit = yield* Audit
    const hints = yield* Hints

    const scopes: ScopeList = {
      scopes: scopeCatalog.scopes,
      admin_only: scopeCatalog.admin_only,
      presets: ScopePreset.literals.map((name) => ({ name, scopes: scopeCatalog.presets[name] }))
    }

    /** The caller's keys, newest first; revoked and expired ones too. */
    const list = Effect.fn("ApiKeys.list")(function*() {
      return yield* repo.list((yield* currentPerson).user_id)
    }, orDieOnSql)

    /** The project to bind to, which the caller must be able to see. */
    const getBoundProject = Effect.fnUntraced(function*(projectId: ProjectId | null) {
      if (projectId === null) return null
      const actor = yield* CurrentActor
      const project = Option.filter(yield* projects.findById(projectId), ({ id }) => roleIn(actor, id) !== null)
      return yield* orFail(new NotFound({ resource: "project" }))(project)
    })

    const insertKey = Effect.fnUntraced(function*(owner: Owner, input: CreateApiKey) {
      yield* checkScopes(scopes, input.scopes, owner.is_admin)
      const project = yield* getBoundProject(input.project_id)
      const token = `svk_${yield* Ids.secret}`
      const now = yield* Timestamp.now
      const key: ApiKey = {
        id: yield* Ids.nextOf(ApiKeyId),
        name: input.name,
        prefix: token.slice(0, prefixLength),
        scopes: [...new Set(input.scopes)],
        project_id: project?.id ?? null,
        project_slug: project?.slug ?? null,
        last_used_at: null,
        last_used_ip: null,
        expires_at: input.expires_in_days === null
          ? null
          : Timestamp.addSeconds(now, input.expires_in_days * Timestamp.secondsPerDay),
        revoked_at: null,
        revoked_reason: null,
        created_at: now,
        allowed_cidrs: input.allowed_cidrs
      }
      yield* repo.insert(key, owner.id, Ids.hashSecret(token))
      yield* audit.record(auditEntry("api_key.created", "api_key", key.id, {
        project_id: key.project_id,
        metadata: { name: key.name, prefix: key.prefix, scopes: key.scopes, expires_at: key.expires_at }
      }))
      return { ...key, token } satisfies CreatedApiKey
    })

    /**
     * Creates a key of the caller. Its secret is in this result only. The session is verified in the same transaction,
     * so a session that ends at the same moment creates no key.
     */
    const create = Effect.fn("ApiKeys.create")(function*(input: CreateApiKey) {
      const { person: { is_admin, user_id }, session_id } = yield* currentSession
      if (!(yield* sessions.isActiveForUpdate(user_id, session_id, yield* Timestamp.now))) return yield* sessionEnded
      return yield* insertKey({ id: user_id, is_admin }, input)
    }, inTransaction(sql))

    /** Creates a key for a given user; called by the program itself. */
    const createFor = Effect.fn("ApiKeys.createFor")(insertKey, sql.withTransaction, orDieOnSql)

    /** Changes the addresses from which the caller's key is accepted, effective at once. */
    const update = Effect.fn("ApiKeys.update")(function*(id: ApiKeyId, { allowed_cidrs }: UpdateApiKey) {
      const { user_id } = yield* currentPerson
      const key = yield* Effect.flatMap(repo.findById(user_id, id), orNotFound)
      if (allowed_cidrs === undefined) return key
      yield* repo.setAllowedCidrs(id, allowed_cidrs)
      yield* hints.publish("access", user_id)
      yield* audit.record(auditEntry("api_key.updated", "api_key", id, {
        project_id: key.project_id,
        metadata: { allowed_cidrs }
      }))
      return { ...key, allowed_cidrs }
    }, inTransaction(sql))

    /**
     * Revokes the caller's key: `Authentication` refuses it from this commit on, and the hint ends its live streams. A
     * key that is revoked already keeps the time and reason of its first revocation. Nothing else revokes a key:
     * `Authentication` also refuses one whose owner is inactive, and deleting its owner or project deletes the key.
     */
    const revoke = Effect.fn("ApiKeys.revoke")(function*(id: ApiKeyId) {
      const { user_id } = yield* currentPerson
      const key = yield* Effect.flatMap(repo.findById(user_id, id), orNotFound)
      if (!(yield* repo.revoke(id, yield* Timestamp.now, "revoked by its owner"))) return
      yield* hints.publish("access", user_id)
      yield* audit.record(auditEntry("api_key.revoked", "api_key", id, { project_id: key.project_id }))
    }, inTransaction(sql))

    return { scopes, list, create, createFor, update, revoke } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([ProjectsRepo.layer, SessionsRepo.layer]))
}
