import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { canonicalize } from "../../domain/kernel/CanonicalJson.ts"
import { type AgentId, CommandId, ScheduleStreamId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { serviceScheduler } from "../../domain/schedules/Schedule.ts"
import {
  type Epoch,
  isSameEpoch,
  type Publication,
  SCHEDULE_PROTOCOL,
  STABLE_SNAPSHOT
} from "../../domain/schedules/Schedule/External.ts"
import { AgentProcessesRepo } from "../agents/AgentProcesses/Repo.ts"
import { type AgentSession, AgentSessions } from "../agents/AgentSessions.ts"
import { CommandDispatch } from "../commands/Dispatch.ts"
import { schedulerTarget } from "../commands/EncodeCommand.ts"
import { CommandsRepo } from "../commands/Repo.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import * as Ids from "../kernel/Ids.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { Settings } from "../kernel/Settings.ts"
import { Publications } from "./Publications.ts"
import { epochOf, isOpen, type ScheduleStream, StreamsRepo, type StreamStatus } from "./StreamsRepo.ts"

/** How often each replica compares its sessions with the streams. */
const interval = "5 seconds"

/** Seconds after which an agent that refused to publish is asked again. */
const retrySeconds = 300

/** Seconds that the record of a new session may take to reach the database, where other replicas see it. */
const abandonedAfterSeconds = 30

/** A scheduler of a session of this replica that publishes its schedules. */
interface Publisher {
  readonly session: AgentSession
  readonly scheduler: string
}

const publishersOf = (session: AgentSession): ReadonlyArray<Publisher> =>
  session.features.includes(SCHEDULE_PROTOCOL)
    ? session.schedulers
      // an agent that names itself as the service's own scheduler would otherwise write the service's schedules
      .filter((scheduler) =>
        scheduler !== serviceScheduler && capabilitiesOf(session, scheduler).includes(STABLE_SNAPSHOT)
      )
      .map((scheduler) => ({ session, scheduler }))
    : []

const capabilitiesOf = ({ capabilities }: AgentSession, scheduler: string): ReadonlyArray<string> =>
  Object.hasOwn(capabilities, scheduler) ? capabilities[scheduler] ?? [] : []

const keyOf = (sessionId: string, scheduler: string): string => `${sessionId} ${scheduler}`

const notAllowed = (scheduler: string): string =>
  `The project's allowed_schedulers do not include ${scheduler}, so its schedules are not read.`

/** Whether the stream needs another epoch with this session. */
const isVacant = (stream: ScheduleStream, { session }: Publisher, now: Timestamp.Timestamp): boolean => {
  switch (stream.status) {
    case "ended":
    case "not_allowed":
      return true
    case "failed":
      return stream.session_id !== session.sessionId ||
        Timestamp.addSeconds(stream.activated_at, retrySeconds) <= now
    case "activating":
    case "live":
      // the same process by another connection: the one before is gone, and with it its epoch
      return stream.worker_id === session.workerId && stream.session_id !== session.sessionId
  }
}

/**
 * Asks agents to publish the schedules of engines' own schedulers (agents' protocol, section 6.3), and knows which
 * session may publish what. An agent's scheduler is bound to one session, the first one; when that session ends,
 * another one takes over in a new epoch. Replicas cannot both bind it: the number of the epoch is compared and set in
 * the database. One constructor: what binds, ends and publishes shares the epochs of this replica and their lock.
 */
export class ScheduleStreams extends Effect.Service<ScheduleStreams>()("svc/ScheduleStreams", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const agentSessions = yield* AgentSessions
    const processes = yield* AgentProcessesRepo
    const repo = yield* StreamsRepo
    const publications = yield* Publications
    const commands = yield* CommandsRepo
    const dispatch = yield* CommandDispatch
    const loops = yield* Loops
    const metrics = yield* Metrics
    const { commandTimeout } = yield* Settings
    /** The epochs of this replica's sessions, by session and scheduler. */
    const active = new Map<string, ScheduleStream>()
    const lock = yield* Effect.makeSemaphore(1)

    const sessionsOf = (agentId: AgentId): ReadonlyMap<string, AgentSession> =>
      new Map(agentSessions.sessions(agentId).map((session) => [session.sessionId, session]))

    const newEpoch = Effect.fnUntraced(
      function*({ scheduler, session }: Publisher, before: ScheduleStream | undefined, status: StreamStatus) {
        const now = yield* Timestamp.now
        const error = status === "not_allowed" ? notAllowed(scheduler) : null
        return {
          stream_id: before?.stream_id ?? (yield* Ids.nextOf(ScheduleStreamId)),
          project_id: session.projectId,
          agent_id: session.agentId,
          scheduler,
          worker_id: session.workerId,
          session_id: session.sessionId,
          epoch_uuid: randomUUID(),
          epoch_number: (before?.epoch_number ?? 0) + 1,
          adapter_instance_id: randomUUID(),
          accepted_sequence: 0,
          snapshot_digest: null,
          schedule_count: before?.schedule_count ?? 0,
          status,
          command_id: status === "activating" ? yield* Ids.nextOf(CommandId) : null,
          capabilities: capabilitiesOf(session, scheduler),
          activated_at: now,
          snapshot_at: before?.snapshot_at ?? null,
          ended_at: status === "activating" ? null : now,
          observed_at: before?.observed_at ?? null,
          is_awaited: false,
          error,
          error_at: error === null ? null : now,
          created_at: before?.created_at ?? now
        } satisfies ScheduleStream
      }
    )

    /** The command is bound to the session: an epoch is one connection's. Like other questions of the brain it is not in the audit log. */
    const insertActivation = (stream: ScheduleStream, id: CommandId) =>
      commands.insert([{
        id,
        project_id: stream.project_id,
        agent_id: stream.agent_id,
        issued_by: null,
        action: "schedule.external.activate",
        engine: null,
        target_type: schedulerTarget,
        target_id: stream.scheduler,
        payload: canonicalize({ ...epochOf(stream), scheduler: stream.scheduler, stable_source: true }),
        sealed_payload: null,
        idempotency_key: null,
        request_hash: null,
        bound_session_id: stream.session_id,
        bulk_job_id: null,
        worker_before: null,
        issued_at: stream.activated_at,
        timeout_at: Timestamp.addSeconds(stream.activated_at, commandTimeout),
        status: "pending",
        result: null,
        error: null,
        completed_at: null
      }])

    /** Begins an epoch, unless another replica has just begun one. */
    const begin = Effect.fnUntraced(
      function*(publisher: Publisher, before: ScheduleStream | undefined, status: "activating" | "not_allowed") {
        const stream = yield* newEpoch(publisher, before, status)
        const written = yield* before === undefined
          ? Effect.flatMap(
            repo.hasCapacity(stream.agent_id),
            (has) => has ? repo.insert(stream) : Effect.succeed(Option.none())
          )
          : repo.replace(stream, before)
        if (Option.isNone(written)) return Option.none()
        if (stream.command_id !== null) yield* insertActivation(stream, stream.command_id)
        return written
      },
      sql.withTransaction
    )

    const activate = Effect.fnUntraced(function*(publisher: Publisher, before: ScheduleStream | undefined) {
      const begun = yield* begin(publisher, before, "activating")
      if (Option.isNone(begun)) return
      const stream = begun.value
      active.set(keyOf(stream.session_id, stream.scheduler), stream)
      yield* dispatch.notify(stream.agent_id)
    })

    /** Gives each scheduler of these sessions a stream. */
    const bind = Effect.fnUntraced(function*(sessions: ReadonlyArray<AgentSession>) {
      const candidates = sessions.flatMap(publishersOf)
      // the dead connection of a process that is back at another replica must not take the stream from it
      const replaced = new Set(yield* processes.listReplaced(candidates.map(({ session }) => session)))
      const publishers = candidates.filter(({ session }) => !replaced.has(session.sessionId))
      if (publishers.length === 0) return
      const now = yield* Timestamp.now
      const agentIds = [...new Set(publishers.map(({ session }) => session.agentId))]
      const streams = new Map(
        (yield* repo.listByAgents(agentIds)).map((stream) => [`${stream.agent_id} ${stream.scheduler}`, stream])
      )
      const allowed = yield* repo.listAllowed([...new Set(publishers.map(({ session }) => session.projectId))])
      const bound = new Set<string>()
      for (const publisher of publishers) {
        const { scheduler, session } = publisher
        const key = `${session.agentId} ${scheduler}`
        if (bound.has(key)) continue
        const stream = streams.get(key)
        if (allowed.get(session.projectId)?.includes(scheduler) === false) {
          bound.add(key)
          if (stream === undefined) yield* begin(publisher, undefined, "not_allowed")
          else if (isOpen(stream)) {
            active.delete(keyOf(stream.session_id, scheduler))
            yield* publications.end(stream, "not_allowed", notAllowed(scheduler))
          }
          continue
        }
        if (stream !== undefined && !isVacant(stream, publisher, now)) {
          // a commit whose confirmation was lost has begun the epoch too
          if (isOpen(stream) && stream.session_id === session.sessionId) {
            active.set(keyOf(stream.session_id, scheduler), stream)
          }
          continue
        }
        bound.add(key)
        yield* activate(publisher, stream)
      }
    })

    /** Ends the epochs whose session is gone, here or with its replica, and those that the agent refused. */
    const release = Effect.gen(function*() {
      for (const [key, stream] of active) {
        if (sessionsOf(stream.agent_id).has(stream.session_id)) continue
        yield* publications.end(stream, "ended", null)
        active.delete(key)
      }
      const before = Timestamp.addSeconds(yield* Timestamp.now, -abandonedAfterSeconds)
      for (const stream of yield* repo.listAbandoned(before)) {
        if (!sessionsOf(stream.agent_id).has(stream.session_id)) yield* publications.end(stream, "ended", null)
      }
      if (active.size === 0) return
      const ids = [...active.values()].map(({ stream_id }) => stream_id)
      for (const { epoch_number, error, stream_id } of yield* repo.listFailedActivations(ids)) {
        for (const [key, stream] of active) {
          if (stream.stream_id !== stream_id || stream.epoch_number !== epoch_number) continue
          yield* publications.end(stream, "failed", `The agent does not publish its schedules: ${error ?? "no reason"}`)
          active.delete(key)
        }
      }
    })

    /**
     * The connection has ended: so have its epochs, from now on, and not from the next tick on. An operation is refused
     * then, instead of waiting for a process that is gone. Another process of the agent takes over.
     */
    const endSession = Effect.fnUntraced(function*({ agentId, sessionId }: AgentSession) {
      const ended = [...active].filter(([, { session_id }]) => session_id === sessionId)
      if (ended.length === 0 || sessionsOf(agentId).has(sessionId)) return
      for (const [key, stream] of ended) {
        yield* publications.end(stream, "ended", null)
        active.delete(key)
      }
      yield* bind(agentSessions.sessions(agentId))
    })

    const tick = Effect.zipRight(
      release,
      Effect.suspend(() => bind(agentSessions.agentIds().flatMap((agentId) => agentSessions.sessions(agentId))))
    )

    yield* loops.every("schedule streams", interval, lock.withPermits(1)(tick))
    yield* loops.forever(
      "schedule publishers",
      Stream.runForEach(agentSessions.newSessions, (session) => lock.withPermits(1)(bind([session])))
    )
    yield* loops.forever(
      "schedule publishers gone",
      Stream.runForEach(agentSessions.endedSessions, (session) => lock.withPermits(1)(endSession(session)))
    )

    const count = (outcome: string) => metrics.schedulePublications.inc({ outcome })

    return {
      /** The epoch in which this session may publish the scheduler's schedules; undefined: it may not. */
      findEpoch: (sessionId: string, scheduler: string): Epoch | undefined => {
        const stream = active.get(keyOf(sessionId, scheduler))
        return stream === undefined ? undefined : epochOf(stream)
      },
      /** Counts a publication that is not applied: `stale` is of another epoch, such as a frame that is sent again. */
      count: (outcome: "stale" | "overload"): void => count(outcome),
      /** Applies a verified publication of the session. */
      accept: Effect.fn("ScheduleStreams.accept")(function*(sessionId: string, publication: Publication) {
        const stream = active.get(keyOf(sessionId, publication.epoch.owner))
        // an epoch of another session is no secret: its command can be read
        const outcome = stream === undefined || !isSameEpoch(epochOf(stream), publication.epoch)
          ? "stale" as const
          : yield* publications.accept(stream.project_id, publication)
        count(outcome)
        return outcome
      }),
      /** Notes that a publication of the session was refused. `reason` is a label of a metric. */
      refuse: Effect.fn("ScheduleStreams.refuse")(
        function*(sessionId: string, scheduler: string, reason: string, detail: string) {
          count(reason)
          const stream = active.get(keyOf(sessionId, scheduler))
          if (stream === undefined) return
          const error = `The brain refused a publication of the agent, ${reason}: ${detail}`
          yield* repo.noteError(stream, error, yield* Timestamp.now)
          yield* Effect.logWarning(
            "The brain refused schedules that an agent published. Its schedules stay as they were."
          ).pipe(
            Effect.annotateLogs({ logger: "schedules", agent_id: stream.agent_id, scheduler, reason, detail })
          )
        }
      ),
      /** What the loop does every 5 seconds. */
      tick: lock.withPermits(1)(tick)
    } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      AgentProcessesRepo.layer,
      CommandDispatch.layer,
      CommandsRepo.layer,
      Publications.layer,
      StreamsRepo.layer
    ])
  )
}
