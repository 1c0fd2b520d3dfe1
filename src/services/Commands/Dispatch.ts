import { Effect, Either, Queue, Stream } from "effect"
import * as Timestamp from "../../domain/Timestamp.ts"
import { AgentLine, type AgentSession } from "../AgentLine.ts"
import { Hints } from "../Database.ts"
import { turn } from "../EventLoop.ts"
import { Vault } from "../Keys.ts"
import { Loops } from "../Loops.ts"
import { choose } from "./Choice.ts"
import { Elsewhere } from "./Elsewhere.ts"
import { outbound } from "./Outbound.ts"
import { CommandQueue, type InFlight, type Outgoing, type Waiting } from "./Queue.ts"

/** Commands read and claimed in one statement. */
const batch = 200

/** Sorts before every UUIDv7. */
const firstId = "00000000-0000-0000-0000-000000000000"

/** Agents asked for in one statement. */
const agentBatch = 500

/** Milliseconds after which a full outbox is tried again; doubled while it stays full, up to the poll's second. */
const firstPause = 20

/** A process without an id of its own cannot be told from another one of the agent: nothing is sent to it twice. */
const isAnonymous = (session: AgentSession): boolean => session.workerId === session.agentId

/**
 * Sends pending commands to the sessions of this replica. One fiber does all of it, agent by agent as they are woken:
 * by a command issued here, by a hint of another replica, by a new session, and once a second by the table itself,
 * which alone would do.
 *
 * Two rules keep a command from being executed by two processes: a claim is committed before its frame is written,
 * and a claimed command is sent again only to the same process, with the same id.
 */
export class CommandDispatch extends Effect.Service<CommandDispatch>()("svc/CommandDispatch", {
  scoped: Effect.gen(function*() {
    const line = yield* AgentLine
    const queue = yield* CommandQueue
    const elsewhere = yield* Elsewhere
    const vault = yield* Vault
    const hints = yield* Hints
    const loops = yield* Loops

    /** Agents to look at; true where other replicas are to be told of what stays behind. */
    const woken = new Map<string, boolean>()
    const signal = yield* Queue.sliding<void>(1)
    /** Sessions whose process was already given again what it had not finished. */
    const caughtUp = new Set<string>()
    let pause = firstPause

    const wake = (agentId: string, tellOthers: boolean) => {
      woken.set(agentId, tellOthers || woken.get(agentId) === true)
      signal.unsafeOffer(undefined)
    }

    /** Writes a claimed command; false when it is certain that nothing was written. */
    const send = Effect.fnUntraced(function*(session: AgentSession | undefined, command: Outgoing) {
      const now = yield* Timestamp.now
      if (command.timeout_at <= now) return true // the claim took too long; the sweeper says so
      const frame = yield* Effect.either(outbound(vault, command))
      if (Either.isRight(frame)) return session !== undefined && session.send(frame.right)
      yield* queue.spoil(command.id, now)
      return true
    })

    /** Sends all of a process's unfinished commands again over its new session. */
    const catchUp = Effect.fnUntraced(function*(sessions: ReadonlyArray<AgentSession>) {
      const now = yield* Timestamp.now
      const byWorker = new Map(sessions.map((session) => [`${session.agentId} ${session.workerId}`, session]))
      const unfinished = yield* queue.inFlight([...new Set(sessions.map((session) => session.agentId))], now)
      const moves = unfinished.flatMap((command) => {
        const session = byWorker.get(`${command.agent_id} ${command.worker_id}`)
        return session === undefined || session.sessionId === command.session_id
          ? []
          : [{ id: command.id, from: command.session_id, to: session.sessionId }]
      })
      const failed = new Set<string>()
      for (let at = 0; at < moves.length; at += batch) {
        const part = moves.slice(at, at + batch)
        const back: Array<(typeof moves)[number]> = []
        for (const command of yield* queue.move(part)) {
          const session = byWorker.get(`${command.agent_id} ${command.worker_id}`)
          if (yield* send(session, command)) continue
          failed.add(command.session_id)
          const from = part.find(({ id }) => id === command.id)?.from ?? ""
          back.push({ id: command.id, from: command.session_id, to: from })
        }
        if (back.length > 0) yield* queue.move(back)
      }
      for (const session of sessions) if (!failed.has(session.sessionId)) caughtUp.add(session.sessionId)
    })

    /** Where each command goes from this replica; those that do not are left. */
    const assign = Effect.fnUntraced(function*(
      commands: ReadonlyArray<Waiting>,
      full: ReadonlySet<string>,
      now: Timestamp.Timestamp
    ) {
      const claims: Array<InFlight> = []
      const sessions = new Map<string, AgentSession>()
      const left = new Set<string>()
      for (const command of commands) {
        const here = line.sessions(command.agent_id)
        const chosen = choose(command, here.filter((session) => !full.has(session.sessionId)))
        if (chosen === null || (yield* elsewhere.hasBetter(command, chosen.fitness, here, now))) {
          left.add(command.agent_id)
          continue
        }
        const { sessionId, workerId } = chosen.session
        sessions.set(sessionId, chosen.session)
        claims.push({ id: command.id, agent_id: command.agent_id, worker_id: workerId, session_id: sessionId })
      }
      return { claims, sessions, left }
    })

    /** The two go together whatever happens to the fiber. Answers what was handed back, since nothing was written. */
    const claimAndSend = Effect.fnUntraced(function*(
      claims: ReadonlyArray<InFlight>,
      sessions: ReadonlyMap<string, AgentSession>,
      now: Timestamp.Timestamp
    ) {
      const refused: Array<InFlight> = []
      if (claims.length === 0) return refused
      const full = new Set<string>()
      for (const command of yield* queue.claim(claims, now)) {
        const session = full.has(command.session_id) ? undefined : sessions.get(command.session_id)
        if (yield* send(session, command)) continue
        full.add(command.session_id)
        refused.push(command)
      }
      if (refused.length > 0) yield* queue.release(refused)
      return refused
    }, Effect.uninterruptible)

    /** Sends what waits for these agents, as far as this replica can. Answers the agents for whom something is left. */
    const sendPending = Effect.fnUntraced(function*(agentIds: ReadonlyArray<string>) {
      const left = new Set<string>()
      const full = new Set<string>()
      let after = firstId
      for (let more = true; more;) {
        const now = yield* Timestamp.now
        const commands = yield* queue.pending(agentIds, after, now, batch)
        more = commands.length === batch
        after = commands[commands.length - 1]?.id ?? after
        const assigned = yield* assign(commands, full, now)
        for (const agentId of assigned.left) left.add(agentId)
        for (const command of yield* claimAndSend(assigned.claims, assigned.sessions, now)) {
          full.add(command.session_id)
          left.add(command.agent_id)
        }
      }
      return { left, full: full.size > 0 }
    })

    /** One look at some of the woken agents that are connected here. */
    const serve = Effect.fnUntraced(function*(agentIds: ReadonlyArray<string>) {
      const returned = agentIds.flatMap((agentId) => line.sessions(agentId))
        .filter((session) => !caughtUp.has(session.sessionId) && !isAnonymous(session))
      if (returned.length > 0) yield* catchUp(returned)
      return yield* sendPending(agentIds)
    })

    const round = Effect.gen(function*() {
      yield* signal.take
      yield* turn // whoever else is about to wake it comes along
      const agents = [...woken]
      woken.clear()
      const left = new Set(agents.map(([agentId]) => agentId).filter((agentId) => line.sessions(agentId).length === 0))
      const connected = agents.map(([agentId]) => agentId).filter((agentId) => !left.has(agentId))
      let full = false
      for (let at = 0; at < connected.length; at += agentBatch) {
        const served = yield* serve(connected.slice(at, at + agentBatch))
        for (const agentId of served.left) left.add(agentId)
        full ||= served.full
      }
      for (const [agentId, tellOthers] of agents) {
        if (tellOthers && left.has(agentId)) yield* hints.publish("commands", agentId)
      }
      pause = full ? Math.min(2 * pause, 1000) : firstPause
      const again = Effect.sync(() => left.forEach((agentId) => wake(agentId, false)))
      if (full) yield* Effect.fork(Effect.delay(again, pause))
    })

    /** What hints may have missed: agents of this replica with something pending, and sessions to catch up with. */
    const poll = Effect.gen(function*() {
      const here = line.agentIds()
      const open = new Set<string>()
      for (const agentId of here) {
        for (const session of line.sessions(agentId)) {
          open.add(session.sessionId)
          if (!caughtUp.has(session.sessionId) && !isAnonymous(session)) wake(agentId, false)
        }
      }
      for (const sessionId of caughtUp) if (!open.has(sessionId)) caughtUp.delete(sessionId)
      const connected = new Set(here)
      for (const agentId of yield* queue.agentsWaiting) if (connected.has(agentId)) wake(agentId, false)
    })

    const onHint = Stream.runForEach(hints.subscribe("commands"), (agentId) =>
      Effect.sync(() => {
        if (line.sessions(agentId).length > 0) wake(agentId, false)
      }))
    const onSession = Stream.runForEach(line.opened, (session) => Effect.sync(() => wake(session.agentId, false)))

    yield* loops.forever("commands dispatch", round)
    yield* loops.forever("commands hints", onHint)
    yield* loops.forever("commands sessions", onSession)
    yield* loops.every("commands poll", "1 second", poll)

    /** To be called after the commit of a pending command. */
    const issued = (agentId: string) => Effect.sync(() => wake(agentId, true))

    return { issued } as const
  })
}) {
  static readonly layer = this.Default
}
