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
import {
  beginEpoch,
  decideBinding,
  epochOf,
  notAllowed,
  type Publisher,
  type ScheduleStream
} from "../../domain/schedules/Schedule/Stream.ts"
import { AgentProcessesRepo } from "../agents/AgentProcesses/Repo.ts"
import { type AgentSession, AgentSessions } from "../agents/AgentSessions.ts"
import { CommandDispatch } from "../commands/Dispatch.ts"
import { schedulerTarget } from "../commands/EncodeCommand.ts"
import { makeQuestionCommand } from "../commands/QuestionCommand.ts"
import { CommandsRepo } from "../commands/Repo.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import * as Ids from "../kernel/Ids.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { Settings } from "../kernel/Settings.ts"
import { Publications } from "./Publications.ts"
import { StreamsRepo } from "./StreamsRepo.ts"

/** How often each replica compares its sessions with the streams. */
const interval = "5 seconds"

/** Seconds that the record of a new session may take to reach the database, where other replicas see it. */
const abandonedAfterSeconds = 30

const publishersOf = (session: AgentSession): ReadonlyArray<Publisher> =>
  session.features.includes(SCHEDULE_PROTOCOL)
    ? session.schedulers
      .map((scheduler) => ({
        project_id: session.projectId,
        agent_id: session.agentId,
        scheduler,
        worker_id: session.workerId,
        session_id: session.sessionId,
        capabilities: Object.hasOwn(session.capabilities, scheduler) ? session.capabilities[scheduler] ?? [] : []
      }))
      // an agent that names itself as the service's own scheduler would otherwise write the service's schedules
      .filter(({ capabilities, scheduler }) => scheduler !== serviceScheduler && capabilities.includes(STABLE_SNAPSHOT))
    : []

const keyOf = ({ scheduler, session_id }: Pick<ScheduleStream, "session_id" | "scheduler">): string =>
  `${session_id} ${scheduler}`

/** Begins epochs, with the commands that ask agents to publish. */
const makeEpochs = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const repo = yield* StreamsRepo
  const commands = yield* CommandsRepo
  const { commandTimeout } = yield* Settings

  /** The command is bound to the session: an epoch is one connection's. */
  const insertActivation = (stream: ScheduleStream, id: CommandId) =>
    commands.insert([makeQuestionCommand({
      id,
      project_id: stream.project_id,
      agent_id: stream.agent_id,
      action: "schedule.external.activate",
      engine: null,
      target_type: schedulerTarget,
      target_id: stream.scheduler,
      payload: canonicalize({ ...epochOf(stream), scheduler: stream.scheduler, stable_source: true }),
      bound_session_id: stream.session_id,
      issued_at: stream.activated_at
    }, commandTimeout)])

  /** The stream in its next epoch; none where another replica has just begun one. */
  const begin = Effect.fnUntraced(
    function*(publisher: Publisher, before: ScheduleStream | undefined, isAllowed: boolean) {
      const ids = {
        stream_id: yield* Ids.nextOf(ScheduleStreamId),
        command_id: isAllowed ? yield* Ids.nextOf(CommandId) : null,
        epoch_uuid: randomUUID(),
        adapter_instance_id: randomUUID()
      }
      const stream = beginEpoch(before, publisher, ids, yield* Timestamp.now)
      if (before === undefined && !(yield* repo.hasCapacity(stream.agent_id))) return Option.none()
      const written = yield* before === undefined ? repo.insert(stream) : repo.replace(stream, before)
      if (Option.isSome(written) && ids.command_id !== null) yield* insertActivation(stream, ids.command_id)
      return written
    },
    sql.withTransaction
  )

  return begin
})

/**
 * Asks agents to publish the schedules of engines' own schedulers (agents' protocol, section 6.3), and knows which
 * session may publish what. An agent's scheduler is bound to one session, the first one; when that session ends,
 * another one takes over in a new epoch. Replicas cannot both bind it: the number of the epoch is compared and set in
 * the database. One constructor: what binds, ends and publishes shares the epochs of this replica and their lock.
 */
export class ScheduleStreams extends Effect.Service<ScheduleStreams>()("svc/ScheduleStreams", {
  scoped: Effect.gen(function*() {
    const agentSessions = yield* AgentSessions
    const processes = yield* AgentProcessesRepo
    const repo = yield* StreamsRepo
    const publications = yield* Publications
    const beginNext = yield* makeEpochs
    const dispatch = yield* CommandDispatch
    const loops = yield* Loops
    const metrics = yield* Metrics
    /** The epochs of this replica's sessions, by session and scheduler. */
    const active = new Map<string, ScheduleStream>()
    const lock = yield* Effect.makeSemaphore(1)

    const sessionsOf = (agentId: AgentId): ReadonlyMap<string, AgentSession> =>
      new Map(agentSessions.sessions(agentId).map((session) => [session.sessionId, session]))

    const activate = Effect.fnUntraced(function*(publisher: Publisher, before: ScheduleStream | undefined) {
      const begun = yield* beginNext(publisher, before, true)
      if (Option.isNone(begun)) return
      active.set(keyOf(publisher), begun.value)
      yield* dispatch.notify(publisher.agent_id)
    })

    /** Gives each scheduler of these sessions a stream. */
    const bind = Effect.fnUntraced(function*(sessions: ReadonlyArray<AgentSession>) {
      const candidates = sessions.filter((session) => publishersOf(session).length > 0)
      // the dead connection of a process that is back at another replica must not take the stream from it
      const replaced = new Set(yield* processes.listReplaced(candidates))
      const publishers = candidates.flatMap((session) => replaced.has(session.sessionId) ? [] : publishersOf(session))
      if (publishers.length === 0) return
      const now = yield* Timestamp.now
      const streams = new Map(
        (yield* repo.listByAgents([...new Set(publishers.map(({ agent_id }) => agent_id))]))
          .map((stream) => [`${stream.agent_id} ${stream.scheduler}`, stream])
      )
      const allowed = yield* repo.listAllowed([...new Set(publishers.map(({ project_id }) => project_id))])
      /** Schedulers whose stream this pass has changed. */
      const bound = new Set<string>()
      for (const publisher of publishers) {
        const { agent_id, project_id, scheduler } = publisher
        const key = `${agent_id} ${scheduler}`
        if (bound.has(key)) continue
        const stream = streams.get(key)
        const isAllowed = allowed.get(project_id)?.includes(scheduler) !== false
        const step = decideBinding(stream, publisher, isAllowed, now)
        switch (step.kind) {
          case "keep":
            continue
          case "resume":
            // a commit whose confirmation was lost has begun the epoch too
            active.set(keyOf(publisher), step.stream)
            continue
          case "activate":
            yield* activate(publisher, stream)
            break
          case "forbid":
            yield* beginNext(publisher, undefined, false)
            break
          case "end":
            active.delete(keyOf(step.stream))
            yield* publications.end(step.stream, "not_allowed", notAllowed(scheduler))
        }
        bound.add(key)
      }
    })

    const endEpoch = Effect.fnUntraced(
      function*(stream: ScheduleStream, status: "ended" | "failed", error: string | null) {
        yield* publications.end(stream, status, error)
        active.delete(keyOf(stream))
      }
    )

    /** Ends the epochs whose session is gone, here or with its replica, and those that the agent refused. */
    const release = Effect.gen(function*() {
      const hasSession = ({ agent_id, session_id }: ScheduleStream) => sessionsOf(agent_id).has(session_id)
      for (const stream of active.values()) if (!hasSession(stream)) yield* endEpoch(stream, "ended", null)
      const before = Timestamp.addSeconds(yield* Timestamp.now, -abandonedAfterSeconds)
      for (const stream of yield* repo.listAbandoned(before)) {
        if (!hasSession(stream)) yield* publications.end(stream, "ended", null)
      }
      if (active.size === 0) return
      const ids = [...active.values()].map(({ stream_id }) => stream_id)
      for (const { epoch_number, error, stream_id } of yield* repo.listFailedActivations(ids)) {
        for (const stream of active.values()) {
          if (stream.stream_id !== stream_id || stream.epoch_number !== epoch_number) continue
          yield* endEpoch(stream, "failed", `The agent does not publish its schedules: ${error ?? "no reason"}`)
        }
      }
    })

    /**
     * The connection has ended: so have its epochs, from now on, and not from the next tick on. An operation is refused
     * then, instead of waiting for a process that is gone. Another process of the agent takes over.
     */
    const endSession = Effect.fnUntraced(function*({ agentId, sessionId }: AgentSession) {
      const ended = [...active.values()].filter(({ session_id }) => session_id === sessionId)
      if (ended.length === 0 || sessionsOf(agentId).has(sessionId)) return
      for (const stream of ended) yield* endEpoch(stream, "ended", null)
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
        const stream = active.get(keyOf({ session_id: sessionId, scheduler }))
        return stream === undefined ? undefined : epochOf(stream)
      },
      /** Counts a publication that is not applied: `stale` is of another epoch, such as a frame that is sent again. */
      count: (outcome: "stale" | "overload"): void => count(outcome),
      /** Applies a verified publication of the session. */
      accept: Effect.fn("ScheduleStreams.accept")(function*(sessionId: string, publication: Publication) {
        const stream = active.get(keyOf({ session_id: sessionId, scheduler: publication.epoch.owner }))
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
          const stream = active.get(keyOf({ session_id: sessionId, scheduler }))
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
