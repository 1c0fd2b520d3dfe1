import { Clock, Effect, Either, Layer, Queue, Stream } from "effect"
import type { AgentId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { AgentProcessesRepo } from "../agents/AgentProcesses/Repo.ts"
import { type AgentSession, AgentSessions } from "../agents/AgentSessions.ts"
import { yieldToEventLoop } from "../kernel/concurrency/EventLoop.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import * as Ids from "../kernel/Ids.ts"
import { Vault } from "../kernel/keys/Keys.ts"
import { Hints } from "../kernel/sql/Database.ts"
import { encodeCommand } from "./EncodeCommand.ts"
import type { ClaimedCommand, CommandClaim, PendingCommand } from "./Model.ts"
import { CommandQueueRepo } from "./QueueRepo.ts"
import { makeRemoteProcesses } from "./RemoteProcesses.ts"
import { selectSession } from "./Routing.ts"
import { CommandStatusRepo } from "./StatusRepo.ts"
import { UnsentClaims } from "./UnsentClaims.ts"

/** Commands per statement. */
const batchSize = 200

/** Agents per statement. */
const agentBatchSize = 500

/** Milliseconds before the retry of a full outbox; doubled while it stays full, up to the poll's second. */
const minPauseMillis = 20

/**
 * How long the dispatch searches for a claim whose statement got no response. PostgreSQL may run a statement whose
 * client is gone for longer, such as one that waits for a table's lock: its commands stay dispatched and unsent until
 * their timeout.
 */
const unsentMillis = 60_000

/**
 * Milliseconds after which a new session gets the unfinished commands of its process once more: another replica that
 * holds a dead connection of the process may have begun a claim before this session was stored, and committed it later.
 */
const lateClaimMillis = 5000

/** Sessions of this replica that get nothing more in a round. */
interface UselessSessions {
  /** Their outbox takes no more. */
  readonly full: Set<string>
  /** Another session of their process has replaced them. */
  readonly replaced: Set<string>
}

/** A process without its own id cannot be distinguished from another one of the agent: nothing is sent to it twice. */
const isAnonymous = (session: AgentSession): boolean => session.workerId === session.agentId

/**
 * Sends pending commands to the sessions of this replica. One fiber does it, agent by agent. An agent is woken by a
 * command issued here, by a hint from another replica, by a new session, and by a poll of the table once a second,
 * which alone would be sufficient.
 *
 * No command is executed twice, by two rules. A claim is committed before its frame is written: one conditional UPDATE
 * (`StatusRepo.ts`) gives the command to one process. A claimed command is sent again only to that process, with the
 * same id, which agents recognise (ours by `agent/runtime/CommandJournal.ts`). A claim that was certainly not sent
 * returns to pending, also when the response to its statement was lost.
 *
 * The constructor is long because all steps of a round use the same few claims and sessions: apart, the two rules would
 * be in several files.
 */
export class CommandDispatch extends Effect.Service<CommandDispatch>()("svc/CommandDispatch", {
  scoped: Effect.gen(function*() {
    const agentSessions = yield* AgentSessions
    const processes = yield* AgentProcessesRepo
    const queue = yield* CommandQueueRepo
    const statuses = yield* CommandStatusRepo
    const remote = yield* makeRemoteProcesses
    const vault = yield* Vault
    const hints = yield* Hints
    const loops = yield* Loops
    const clock = yield* Effect.clock

    /** Agents with possible work; true where other replicas get a hint about commands that this one cannot send. */
    const wokenAgents = new Map<AgentId, boolean>()
    const signal = yield* Queue.sliding<void>(1)
    /** When a session is next to get its process's unfinished commands, in milliseconds; at once if it is not here. */
    const resendAt = new Map<string, number>()
    /** Claims of pending commands; they are released in the next round. */
    const unsentClaims = new UnsentClaims()
    /** Claims of commands that an earlier session may have received: only their own process may get them. */
    const unsentMoves = new UnsentClaims()
    let pauseMillis = minPauseMillis

    const wake = (agentId: AgentId, notifyReplicas: boolean) => {
      wokenAgents.set(agentId, notifyReplicas || wokenAgents.get(agentId) === true)
      signal.unsafeOffer(undefined)
    }

    /** Writes a claimed command. False when it is certain that nothing was written: then it remains in `unsent`. */
    const send = Effect.fnUntraced(function*(
      session: AgentSession | undefined,
      command: ClaimedCommand,
      unsent: UnsentClaims
    ) {
      const now = yield* Timestamp.now
      if (command.timeout_at > now) { // else the claim took too long; the sweeper ends the command
        const frame = yield* Effect.either(encodeCommand(vault, command))
        if (Either.isRight(frame)) {
          if (session === undefined) return false
          unsent.remove(command)
          const keep = () => void unsent.add([command], clock.unsafeCurrentTimeMillis())
          const onDrop = () => {
            keep()
            signal.unsafeOffer(undefined)
          }
          if (session.send(frame.right, onDrop)) return true
          keep()
          return false
        }
        yield* statuses.failUndecryptable(command.id, now)
      }
      unsent.remove(command)
      return true
    })

    /** Runs the statement of these claims. Without a response they remain in `unsent`: they may be committed. */
    const claimWith = Effect.fnUntraced(function*<E>(
      claims: ReadonlyArray<CommandClaim>,
      unsent: UnsentClaims,
      statement: Effect.Effect<ReadonlyArray<ClaimedCommand>, E>
    ) {
      const added = unsent.add(claims, yield* Clock.currentTimeMillis)
      const claimed = yield* statement
      const claimedIds = new Set(claimed.map(({ id }) => id))
      for (const claim of added) if (!claimedIds.has(claim.id)) unsent.remove(claim)
      return claimed
    })

    /** Returns claims to pending that were not sent. Only the fiber that sends may call it. */
    const releaseUnsent = Effect.gen(function*() {
      if (unsentClaims.isEmpty) return
      const claims = unsentClaims.list()
      const released = yield* statuses.release(claims, yield* Timestamp.now)
      const releasedIds = new Set(released.map(({ id }) => id))
      for (const claim of claims) {
        if (!releasedIds.has(claim.id)) continue
        unsentClaims.remove(claim)
        wake(claim.agent_id, true)
      }
      unsentClaims.removeBefore((yield* Clock.currentTimeMillis) - unsentMillis)
    })

    const isDueForResend = (session: AgentSession) =>
      !isAnonymous(session) && clock.unsafeCurrentTimeMillis() >= (resendAt.get(session.sessionId) ?? 0)

    /** Sends the unfinished commands of reconnected processes again over their new sessions. */
    const resendUnfinished = Effect.fnUntraced(function*(sessions: ReadonlyArray<AgentSession>) {
      const now = yield* Timestamp.now
      const byWorker = new Map(sessions.map((session) => [`${session.agentId} ${session.workerId}`, session]))
      const dispatched = yield* queue.listDispatched([...new Set(sessions.map((session) => session.agentId))], now)
      const moves = dispatched.flatMap((command) => {
        const session = byWorker.get(`${command.agent_id} ${command.worker_id}`)
        if (session === undefined) return []
        const { sessionId } = session
        const isSent = sessionId === command.session_id && !unsentMoves.has(command)
        return isSent ? [] : [{ ...command, from: command.session_id, session_id: sessionId }]
      })
      const failedSessionIds = new Set<string>()
      for (let start = 0; start < moves.length; start += batchSize) {
        const part = moves.slice(start, start + batchSize)
        for (const command of yield* claimWith(part, unsentMoves, queue.updateSessions(part))) {
          const session = byWorker.get(`${command.agent_id} ${command.worker_id}`)
          if (!(yield* send(session, command, unsentMoves))) failedSessionIds.add(command.session_id)
        }
      }
      // an earlier statement for these may have been committed just before this one: the next round finds its session
      for (const move of moves) if (unsentMoves.has(move)) failedSessionIds.add(move.session_id)
      for (const { sessionId } of sessions) {
        if (failedSessionIds.has(sessionId)) continue
        resendAt.set(sessionId, resendAt.has(sessionId) ? Infinity : Timestamp.toEpochMillis(now) + lateClaimMillis)
      }
    })

    /** Selects a session of this replica for each command; returns the agents of commands without one in `left`. */
    const assignSessions = Effect.fnUntraced(function*(
      commands: ReadonlyArray<PendingCommand>,
      { full, replaced }: UselessSessions,
      now: Timestamp.Timestamp
    ) {
      const claims: Array<CommandClaim> = []
      const sessions = new Map<string, AgentSession>()
      const skippedAgentIds = new Set<AgentId>()
      for (const command of commands) {
        const localSessions = agentSessions.sessions(command.agent_id).filter(({ sessionId }) =>
          !replaced.has(sessionId)
        )
        const route = selectSession(command, localSessions.filter(({ sessionId }) => !full.has(sessionId)))
        if (route === null || (yield* remote.hasBetter(command, route.fitness, localSessions, now))) {
          skippedAgentIds.add(command.agent_id)
          continue
        }
        const { sessionId, workerId } = route.session
        sessions.set(sessionId, route.session)
        claims.push({
          id: command.id,
          agent_id: command.agent_id,
          worker_id: workerId,
          session_id: sessionId,
          claimed_at: now
        })
      }
      return { claims, sessions, left: skippedAgentIds }
    })

    /**
     * Uninterruptible, so that a claim is always sent or released. Returns the claims that came back, because a session
     * takes no more, and those that the database refused.
     */
    const claimAndSend = Effect.fnUntraced(function*(
      claims: ReadonlyArray<CommandClaim>,
      sessions: ReadonlyMap<string, AgentSession>,
      now: Timestamp.Timestamp
    ) {
      const released: Array<CommandClaim> = []
      if (claims.length === 0) return { released, refused: claims }
      const fullSessionIds = new Set<string>()
      const claimed = yield* claimWith(claims, unsentClaims, statuses.claim(claims, now))
      for (const command of claimed) {
        const session = fullSessionIds.has(command.session_id) ? undefined : sessions.get(command.session_id)
        if (yield* send(session, command, unsentClaims)) continue
        fullSessionIds.add(command.session_id)
        released.push(command)
      }
      if (released.length > 0) yield* statuses.release(released, now)
      for (const claim of released) unsentClaims.remove(claim)
      const claimedIds = new Set(claimed.map(({ id }) => id))
      return { released, refused: claims.filter(({ id }) => !claimedIds.has(id)) }
    }, Effect.uninterruptible)

    /**
     * Sends the pending commands of these agents once through, as far as this replica can, and adds the sessions that
     * turn out to be useless. Returns the agents that still have some, and those whose commands others may take.
     */
    const sendPages = Effect.fnUntraced(function*(agentIds: ReadonlyArray<AgentId>, useless: UselessSessions) {
      const left = new Set<AgentId>()
      const again = new Set<AgentId>()
      let after = Ids.minId
      for (let more = true; more;) {
        const now = yield* Timestamp.now
        const commands = yield* queue.listPending(agentIds, after, now, batchSize)
        more = commands.length === batchSize
        after = commands[commands.length - 1]?.id ?? after
        const assigned = yield* assignSessions(commands, useless, now)
        for (const agentId of assigned.left) left.add(agentId)
        const { refused, released } = yield* claimAndSend(assigned.claims, assigned.sessions, now)
        for (const { agent_id, session_id } of released) {
          useless.full.add(session_id)
          left.add(agent_id)
        }
        const refusedAgentIds = [...new Set(refused.map(({ agent_id }) => agent_id))]
        const replaced = new Set(
          yield* processes.listReplaced(refusedAgentIds.flatMap((agentId) => agentSessions.sessions(agentId)))
        )
        for (const { agent_id, session_id } of refused) if (replaced.has(session_id)) again.add(agent_id)
        for (const sessionId of replaced) useless.replaced.add(sessionId)
      }
      return { left, again }
    })

    /** Sends the pending commands of these agents. What was for a replaced session goes to the next best one here. */
    const sendPending = Effect.fnUntraced(function*(agentIds: ReadonlyArray<AgentId>) {
      const useless: UselessSessions = { full: new Set(), replaced: new Set() }
      const { again, left } = yield* sendPages(agentIds, useless)
      for (let next = again; next.size > 0;) {
        const sent = yield* sendPages([...next], useless)
        for (const agentId of next) left.delete(agentId)
        for (const agentId of sent.left) left.add(agentId)
        next = sent.again
      }
      return { left, isFull: useless.full.size > 0 }
    })

    /** Serves some of the woken agents that are connected here. */
    const serve = Effect.fnUntraced(function*(agentIds: ReadonlyArray<AgentId>) {
      const reconnected = agentIds.flatMap((agentId) => agentSessions.sessions(agentId)).filter(isDueForResend)
      if (reconnected.length > 0) yield* resendUnfinished(reconnected)
      return yield* sendPending(agentIds)
    })

    const dispatchRound = Effect.gen(function*() {
      yield* signal.take
      yield* yieldToEventLoop // batches the agents that are woken in the same turn
      yield* releaseUnsent
      const agents = [...wokenAgents]
      wokenAgents.clear()
      const unsentAgentIds = new Set(
        agents.map(([agentId]) => agentId).filter((agentId) => agentSessions.sessions(agentId).length === 0)
      )
      const connected = agents.map(([agentId]) => agentId).filter((agentId) => !unsentAgentIds.has(agentId))
      let hasFullOutbox = false
      for (let start = 0; start < connected.length; start += agentBatchSize) {
        const served = yield* serve(connected.slice(start, start + agentBatchSize))
        for (const agentId of served.left) unsentAgentIds.add(agentId)
        hasFullOutbox ||= served.isFull
      }
      for (const [agentId, notifyReplicas] of agents) {
        if (notifyReplicas && unsentAgentIds.has(agentId)) yield* hints.publish("commands", agentId)
      }
      pauseMillis = hasFullOutbox ? Math.min(2 * pauseMillis, 1000) : minPauseMillis
      const rewake = Effect.sync(() => unsentAgentIds.forEach((agentId) => wake(agentId, false)))
      if (hasFullOutbox) yield* Effect.fork(Effect.delay(rewake, pauseMillis))
    })

    /** What hints may have missed: agents of this replica with something pending, and sessions to catch up with. */
    const poll = Effect.gen(function*() {
      const localAgentIds = agentSessions.agentIds()
      const openSessionIds = new Set<string>()
      for (const agentId of localAgentIds) {
        for (const session of agentSessions.sessions(agentId)) {
          openSessionIds.add(session.sessionId)
          if (isDueForResend(session)) wake(agentId, false)
        }
      }
      for (const sessionId of resendAt.keys()) if (!openSessionIds.has(sessionId)) resendAt.delete(sessionId)
      unsentMoves.removeSessionsExcept(openSessionIds)
      if (!unsentClaims.isEmpty) signal.unsafeOffer(undefined)
      const connected = new Set(localAgentIds)
      for (const agentId of yield* queue.listPendingAgentIds) if (connected.has(agentId)) wake(agentId, false)
    })

    const onHint = Stream.runForEach(hints.subscribe("commands"), (agentId) =>
      Effect.sync(() => {
        if (agentSessions.sessions(agentId).length > 0) wake(agentId, false)
      }))
    const onSession = Stream.runForEach(
      agentSessions.newSessions,
      (session) => Effect.sync(() => wake(session.agentId, false))
    )

    yield* loops.forever("commands dispatch", dispatchRound)
    yield* loops.forever("commands hints", onHint)
    yield* loops.forever("commands sessions", onSession)
    yield* loops.every("commands poll", "1 second", poll)

    /** Call it after the commit of a pending command. */
    const notify = (agentId: AgentId) => Effect.sync(() => wake(agentId, true))

    return { notify } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([AgentProcessesRepo.layer, CommandQueueRepo.layer, CommandStatusRepo.layer])
  )
}
