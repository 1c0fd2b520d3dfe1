import { agentProcessMetadata, ENGINES_WITHOUT_WORKERS } from "../../../domain/agents/Worker.ts"
import type * as Redaction from "../../../domain/kernel/Redaction.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import * as Ids from "../../kernel/Ids.ts"
import { lowWindowOf } from "../Queues/Lows.ts"
import { readAdapterHealth, type WorkerReport } from "./AdapterHealth.ts"
import type { Description, LiveSession, WorkerKey } from "./Batch.ts"
import type { Advice, PresenceHandle } from "./Model.ts"
import type { DepartureRow, WorkerRow } from "./Rows.ts"
import type { PresenceState } from "./State.ts"

/** Changing loss is written at most this often. */
const lossIntervalMillis = 60_000

/** What the gateway reports of a session. */
export const makeHandle = (
  state: PresenceState,
  redaction: Redaction.Redaction,
  session: LiveSession
): PresenceHandle => {
  const { advice, pending } = state
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
      session.lastSeen = state.nowMillis()
      pending.heartbeats.add(session)
    },
    reportAdapterHealth: (health) => {
      const now = state.nowMillis()
      const at = Timestamp.fromEpochMillis(now)
      const adapterReport = readAdapterHealth(health, redaction)
      if (adapterReport.brokers.size > 0) setAdvice("broker_absent", brokerAdvice(adapterReport.brokers))
      const descriptions = new Map<string, Description>()
      for (const { metadata, queues: reads, ...worker } of adapterReport.workers) {
        const key = `${worker.engine} ${worker.name}`
        const description = describe(session.descriptions.get(key), metadata.uptime_seconds, at)
        descriptions.set(key, description)
        state.workers.set(`${projectId} ${key}`, {
          ...worker,
          id: Ids.uuidv7(now),
          project_id: projectId,
          agent_id: agentId,
          queues: JSON.stringify(reads),
          metadata: JSON.stringify({ ...metadata, described_at: description.at }),
          at
        })
      }
      for (const engine of engineWorkersOf(session)) {
        state.workers.set(`${projectId} ${engine} ${workerId}`, {
          ...processWorkerRow(session, engine),
          id: Ids.uuidv7(now),
          at
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
          at,
          low_window: queue.depth === null ? null : lowWindowOf(at),
          minute: Math.floor(now / 60_000)
        }
        state.queues.set(`${projectId} ${queue.engine} ${queue.name}`, row)
      }
    },
    reportTaskWorker: (engine, name, at) => {
      // an event from before the process is of another one, whose buffer it has adopted
      if (startedAt !== null && at < startedAt) return
      session.taskWorkers.set(engine, name)
    },
    reportTelemetryLoss: (text) => {
      const now = state.nowMillis()
      if (text === lastLoss || now - lossAt < lossIntervalMillis) return
      lastLoss = text
      lossAt = now
      pending.health.push({
        agent_id: agentId,
        worker_id: workerId === agentId ? null : workerId,
        captured_at: Timestamp.fromEpochMillis(now),
        telemetry_loss: text
      })
    },
    setAdvice,
    disconnect: (isOrderly) => {
      session.isDisconnected = true
      state.liveSessions.delete(session)
      pending.heartbeats.delete(session)
      // a long-poll session has no end: its process is offline once no replica receives anything from it
      if (!exclusive) return
      if (isOrderly) {
        for (const row of departuresOf(session, state.now)) {
          state.departures.set(`${projectId} ${row.engine} ${row.name}`, row)
        }
      }
      pending.disconnects.push({
        agent_id: agentId,
        worker_id: workerId,
        session_id: sessionId,
        at: state.now
      })
      state.wake()
    }
  }
}

const brokerAdvice = (brokers: ReadonlyMap<string, boolean>): string | null => {
  const absent = [...brokers].filter(([, isConnected]) => !isConnected).map(([engine]) => engine)
  return absent.length === 0
    ? null
    : `The broker of ${absent.join(", ")} does not answer the agent. Nothing runs, and no event arrives, until it does.`
}

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
 * Celery's published agent asks its worker once a minute and repeats the reply in the heartbeats between. A reply with
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
