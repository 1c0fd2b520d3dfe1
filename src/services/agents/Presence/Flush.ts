import { SqlClient, type SqlError } from "@effect/sql"
import { Array as Arr, Deferred, Effect, Option, Schema } from "effect"
import { SetupAdvice } from "../../../domain/agents/Agent.ts"
import type { AgentId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import * as Ids from "../../kernel/Ids.ts"
import { errorCode } from "../../kernel/sql/Database.ts"
import { writeOrRefuse } from "../../kernel/sql/RefusedRows.ts"
import { type CappedTable, type NamedRow, nameKey, RowCaps } from "../../kernel/sql/RowCaps.ts"
import { TriggerEvents } from "../../triggers/TriggerEvents.ts"
import type { LatestRows, LiveSession, PresenceBatch } from "./Batch.ts"
import type { Advice } from "./Model.ts"
import { makeNamespaces, namespaceOf } from "./Namespaces.ts"
import { agentOnlineEvents } from "./PresenceEvents.ts"
import { makePresenceRepo } from "./Repo.ts"
import type { ConnectRow, HeartbeatRow } from "./Rows.ts"
import type { PresenceState } from "./State.ts"

/** Writes what the sessions have reported. */
export const makeFlush = Effect.fnUntraced(function*(state: PresenceState) {
  const sql = yield* SqlClient.SqlClient
  const repo = yield* makePresenceRepo
  const caps = yield* RowCaps
  const triggerEvents = yield* TriggerEvents
  const namespaces = yield* makeNamespaces
  const flushLock = yield* Effect.makeSemaphore(1)
  const { pending } = state

  const writeBatch = Effect.fnUntraced(function*(batch: PresenceBatch) {
    const at = state.now
    // a session that has already ended must not take the row from a live one of its process
    const arrivals = batch.connects.filter(({ session }) => !session.isDisconnected)
      .map(({ session }) => connectRow(session, at))
    const heartbeats = [...batch.heartbeats].map(heartbeatRow)
    const locked = yield* repo.lockAgents(agentIdsOf(batch))
    yield* repo.upsertProcesses(lastByKey(arrivals, (row) => `${row.agent_id} ${row.worker_id}`))
    const [withoutAdapters, withAdapters] = Arr.partition(arrivals, hasAdapters)
    yield* repo.updateAgentsOnline(lastByKey(withoutAdapters, (row) => row.agent_id))
    yield* repo.updateAgentsFromHello(lastByKey(withAdapters, (row) => row.agent_id))
    const agents = new Map(
      (yield* namespaces.assign(locked, batch.connects.map(({ session }) => session.info))).map((agent) => [
        agent.id,
        agent
      ])
    )
    const ownedKeys = new Set(
      (yield* repo.updateLastSeen(heartbeats)).map((row) => `${row.agent_id} ${row.worker_id}`)
    )
    yield* repo.updateProcessesOffline(batch.disconnects)
    const returned = yield* repo.endOfflineEpisodes([...agents.values()], at)
    yield* triggerEvents.record(returned.flatMap((agent) => agentOnlineEvents(agent, at)))
    yield* repo.updateRefusals([...batch.refusals.values()])
    yield* repo.insertHealth(batch.health)
    yield* namespaces.recordApart([...batch.apartAgentIds], at)
    yield* repo.updateAdvice(
      [...batch.adviceAgentIds].map((agent_id) => ({
        agent_id,
        setup_advice: encodeAdvice(state.advice.get(agent_id)),
        at
      }))
    )
    return { agents, owned: ownedKeys }
  }, sql.withTransaction)

  const flush = flushLock.withPermits(1)(Effect.gen(function*() {
    if (pending.isEmpty) return
    const batch = pending.take()
    if (!pending.isEmpty) state.wake()
    const { agents, owned } = yield* Effect.onError(
      writeBatch(batch),
      () => Effect.sync(() => pending.putBack(batch))
    )
    for (const { result, session } of batch.connects) {
      const agent = agents.get(session.info.agentId)
      if (agent !== undefined) session.namespace = namespaceOf(agent)
      if (agent !== undefined && !state.advice.has(agent.id)) {
        state.advice.set(agent.id, parseAdvice(agent.setup_advice))
      }
      yield* Deferred.succeed(result, agent !== undefined)
    }
    for (const session of batch.heartbeats) {
      const { callbacks, info } = session
      if (info.exclusive && !owned.has(`${info.agentId} ${info.workerId}`)) {
        callbacks.onReplacedOrRevoked(agents.has(info.agentId) ? "replaced" : "revoked")
      }
      const agent = agents.get(info.agentId)
      if (agent !== undefined) session.namespace = namespaceOf(agent)
    }
  }))

  const flushRows = <A extends NamedRow>(
    table: CappedTable,
    latest: LatestRows<A>,
    write: (rows: ReadonlyArray<A>) => Effect.Effect<unknown, SqlError.SqlError>
  ) =>
    Effect.suspend(() => {
      const rows = latest.take()
      const projects = new Set([...rows.values()].map(({ project_id }) => project_id))
      const refuse = (row: A, error: SqlError.SqlError) =>
        Effect.logWarning("A reported row is not stored: the database refuses its values.").pipe(
          Effect.annotateLogs({ table, engine: row.engine, agent_id: row.agent_id, error: errorCode(error) })
        )
      const written = Effect.zipRight(
        caps.prepare(projects),
        Effect.suspend(() => writeOrRefuse(caps.admit(table, sortByKey(rows), nameKey), { write, refuse }))
      )
      return Effect.onError(written, () => Effect.sync(() => latest.putBack(rows)))
    })
  /** In transactions of their own: the rest must not wait for rows that the ingest has locked. */
  const flushDepartures = Effect.suspend(() => {
    const rows = state.departures.take()
    return Effect.onError(
      repo.updateDepartures([...rows.values()]),
      () => Effect.sync(() => state.departures.putBack(rows))
    )
  })
  // what a worker reported before it left comes first
  const flushReports = Effect.all([
    flushRows("workers", state.workers, repo.upsertWorkers),
    flushRows("queues", state.queues, (rows) => Effect.zipRight(repo.upsertQueues(rows), repo.upsertDepths(rows))),
    flushDepartures
  ])

  return { flush, flushAll: Effect.zipRight(flush, flushReports) } as const
})

const connectRow = ({ info }: LiveSession, at: Timestamp.Timestamp): ConnectRow => ({
  id: Ids.uuidv7(Timestamp.toEpochMillis(at)),
  agent_id: info.agentId,
  project_id: info.projectId,
  worker_id: info.workerId,
  session_id: info.sessionId,
  role: info.role,
  framework: info.framework,
  pid: info.pid,
  started_at: info.startedAt,
  engines: JSON.stringify(info.engines),
  schedulers: JSON.stringify(info.schedulers),
  capabilities: JSON.stringify(info.capabilities),
  protocol_version: info.protocolVersion,
  agent_version: info.agentVersion,
  host_name: info.hostName,
  at
})

/** A process without adapters, such as the agents' doctor, must not clear the adapters of its agent. */
const hasAdapters = ({ capabilities, engines, schedulers }: ConnectRow): boolean =>
  engines !== "[]" || schedulers !== "[]" || capabilities !== "{}"

const heartbeatRow = ({ info, lastSeen }: LiveSession): HeartbeatRow => ({
  agent_id: info.agentId,
  worker_id: info.workerId,
  session_id: info.sessionId,
  exclusive: info.exclusive ? 1 : 0,
  at: Timestamp.fromEpochMillis(lastSeen)
})

/** The agents in a batch. */
const agentIdsOf = (batch: PresenceBatch): ReadonlyArray<AgentId> => {
  const rows = [...batch.disconnects, ...batch.health, ...batch.refusals.values()]
  const members = [...batch.connects.map((arrival) => arrival.session), ...batch.heartbeats]
  return [
    ...new Set([
      ...rows.map((row) => row.agent_id),
      ...members.map(({ info }) => info.agentId),
      ...batch.adviceAgentIds,
      ...batch.apartAgentIds
    ])
  ]
}

/** The last row of each key: one statement cannot write a row twice. */
const lastByKey = <A>(
  rows: ReadonlyArray<A>,
  key: (row: A) => string
): ReadonlyArray<A> => [...new Map(rows.map((row) => [key(row), row])).values()]

/** In the order of their keys, which is the same on every replica, so that two replicas cannot deadlock. */
const sortByKey = <A>(rows: ReadonlyMap<string, A>): ReadonlyArray<A> =>
  [...rows].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row)

const decodeAdvice = Schema.decodeUnknownOption(Schema.parseJson(Schema.Array(SetupAdvice)))

const parseAdvice = (text: string): Map<Advice, string> =>
  new Map(Option.getOrElse(decodeAdvice(text), () => []).map(({ code, detail }) => [code, detail]))

const encodeAdvice = (advice: ReadonlyMap<Advice, string> | undefined): string =>
  JSON.stringify([...advice ?? []].map(([code, detail]) => ({ code, detail })))
