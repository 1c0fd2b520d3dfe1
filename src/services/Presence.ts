import { SqlClient, type SqlError } from "@effect/sql"
import { Array as Arr, Deferred, Effect, Option, Queue, Schema } from "effect"
import { SetupAdvice } from "../domain/Agent.ts"
import * as Redaction from "../domain/Redaction.ts"
import * as Timestamp from "../domain/Timestamp.ts"
import { agentProcess, ENGINES_WITHOUT_WORKERS } from "../domain/Worker.ts"
import { orDieOnSql } from "./Database.ts"
import * as Ids from "./Ids.ts"
import { Loops } from "./Loops.ts"
import { readAdapterHealth, storable } from "./Presence/AdapterHealth.ts"
import { Latest, type Member, Pending } from "./Presence/Pending.ts"
import { PresenceRepo } from "./Presence/Repo.ts"
import type { ConnectRow, QueueRow, SeenRow, WorkerRow } from "./Presence/Rows.ts"
import { PresenceSweeps } from "./Presence/Sweeps.ts"
import { type CappedRow, type CappedTable, RowCaps } from "./RowCaps.ts"
import { Settings } from "./Settings.ts"

/** What a process says of itself when it connects. Texts are cut to their columns by whoever reads the hello. */
export interface Introduction {
  readonly agentId: string
  readonly projectId: string
  readonly sessionId: string
  /** As in `AgentSession`. */
  readonly workerId: string
  /** Whether only this session may speak for the process; long-poll sessions share their agent's row. */
  readonly exclusive: boolean
  readonly protocolVersion: string
  readonly agentVersion: string | null
  readonly framework: string | null
  readonly engines: ReadonlyArray<string>
  readonly schedulers: ReadonlyArray<string>
  readonly capabilities: Readonly<Record<string, ReadonlyArray<string>>>
  readonly hostName: string | null
  readonly role: string | null
  readonly pid: number | null
  readonly startedAt: Timestamp.Timestamp | null
}

/** The session's side of it. */
export interface Visitor {
  /** Another session speaks for the process now, or the agent was deleted: close. */
  readonly lost: (why: "replaced" | "revoked") => void
  /** Whether we have stopped reading it, so that its silence means nothing. */
  readonly paused: () => boolean
}

export type Advice = SetupAdvice["code"]

/** A session that is present. All of it is plain code in memory; the database hears of it about once a second. */
export interface Present {
  readonly seen: () => void
  /** `adapter_health` of a heartbeat, as plain values. */
  readonly adapters: (health: Readonly<Record<string, unknown>>) => void
  /** A checked `telemetry_loss` as JSON text. */
  readonly loss: (text: string) => void
  /** Notes or, with null, withdraws advice on the agent's set-up. */
  readonly advise: (advice: Advice, detail: string | null) => void
  readonly gone: () => void
}

const flushMillis = 1000
/** What arrives or leaves within this time is written together. */
const gatherMillis = 20
/** Loss that keeps changing is written at most this often. */
const lossMillis = 60_000

/**
 * Who is there: agents, their processes, and what their heartbeats tell of workers and queues. Signs of life are
 * kept in memory and written together, about once a second; an arrival is written at once, with those of the same
 * moment.
 */
export class Presence extends Effect.Service<Presence>()("svc/Presence", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* PresenceRepo
    const sweeps = yield* PresenceSweeps
    const loops = yield* Loops
    const caps = yield* RowCaps
    const settings = yield* Settings
    const redaction = Redaction.make(settings.redactExtraKeys)
    const clock = yield* Effect.clock
    const pending = new Pending()
    const workers = new Latest<WorkerRow>()
    const queues = new Latest<QueueRow>()
    const members = new Set<Member>()
    const advice = new Map<string, Map<Advice, string>>()
    const wake = yield* Queue.sliding<void>(1)
    const flushing = yield* Effect.makeSemaphore(1)

    const millis = () => clock.unsafeCurrentTimeMillis()
    const stamp = (at: number) => Timestamp.fromEpochMicros(at * 1000)

    const write = Effect.fnUntraced(function*(batch: Pending) {
      const at = stamp(millis())
      const arrivals = batch.arrivals.map(({ member }) => arrivalRow(member, at))
      const seen = [...batch.seen].map(seenRow)
      const agents = new Map((yield* repo.lock(agentsOf(batch))).map((agent) => [agent.id, agent]))
      yield* repo.connected(lastOf(arrivals, (row) => `${row.agent_id} ${row.worker_id}`))
      const [silent, telling] = Arr.partition(arrivals, tellsOfItself)
      yield* repo.arrived(lastOf(silent, (row) => row.agent_id))
      yield* repo.introduced(lastOf(telling, (row) => row.agent_id))
      const owned = new Set((yield* repo.seen(seen)).map((row) => `${row.agent_id} ${row.worker_id}`))
      yield* repo.gone(batch.gone)
      yield* repo.refused([...batch.refusals.values()])
      yield* repo.health(batch.health)
      yield* repo.advised([...batch.advised].map((agent_id) => ({ agent_id, setup_advice: adviceText(advice.get(agent_id)), at })))
      return { agents, owned }
    }, sql.withTransaction)

    const flush = flushing.withPermits(1)(Effect.gen(function*() {
      if (pending.isEmpty) return
      const batch = pending.take()
      if (!pending.isEmpty) wake.unsafeOffer()
      const { agents, owned } = yield* Effect.onError(write(batch), () => Effect.sync(() => pending.putBack(batch)))
      for (const { done, member } of batch.arrivals) {
        const agent = agents.get(member.about.agentId)
        if (agent !== undefined && !advice.has(agent.id)) advice.set(agent.id, readAdvice(agent.setup_advice))
        yield* Deferred.succeed(done, agent !== undefined)
      }
      for (const { about, visitor } of batch.seen) {
        if (about.exclusive && !owned.has(`${about.agentId} ${about.workerId}`)) {
          visitor.lost(agents.has(about.agentId) ? "replaced" : "revoked")
        }
      }
    }))

    const report = <A extends CappedRow>(
      table: CappedTable,
      reports: Latest<A>,
      write: (rows: ReadonlyArray<A>) => Effect.Effect<unknown, SqlError.SqlError>
    ) =>
      Effect.suspend(() => {
        const rows = reports.take()
        const projects = new Set([...rows.values()].map(({ project_id }) => project_id))
        const written = Effect.zipRight(caps.prepare(projects), Effect.suspend(() => write(caps.admit(table, sorted(rows)))))
        return Effect.onError(written, () => Effect.sync(() => reports.putBack(rows)))
      })
    /** Apart from the rest, which must not wait for rows that the ingest is writing. */
    const flushReports = Effect.zipRight(report("workers", workers, repo.workers), report("queues", queues, repo.queues))
    const flushAll = Effect.zipRight(flush, flushReports)

    const presentOf = (member: Member): Present => {
      const { agentId, exclusive, projectId, sessionId, workerId } = member.about
      let lastLoss = ""
      let lossAt = -Infinity
      return {
        seen: () => {
          member.lastSeen = millis()
          pending.seen.add(member)
        },
        adapters: (health) => {
          const now = millis()
          const found = readAdapterHealth(health, redaction)
          for (const { metadata, queues: reads, ...worker } of found.workers) {
            workers.set(`${projectId} ${worker.engine} ${worker.name}`, {
              ...worker,
              id: Ids.uuidv7(now),
              project_id: projectId,
              agent_id: agentId,
              queues: JSON.stringify(reads),
              metadata: JSON.stringify({ ...metadata, described_at: stamp(now) }),
              at: stamp(now)
            })
          }
          for (const engine of enginesRun(member)) {
            workers.set(`${projectId} ${engine} ${workerId}`, { ...processRow(member, engine), id: Ids.uuidv7(now), at: stamp(now) })
          }
          for (const queue of found.queues) {
            const row = { ...queue, id: Ids.uuidv7(now), project_id: projectId, agent_id: agentId, at: stamp(now) }
            queues.set(`${projectId} ${queue.engine} ${queue.name}`, row)
          }
        },
        loss: (text) => {
          const now = millis()
          if (text === lastLoss || now - lossAt < lossMillis) return
          lastLoss = text
          lossAt = now
          pending.health.push({
            agent_id: agentId,
            worker_id: workerId === agentId ? null : workerId,
            captured_at: stamp(now),
            telemetry_loss: text
          })
        },
        advise: (code, detail) => {
          const known = advice.get(agentId) ?? new Map<Advice, string>()
          advice.set(agentId, known)
          if ((known.get(code) ?? null) === detail) return
          if (detail === null) known.delete(code)
          else known.set(code, detail)
          pending.advised.add(agentId)
        },
        gone: () => {
          member.left = true
          members.delete(member)
          pending.seen.delete(member)
          // a long-poll session has no end: its process is offline when nothing more is heard of it, on any replica
          if (!exclusive) return
          pending.gone.push({ agent_id: agentId, worker_id: workerId, session_id: sessionId, at: stamp(millis()) })
          wake.unsafeOffer()
        }
      }
    }

    /** Writes the process down as online. None when its agent was deleted meanwhile. */
    const connect = Effect.fnUntraced(function*(about: Introduction, visitor: Visitor) {
      const member: Member = { about, visitor, lastSeen: millis(), left: false }
      const done = yield* Deferred.make<boolean>()
      pending.arrivals.push({ member, done })
      members.add(member)
      wake.unsafeOffer()
      const present = presentOf(member)
      const exists = yield* Effect.onInterrupt(Deferred.await(done), () => Effect.sync(present.gone))
      if (exists) return Option.some(present)
      members.delete(member)
      return Option.none<Present>()
    })

    /** Remembers on the agent's record why it was refused. `reason` is a short code, `detail` a sentence. */
    const refused = (agentId: string, reason: string, detail: string): void => {
      pending.refusals.set(agentId, {
        agent_id: agentId,
        reason: storable(reason, 100),
        detail: storable(detail, 500),
        at: stamp(millis())
      })
    }

    /** A session that we do not read cannot show life: we vouch for it. */
    const vouch = Effect.sync(() => {
      for (const member of members) {
        if (!member.visitor.paused()) continue
        member.lastSeen = millis()
        pending.seen.add(member)
      }
    })

    const sweepMillis = Math.max(500, Math.min(5000, settings.agentOfflineAfter * 250))
    const next = Effect.zipRight(Effect.timeoutOption(Queue.take(wake), flushMillis), Effect.sleep(gatherMillis))
    yield* loops.forever("presence", Effect.zipRight(next, flushAll))
    yield* loops.every("presence offline", sweepMillis, Effect.all([vouch, sweeps.offline(), sweeps.workersOffline()]))
    yield* loops.every("presence excess", "10 seconds", sweeps.excess())
    yield* loops.every("presence retention", "1 hour", sweeps.retention())
    // the last departures, while the database is still there
    yield* Effect.addFinalizer(() =>
      flush.pipe(Effect.interruptible, Effect.timeoutOption("2 seconds"), Effect.ignore))

    return { connect, refused, flush: orDieOnSql(flushAll) } as const
  })
}) {
  static readonly layer = this.Default
}

const arrivalRow = ({ about }: Member, at: Timestamp.Timestamp): ConnectRow => ({
  id: Ids.uuidv7(Timestamp.toEpochMillis(at)),
  agent_id: about.agentId,
  project_id: about.projectId,
  worker_id: about.workerId,
  session_id: about.sessionId,
  role: about.role,
  framework: about.framework,
  pid: about.pid,
  started_at: about.startedAt,
  engines: JSON.stringify(about.engines),
  schedulers: JSON.stringify(about.schedulers),
  capabilities: JSON.stringify(about.capabilities),
  protocol_version: about.protocolVersion,
  agent_version: about.agentVersion,
  host_name: about.hostName,
  at
})

/** Engines whose tasks a process runs and whose workers nothing else tells of. Over long-poll a process has no name. */
const enginesRun = ({ about }: Member): ReadonlyArray<string> =>
  about.exclusive && (about.role === null || about.role === "task")
    ? about.engines.filter((engine) => ENGINES_WITHOUT_WORKERS.has(engine))
    : []

/** The process as a worker; restart-worker takes the same name. */
const processRow = ({ about }: Member, engine: string): Omit<WorkerRow, "id" | "at"> => ({
  project_id: about.projectId,
  agent_id: about.agentId,
  engine,
  name: about.workerId,
  hostname: about.hostName,
  pid: about.pid,
  concurrency: null,
  queues: "[]",
  active_tasks: 0,
  metadata: agentProcess
})

/** A process that operates nothing, such as the agents' doctor, does not make its agent one that operates nothing. */
const tellsOfItself = ({ capabilities, engines, schedulers }: ConnectRow): boolean =>
  engines !== "[]" || schedulers !== "[]" || capabilities !== "{}"

const seenRow = ({ about, lastSeen }: Member): SeenRow => ({
  agent_id: about.agentId,
  worker_id: about.workerId,
  session_id: about.sessionId,
  exclusive: about.exclusive ? 1 : 0,
  at: Timestamp.fromEpochMicros(lastSeen * 1000)
})

/** The agents that a batch writes about. */
const agentsOf = (batch: Pending): ReadonlyArray<string> => {
  const rows = [...batch.gone, ...batch.health, ...batch.refusals.values()]
  const members = [...batch.arrivals.map((arrival) => arrival.member), ...batch.seen]
  return [...new Set([...rows.map((row) => row.agent_id), ...members.map(({ about }) => about.agentId), ...batch.advised])]
}

/** The last row of each key: one statement cannot write a row twice. */
const lastOf = <A>(rows: ReadonlyArray<A>, key: (row: A) => string): ReadonlyArray<A> =>
  [...new Map(rows.map((row) => [key(row), row])).values()]

/** In the order of their keys, which is the same on every replica: two that write the same rows cannot deadlock. */
const sorted = <A>(rows: ReadonlyMap<string, A>): ReadonlyArray<A> =>
  [...rows].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row)

const decodeAdvice = Schema.decodeUnknownOption(Schema.parseJson(Schema.Array(SetupAdvice)))

const readAdvice = (text: string): Map<Advice, string> =>
  new Map(Option.getOrElse(decodeAdvice(text), () => []).map(({ code, detail }) => [code, detail]))

const adviceText = (advice: ReadonlyMap<Advice, string> | undefined): string =>
  JSON.stringify([...advice ?? []].map(([code, detail]) => ({ code, detail })))
