import { SqlClient } from "@effect/sql"
import { Array as Arr, Clock, Effect, Layer, Option, Redacted } from "effect"
import type { CreateAgent, CreatedAgent, UpdateAgent } from "../../domain/agents/Agent.ts"
import { Conflict, NotFound, Unauthenticated } from "../../domain/kernel/Errors.ts"
import { AgentId, type ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { type AgentIdentity, CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Vault } from "../kernel/keys/Keys.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { Removal } from "../kernel/Removal.ts"
import { Hints, inTransaction, isUniqueViolation, orDieOnSql } from "../kernel/sql/Database.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { AgentsRepo } from "./Repo.ts"

const maxHealthRows = 200

/** Agents per statement: on SQLite 1000 of them block the event loop for 1.8 ms. */
const activeIdsSlice = 1000

/** Between two log lines about refused tokens. */
const refusalLogIntervalMillis = 10_000

const agentNotFound = new NotFound({ resource: "agent" })

const nameTaken = (name: string) =>
  new Conflict({ code: "agent_name_taken", detail: `The project has an agent "${name}". Choose another name.` })

const unauthenticated = new Unauthenticated({ detail: "Send the agent's token as `Authorization: Bearer …`." })

/** Agents' tokens start with `sva_`, so that a leaked one is recognised for what it is. */
const tokenPrefix = "sva_"

/** The agents of a project and their tokens. */
// one object of short methods over the table `agents`
export class Agents extends Effect.Service<Agents>()("svc/Agents", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* AgentsRepo
    const removal = yield* Removal
    const audit = yield* Audit
    const vault = yield* Vault
    const metrics = yield* Metrics
    const refusalLog = { count: 0, loggedAt: -Infinity }
    const hints = yield* Hints

    const openKey = (agentId: AgentId, sealed: string) =>
      vault.open("agents.hmac_secret", agentId, sealed).pipe(
        Effect.map((secret) => Redacted.make(Buffer.from(secret, "base64url"))),
        Effect.orDie // the keys were verified at start, so the database is damaged
      )

    /** Newest first. */
    const list = Effect.fn("Agents.list")(() => Effect.flatMap(CurrentProject, ({ id }) => repo.list(id)), orDieOnSql)

    const get = Effect.fn("Agents.get")(function*(projectId: ProjectId, agentId: AgentId) {
      return yield* Effect.flatMap(repo.findById(projectId, agentId), orFail(agentNotFound))
    }, orDieOnSql)

    /** Creates the agent. Its token and secret are in this response only; its name is unique in the project. */
    const create = Effect.fn("Agents.create")(function*(input: CreateAgent) {
      const project = yield* CurrentProject
      const id = yield* Ids.nextOf(AgentId)
      const token = `${tokenPrefix}${yield* Ids.secret}`
      const hmac_secret = yield* Ids.secret
      const namespace = input.namespace ?? null
      const agent = yield* repo.insert({
        id,
        project_id: project.id,
        name: input.name,
        token_hash: Ids.hashSecret(token),
        hmac_secret: yield* vault.seal("agents.hmac_secret", id, hmac_secret),
        task_namespace: namespace,
        created_at: yield* Timestamp.now
      }).pipe(Effect.catchIf(isUniqueViolation, () => nameTaken(input.name)))
      yield* audit.record(auditEntry("agent.created", "agent", id, {
        project_id: project.id,
        metadata: { name: input.name, ...(namespace !== null && { namespace }) }
      }))
      return { agent, token, hmac_secret } satisfies CreatedAgent
    }, inTransaction(sql))

    /** Sets the namespace of the agent's tasks. Its sessions use it from their next heartbeat on. */
    const update = Effect.fn("Agents.update")(function*(agentId: AgentId, { namespace }: UpdateAgent) {
      const project = yield* CurrentProject
      const before = yield* get(project.id, agentId)
      yield* repo.updateNamespace(project.id, agentId, namespace, yield* Timestamp.now)
      yield* audit.record(auditEntry("agent.updated", "agent", agentId, {
        project_id: project.id,
        metadata: { name: before.name, namespace: { before: before.namespace, after: namespace } }
      }))
      return { ...before, namespace }
    }, inTransaction(sql))

    /**
     * Deletes the agent: its token is void, its pending and dispatched commands end as cancelled, and a hint on
     * `access` with its id makes every replica close its connections.
     */
    const remove = Effect.fn("Agents.remove")(function*(agentId: AgentId) {
      const project = yield* CurrentProject
      yield* get(project.id, agentId)
      // before the transaction and in slices: deleting thousands of rows at once would block every other writer
      yield* repo.deleteHealth(agentId)
      const removeRest = yield* removal.ofAgent(project.id, agentId)
      yield* sql.withTransaction(Effect.gen(function*() {
        const schedules_deleted = yield* removeRest
        if (!(yield* repo.delete(project.id, agentId))) return yield* agentNotFound
        yield* hints.publish("access", agentId)
        yield* audit.record(auditEntry("agent.deleted", "agent", agentId, {
          project_id: project.id,
          metadata: { schedules_deleted }
        }))
      }))
    }, orDieOnSql)

    /** The agent's latest health snapshots, newest first, at most 200. */
    const listHealth = Effect.fn("Agents.listHealth")(function*(agentId: AgentId) {
      yield* get((yield* CurrentProject).id, agentId)
      return yield* repo.listHealth(agentId, maxHealthRows)
    }, orDieOnSql)

    /** The agent of this token; none when there is no such agent or its project is inactive. */
    const findByToken = Effect.fn("Agents.findByToken")(function*(token: string) {
      const row = yield* repo.findByTokenHash(Ids.hashSecret(token))
      if (Option.isNone(row)) return Option.none<AgentIdentity>()
      const { hmac_secret, id, name, project_id } = row.value
      return Option.some<AgentIdentity>({ agent_id: id, project_id, name, key: yield* openKey(id, hmac_secret) })
    }, orDieOnSql)

    /** Counts a refused token and logs one line per 10 s for all of them, so that a flood cannot fill the disk. */
    const reportRefusedToken = Effect.gen(function*() {
      metrics.framesRefused.inc({ reason: "bad_token" })
      refusalLog.count++
      const now = yield* Clock.currentTimeMillis
      if (now - refusalLog.loggedAt < refusalLogIntervalMillis) return
      yield* Effect.logWarning(
        "an agent was refused: its token is not valid, or its agent or project was deleted. Check the token that the agent is set up with."
      ).pipe(Effect.annotateLogs({ logger: "agents", refused: refusalLog.count }))
      refusalLog.count = 0
      refusalLog.loggedAt = now
    })

    /** The agent that sends this `Authorization` header. Callers annotate the logs with its `client` address. */
    const authenticate = Effect.fn("Agents.authenticate")(function*(authorization: string | undefined) {
      const token = /^bearer\s+(\S{1,500})$/i.exec(authorization ?? "")?.[1]
      const identity = token === undefined ? Option.none() : yield* findByToken(token)
      if (Option.isSome(identity)) return identity.value
      yield* reportRefusedToken
      return yield* unauthenticated
    })

    /** Those of the agents whose tokens are valid, by one statement per 1000 agents. */
    const listActiveIds = Effect.fn("Agents.listActiveIds")(function*(agentIds: ReadonlyArray<AgentId>) {
      const activeIds = yield* Effect.forEach(Arr.chunksOf(agentIds, activeIdsSlice), repo.listActiveIds)
      return new Set(activeIds.flat())
    }, orDieOnSql)

    /** The agent's signing key (32 bytes), for signatures outside of a connection, such as purge tokens. */
    const getHmacKey = Effect.fn("Agents.getHmacKey")(function*(projectId: ProjectId, agentId: AgentId) {
      return yield* openKey(
        agentId,
        yield* Effect.flatMap(repo.findSealedSecret(projectId, agentId), orFail(agentNotFound))
      )
    }, orDieOnSql)

    return {
      list,
      get,
      create,
      update,
      remove,
      listHealth,
      findByToken,
      authenticate,
      listActiveIds,
      getHmacKey
    } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(AgentsRepo.layer))
}
