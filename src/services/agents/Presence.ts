import { Deferred, Effect, Layer, Option, Queue } from "effect"
import { noNamespace } from "../../domain/agents/TaskNamespace.ts"
import type { AgentId } from "../../domain/kernel/Id.ts"
import * as Redaction from "../../domain/kernel/Redaction.ts"
import { toStorable } from "../../domain/kernel/Text.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { Settings } from "../kernel/Settings.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { RowCaps } from "../kernel/sql/RowCaps.ts"
import { TriggerEvents } from "../triggers/TriggerEvents.ts"
import type { LiveSession } from "./Presence/Batch.ts"
import { makeFlush } from "./Presence/Flush.ts"
import { makeHandle } from "./Presence/Handle.ts"
import type { PresenceCallbacks, PresenceHandle, ProcessInfo } from "./Presence/Model.ts"
import { PresenceState } from "./Presence/State.ts"
import { makePresenceSweeps } from "./Presence/Sweeps.ts"

const flushMillis = 1000
/** Connects and disconnects within this time are one batch. */
const batchMillis = 20

/**
 * The presence of agents and their processes, and the workers and queues that their heartbeats describe. Signs of life
 * are collected in memory and flushed about once a second. A connect is written within 20 ms, with those of the same
 * moment.
 */
export class Presence extends Effect.Service<Presence>()("svc/Presence", {
  scoped: Effect.gen(function*() {
    const sweeps = yield* makePresenceSweeps
    const loops = yield* Loops
    const settings = yield* Settings
    const redaction = Redaction.make(settings.redactExtraKeys)
    const clock = yield* Effect.clock
    const wake = yield* Queue.sliding<void>(1)
    const state = new PresenceState(() => clock.unsafeCurrentTimeMillis(), () => void wake.unsafeOffer())
    const { flush, flushAll } = yield* makeFlush(state)

    /** Stores the process as online. None when its agent has been deleted. */
    const connect = Effect.fnUntraced(function*(info: ProcessInfo, callbacks: PresenceCallbacks) {
      const member: LiveSession = {
        info,
        callbacks,
        lastSeen: state.nowMillis(),
        ownWorkers: [],
        descriptions: new Map(),
        taskWorkers: new Map(),
        namespace: noNamespace,
        isDisconnected: false
      }
      const isStored = yield* Deferred.make<boolean>()
      state.pending.connects.push({ session: member, result: isStored })
      state.liveSessions.add(member)
      state.wake()
      const handle = makeHandle(state, redaction, member)
      const exists = yield* Effect.onInterrupt(
        Deferred.await(isStored),
        () => Effect.sync(() => handle.disconnect(false))
      )
      if (exists) return Option.some(handle)
      state.liveSessions.delete(member)
      return Option.none<PresenceHandle>()
    })

    /** Stores on the agent's record why it was refused. `reason` is a short code, `detail` a sentence. */
    const recordRefusal = (agentId: AgentId, reason: string, detail: string): void => {
      state.pending.refusals.set(agentId, {
        agent_id: agentId,
        reason: toStorable(reason, 100, ""),
        detail: toStorable(detail, 500, ""),
        at: state.now
      })
    }

    /** Refreshes the sessions that the gateway has paused: it does not read their heartbeats. */
    const refreshPausedSessions = Effect.sync(() => {
      for (const member of state.liveSessions) {
        if (!member.callbacks.isPaused()) continue
        member.lastSeen = state.nowMillis()
        state.pending.heartbeats.add(member)
      }
    })

    const startedAt = state.nowMillis()
    /** Nothing took heartbeats while no brain ran: after a restart, agents and workers have the time to report again. */
    const onceUpFor = <E>(seconds: number, sweep: Effect.Effect<void, E>) =>
      Effect.suspend(() => {
        const upMillis = state.nowMillis() - startedAt // negative after the clock was set back
        return upMillis >= 0 && upMillis < seconds * 1000 ? Effect.void : sweep
      })

    const sweepMillis = Math.max(500, Math.min(5000, settings.agentOfflineAfter * 250))
    const awaitFlush = Effect.zipRight(Effect.timeoutOption(Queue.take(wake), flushMillis), Effect.sleep(batchMillis))
    yield* loops.forever("presence", Effect.zipRight(awaitFlush, flushAll))
    yield* loops.every(
      "presence offline",
      sweepMillis,
      Effect.all([
        refreshPausedSessions,
        sweeps.extendSpan(),
        sweeps.sweepProcesses(),
        onceUpFor(settings.agentOfflineConfirm, sweeps.reportOfflineAgents()),
        onceUpFor(settings.agentOfflineAfter, sweeps.sweepWorkers())
      ])
    )
    // a loop of its own: it reads tasks, and a locked table of tasks must not make paused sessions seem silent
    yield* loops.every("presence departures", sweepMillis, sweeps.sweepDepartures())
    yield* loops.every("presence excess", "10 seconds", sweeps.deleteExcessProcesses())
    yield* loops.upkeep("presence times", "1 hour", sweeps.clampFutureTimes())
    // the last disconnects, while the database is still open
    yield* Effect.addFinalizer(() => flush.pipe(Effect.interruptible, Effect.timeoutOption("2 seconds"), Effect.ignore))

    return { connect, recordRefusal, flush: orDieOnSql(flushAll) } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([RowCaps.layer, TriggerEvents.layer]))
}
