import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, PubSub, Stream } from "effect"
import { type AgentId, type ProjectId } from "../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import * as Server from "../../../src/layers/Server.ts"
import { type AgentSession, AgentSessions, type OutboundCommand } from "../../../src/services/agents/AgentSessions.ts"
import * as AbortedTasks from "../../../src/services/commands/AbortedTasks.ts"
import { Commands } from "../../../src/services/commands/Commands.ts"
import * as Inbox from "../../../src/services/commands/Inbox.ts"
import * as TaskReconciliation from "../../../src/services/commands/Reconciliation.ts"
import * as CommandSweep from "../../../src/services/commands/Sweep.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import type { SettingsShape } from "../../../src/services/kernel/Settings.ts"
import * as Removal from "../../../src/services/operations/Removal.ts"
import * as LateFires from "../../../src/services/schedules/LateFires.ts"
import { publishedCapabilities } from "../../agent.ts"
import { brainOn } from "../../brain.ts"
import type { Engine } from "../../databases.ts"

/** One connected process: what it was sent, and whether it still takes anything. */
export interface Process {
  readonly session: AgentSession
  readonly frames: Array<OutboundCommand>
  /** False: `send` refuses, as of a closed socket or a full outbox. */
  writable: boolean
  /** How often `send` was called. */
  attempts: number
  /** Drops what was sent last, as a long-poll that ends before its response. */
  readonly drop: () => void
  readonly disconnect: Effect.Effect<void>
}

export interface Hello {
  readonly agentId: AgentId
  readonly projectId: ProjectId
  readonly workerId?: string
  readonly role?: string | null
  readonly engines?: ReadonlyArray<string>
  readonly capabilities?: Readonly<Record<string, ReadonlyArray<string>>>
  readonly heartbeat?: number
  readonly sessionId?: string
  readonly schedulers?: ReadonlyArray<string>
  readonly features?: ReadonlyArray<string>
}

/** The agents' line in memory: what the gateway would hold. */
export class Line extends Context.Tag("test/Line")<Line, {
  readonly connect: (hello: Hello) => Effect.Effect<Process>
}>() {}

export const lineLayer = Layer.scopedContext(Effect.gen(function*() {
  const openSessions = new Set<AgentSession>()
  const hub = yield* PubSub.unbounded<AgentSession>()
  const connect = (hello: Hello) =>
    Effect.gen(function*() {
      const frames: Array<OutboundCommand> = []
      const process = { writable: true, attempts: 0, drop: () => {} }
      const session: AgentSession = {
        sessionId: hello.sessionId ?? (yield* Ids.next),
        agentId: hello.agentId,
        projectId: hello.projectId,
        workerId: hello.workerId ?? `bare-1-${yield* Ids.next}`,
        role: hello.role === undefined ? "task" : hello.role,
        engines: hello.engines ?? ["celery"],
        schedulers: hello.schedulers ?? [],
        features: hello.features ?? [],
        capabilities: hello.capabilities ?? { celery: publishedCapabilities.celery },
        transport: "websocket",
        lastHeartbeat: () => hello.heartbeat ?? 0,
        send: (command, onDrop) => {
          process.attempts++
          if (!process.writable) return false
          frames.push(command)
          process.drop = onDrop
          return true
        }
      }
      openSessions.add(session)
      yield* hub.publish(session)
      return Object.assign(process, {
        session,
        frames,
        disconnect: Effect.sync(() => void openSessions.delete(session))
      })
    })
  return Context.make(Line, { connect }).pipe(Context.add(AgentSessions, {
    sessions: (agentId) => [...openSessions].filter((session) => session.agentId === agentId),
    agentIds: () => [...new Set([...openSessions].map((session) => session.agentId))],
    newSessions: Stream.fromPubSub(hub),
    endedSessions: Stream.never
  }))
}))

/** A process says hello: its row has its new session, as the gateway of a replica writes it, before the session is open. */
export const enter = (hello: Hello & { readonly workerId: string }) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { connect } = yield* Line
    const now = yield* Timestamp.now
    const sessionId = yield* Ids.next
    const capabilities = hello.capabilities ?? { celery: publishedCapabilities.celery }
    yield* sql`INSERT INTO agent_workers ${
      sql.insert({
        id: yield* Ids.next,
        agent_id: hello.agentId,
        project_id: hello.projectId,
        worker_id: hello.workerId,
        role: hello.role ?? "task",
        engines: JSON.stringify(Object.keys(capabilities)),
        capabilities: JSON.stringify(capabilities),
        state: "online",
        session_id: sessionId,
        created_at: now,
        updated_at: now
      })
    } ON CONFLICT (agent_id, worker_id) DO UPDATE SET session_id = excluded.session_id, state = 'online'`
    return yield* connect({ ...hello, sessionId })
  })

/** Commands over the line in memory; apart from those of the brain, which use the real one. */
export const commandsOver = Layer.fresh(
  Layer.mergeAll(
    Commands.layer,
    Inbox.layer,
    CommandSweep.layerLoop,
    AbortedTasks.layerLoop,
    TaskReconciliation.layerLoop
  ).pipe(Layer.provide([LateFires.layer, Removal.layer]), Layer.provideMerge(lineLayer))
)

/** A brain with a server whose agents' line is in memory. */
export const brainWithLine = (engine: Engine, overrides: Partial<SettingsShape> = {}) =>
  Server.layer.pipe(Layer.provideMerge(commandsOver), Layer.provideMerge(brainOn(engine, overrides)), Layer.orDie)
