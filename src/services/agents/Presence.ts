import { SqlClient, type SqlError } from "@effect/sql"
import { Array as Arr, Deferred, Effect, Layer, Option, Queue, Schema } from "effect"
import { SetupAdvice } from "../../domain/agents/Agent.ts"
import { noNamespace } from "../../domain/agents/TaskNamespace.ts"
import { agentProcessMetadata, ENGINES_WITHOUT_WORKERS } from "../../domain/agents/Worker.ts"
import type { AgentId } from "../../domain/kernel/Id.ts"
import * as Redaction from "../../domain/kernel/Redaction.ts"
import { toStorable } from "../../domain/kernel/Text.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import * as Ids from "../kernel/Ids.ts"
import { Settings } from "../kernel/Settings.ts"
import { errorCode, orDieOnSql } from "../kernel/sql/Database.ts"
import { writeOrRefuse } from "../kernel/sql/RefusedRows.ts"
import { type CappedTable, type NamedRow, nameKey, RowCaps } from "../kernel/sql/RowCaps.ts"
import { TriggerEvents } from "../triggers/TriggerEvents.ts"
import { readAdapterHealth, type WorkerReport } from "./Presence/AdapterHealth.ts"
import { type Description, LatestRows, type LiveSession, PresenceBatch, type WorkerKey } from "./Presence/Batch.ts"
import type { Advice, PresenceCallbacks, PresenceHandle, ProcessInfo } from "./Presence/Model.ts"
import { makeNamespaces, namespaceOf } from "./Presence/Namespaces.ts"
import { agentOnlineEvents } from "./Presence/PresenceEvents.ts"
import { makePresenceRepo } from "./Presence/Repo.ts"
import type { ConnectRow, DepartureRow, HeartbeatRow, QueueRow, WorkerRow } from "./Presence/Rows.ts"
import { makePresenceSweeps } from "./Presence/Sweeps.ts"

const flushMillis = 1000
/** Connects and disconnects within this time are one batch. */
const batchMillis = 20
/** Changing loss is written at most this often. */
const lossIntervalMillis = 60_000

/**
 * The presence of agents and their processes, and the workers and queues that their heartbeats describe. Signs of life
 * are collected in memory and flushed about once a second. A connect is written within 20 ms, with those of the same
 * moment.
 */
export class Presence extends Effect.Service<Presence>()("svc/Presence", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* makePresenceRepo
    const sweeps = yield* makePresenceSweeps
    const loops = yield* Loops
    const caps = yield* RowCaps
    const triggerEvents = yield* TriggerEvents
    const namespaces = yield* makeNamespaces
    const settings = yield* Settings
    const redaction = Redaction.make(settings.redactExtraKeys)
    const clock = yield* Effect.clock
    const pending = new PresenceBatch()
    const workers = new LatestRows<WorkerRow>()
    const queues = new LatestRows<QueueRow>()
    const departures = new LatestRows<DepartureRow>()
    const liveSessions = new Set<LiveSession>()
    const advice = new Map<AgentId, Map<Advice, string>>()
    const wake = yield* Queue.sliding<void>(1)
    const flushLock = yield* Effect.makeSemaphore(1)

    const nowMillis = () => clock.unsafeCurrentTimeMillis()
    const timestampOf = (at: number) => Timestamp.fromEpochMicros(at * 1000)

    const writeBatch = Effect.fnUntraced(function*(batch: PresenceBatch) {
      const at = timestampOf(nowMillis())
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
      const returned = yield* repo.endOfflineEpisodes([...agents.values()])
      yield* triggerEvents.record(returned.flatMap((agent) => agentOnlineEvents(agent, at)))
      yield* repo.updateRefusals([...batch.refusals.values()])
      yield* repo.insertHealth(batch.health)
      yield* namespaces.recordApart([...batch.apartAgentIds], at)
      yield* repo.updateAdvice(
        [...batch.adviceAgentIds].map((agent_id) => ({
          agent_id,
          setup_advice: encodeAdvice(advice.get(agent_id)),
          at
        }))
      )
      return { agents, owned: ownedKeys }
    }, sql.withTransaction)

    const flush = flushLock.withPermits(1)(Effect.gen(function*() {
      if (pending.isEmpty) return
      const batch = pending.take()
      if (!pending.isEmpty) wake.unsafeOffer()
      const { agents, owned } = yield* Effect.onError(
        writeBatch(batch),
        () => Effect.sync(() => pending.putBack(batch))
      )
      for (const { result, session } of batch.connects) {
        const agent = agents.get(session.info.agentId)
        if (agent !== undefined) session.namespace = namespaceOf(agent)
        if (agent !== undefined && !advice.has(agent.id)) advice.set(agent.id, parseAdvice(agent.setup_advice))
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
      const rows = departures.take()
      return Effect.onError(
        sweeps.recordDepartures([...rows.values()]),
        () => Effect.sync(() => departures.putBack(rows))
      )
    })
    // what a worker reported before it left comes first
    const flushReports = Effect.all([
      flushRows("workers", workers, repo.upsertWorkers),
      flushRows("queues", queues, repo.queues),
      flushDepartures
    ])
    const flushAll = Effect.zipRight(flush, flushReports)

    const makeHandle = (session: LiveSession): PresenceHandle => {
      const { agentId, exclusive, projectId, sessionId, startedAt, workerId } = session.info
      let lastLoss = ""
      let lossAt = -Infinity
      const setAdvice = (code: Advice, detail: string | null) => {
        const known = advice.get(agentId) ?? new Map<Advice, string>()
        advice.set(agentId, known)
        if ((known.get(code) ?? null) === detail) return
        if (detail === null) known.delete(code)
        else known.set(code, detail)
        pending.adviceAgentIds.add(agentId)
      }
      return {
        get namespace() {
          return session.namespace
        },
        reportApart: () => {
          pending.apartAgentIds.add(agentId)
        },
        touch: () => {
          session.lastSeen = nowMillis()
          pending.heartbeats.add(session)
        },
        reportAdapterHealth: (health) => {
          const now = nowMillis()
          const adapterReport = readAdapterHealth(health, redaction)
          if (adapterReport.brokers.size > 0) setAdvice("broker_absent", brokerAdvice(adapterReport.brokers))
          const descriptions = new Map<string, Description>()
          for (const { metadata, queues: reads, ...worker } of adapterReport.workers) {
            const key = `${worker.engine} ${worker.name}`
            const description = describe(session.descriptions.get(key), metadata.uptime_seconds, timestampOf(now))
            descriptions.set(key, description)
            workers.set(`${projectId} ${key}`, {
              ...worker,
              id: Ids.uuidv7(now),
              project_id: projectId,
              agent_id: agentId,
              queues: JSON.stringify(reads),
              metadata: JSON.stringify({ ...metadata, described_at: description.at }),
              at: timestampOf(now)
            })
          }
          for (const engine of engineWorkersOf(session)) {
            workers.set(`${projectId} ${engine} ${workerId}`, {
              ...processWorkerRow(session, engine),
              id: Ids.uuidv7(now),
              at: timestampOf(now)
            })
          }
          session.descriptions = descriptions
          session.ownWorkers = ownWorkersOf(session, adapterReport.workers)
          for (const queue of adapterReport.queues) {
            const row = {
              ...queue,
              id: Ids.uuidv7(now),
              project_id: projectId,
              agent_id: agentId,
              at: timestampOf(now)
            }
            queues.set(`${projectId} ${queue.engine} ${queue.name}`, row)
          }
        },
        reportTaskWorker: (engine, name, at) => {
          // an event from before the process is of another one, whose buffer it has adopted
          if (startedAt !== null && at < startedAt) return
          session.taskWorkers.set(engine, name)
        },
        reportTelemetryLoss: (text) => {
          const now = nowMillis()
          if (text === lastLoss || now - lossAt < lossIntervalMillis) return
          lastLoss = text
          lossAt = now
          pending.health.push({
            agent_id: agentId,
            worker_id: workerId === agentId ? null : workerId,
            captured_at: timestampOf(now),
            telemetry_loss: text
          })
        },
        setAdvice,
        disconnect: (isOrderly) => {
          session.isDisconnected = true
          liveSessions.delete(session)
          pending.heartbeats.delete(session)
          // a long-poll session has no end: its process is offline once no replica hears from it
          if (!exclusive) return
          if (isOrderly) {
            for (const row of departuresOf(session, timestampOf(nowMillis()))) {
              departures.set(`${projectId} ${row.engine} ${row.name}`, row)
            }
          }
          pending.disconnects.push({
            agent_id: agentId,
            worker_id: workerId,
            session_id: sessionId,
            at: timestampOf(nowMillis())
          })
          wake.unsafeOffer()
        }
      }
    }

    /** Stores the process as online. None when its agent has been deleted. */
    const connect = Effect.fnUntraced(function*(info: ProcessInfo, callbacks: PresenceCallbacks) {
      const member: LiveSession = {
        info,
        callbacks,
        lastSeen: nowMillis(),
        ownWorkers: [],
        descriptions: new Map(),
        taskWorkers: new Map(),
        namespace: noNamespace,
        isDisconnected: false
      }
      const isStored = yield* Deferred.make<boolean>()
      pending.connects.push({ session: member, result: isStored })
      liveSessions.add(member)
      wake.unsafeOffer()
      const handle = makeHandle(member)
      const exists = yield* Effect.onInterrupt(
        Deferred.await(isStored),
        () => Effect.sync(() => handle.disconnect(false))
      )
      if (exists) return Option.some(handle)
      liveSessions.delete(member)
      return Option.none<PresenceHandle>()
    })

    /** Stores on the agent's record why it was refused. `reason` is a short code, `detail` a sentence. */
    const recordRefusal = (agentId: AgentId, reason: string, detail: string): void => {
      pending.refusals.set(agentId, {
        agent_id: agentId,
        reason: toStorable(reason, 100, ""),
        detail: toStorable(detail, 500, ""),
        at: timestampOf(nowMillis())
      })
    }

    /** Refreshes the sessions that the gateway has paused: it does not read their heartbeats. */
    const refreshPausedSessions = Effect.sync(() => {
      for (const member of liveSessions) {
        if (!member.callbacks.isPaused()) continue
        member.lastSeen = nowMillis()
        pending.heartbeats.add(member)
      }
    })

    const startedAt = nowMillis()
    /** Nothing took heartbeats while no brain ran: after a restart, workers have the time to report again. */
    const sweepWorkers = Effect.suspend(() => {
      const upMillis = nowMillis() - startedAt // negative after the clock was set back
      return upMillis >= 0 && upMillis < settings.agentOfflineAfter * 1000 ? Effect.void : sweeps.sweepWorkers()
    })

    const sweepMillis = Math.max(500, Math.min(5000, settings.agentOfflineAfter * 250))
    const awaitFlush = Effect.zipRight(Effect.timeoutOption(Queue.take(wake), flushMillis), Effect.sleep(batchMillis))
    yield* loops.forever("presence", Effect.zipRight(awaitFlush, flushAll))
    yield* loops.every(
      "presence offline",
      sweepMillis,
      Effect.all([
        refreshPausedSessions,
        sweeps.sweepProcesses(),
        sweeps.reportOfflineAgents(),
        sweepWorkers
      ])
    )
    // a loop of its own: it reads tasks, and a locked table of tasks must not make paused sessions look silent
    yield* loops.every("presence departures", sweepMillis, sweeps.sweepDepartures())
    yield* loops.every("presence excess", "10 seconds", sweeps.deleteExcessProcesses())
    yield* loops.upkeep("presence retention", "1 hour", sweeps.prune())
    // the last disconnects, while the database is still open
    yield* Effect.addFinalizer(() => flush.pipe(Effect.interruptible, Effect.timeoutOption("2 seconds"), Effect.ignore))

    return { connect, recordRefusal, flush: orDieOnSql(flushAll) } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([RowCaps.layer, TriggerEvents.layer]))
}

const brokerAdvice = (brokers: ReadonlyMap<string, boolean>): string | null => {
  const absent = [...brokers].filter(([, isConnected]) => !isConnected).map(([engine]) => engine)
  return absent.length === 0
    ? null
    : `The broker of ${absent.join(", ")} does not answer the agent. Nothing runs, and no event arrives, until it does.`
}

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

/**
 * Engines whose tasks the process runs and whose workers no heartbeat describes. A published agent's process has no name
 * over long-poll.
 */
const engineWorkersOf = ({ info }: LiveSession): ReadonlyArray<string> =>
  info.workerId !== info.agentId && (info.role === null || info.role === "task")
    ? info.engines.filter((engine) => ENGINES_WITHOUT_WORKERS.has(engine))
    : []

/** The process as a worker; restart-worker accepts the same name. */
const processWorkerRow = ({ info }: LiveSession, engine: string): Omit<WorkerRow, "id" | "at"> => ({
  project_id: info.projectId,
  agent_id: info.agentId,
  engine,
  name: info.workerId,
  hostname: info.hostName,
  pid: info.pid,
  concurrency: null,
  queues: "[]",
  active_tasks: 0,
  metadata: agentProcessMetadata
})

/**
 * Celery's published agent asks its worker once a minute and repeats the answer in the heartbeats between. An answer with
 * the same uptime is such a repetition: it proves nothing of the time since.
 */
const describe = (former: Description | undefined, uptime: unknown, at: Timestamp.Timestamp): Description =>
  former !== undefined && typeof uptime === "number" && former.uptime === uptime ? former : { uptime, at }

/**
 * The workers of a report that run in the session's process. Without a local hostname an agent describes the workers of
 * all hosts, and in containers processes of several hosts have one id: then none is known to be its own.
 */
const ownWorkersOf = (session: LiveSession, reported: ReadonlyArray<WorkerReport>): ReadonlyArray<WorkerKey> => {
  const own = reported.filter(({ pid }) => pid !== null && pid === session.info.pid)
  return new Set(own.map(({ hostname }) => hostname)).size > 1 ? [] : own
}

const departuresOf = (session: LiveSession, at: Timestamp.Timestamp): ReadonlyArray<DepartureRow> =>
  [
    ...session.ownWorkers,
    ...[...session.taskWorkers].map(([engine, name]): WorkerKey => ({ engine, name })),
    ...engineWorkersOf(session).map((engine): WorkerKey => ({ engine, name: session.info.workerId }))
  ].map(({ engine, name }) => ({ project_id: session.info.projectId, engine, name, at }))

/** A process without adapters, such as the agents' doctor, must not clear the adapters of its agent. */
const hasAdapters = ({ capabilities, engines, schedulers }: ConnectRow): boolean =>
  engines !== "[]" || schedulers !== "[]" || capabilities !== "{}"

const heartbeatRow = ({ info, lastSeen }: LiveSession): HeartbeatRow => ({
  agent_id: info.agentId,
  worker_id: info.workerId,
  session_id: info.sessionId,
  exclusive: info.exclusive ? 1 : 0,
  at: Timestamp.fromEpochMicros(lastSeen * 1000)
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
