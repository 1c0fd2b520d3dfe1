import { Effect, Layer, Schema } from "effect"
import { addToEvent, addToHealth, addToResult } from "../domain/agents/TaskNamespace.ts"
import { ENGINES_WITH_WORKERS_BY_TASKS } from "../domain/agents/Worker.ts"
import { asString, canonicalTextOf, JsonObject, ownString } from "../domain/kernel/CanonicalJson.ts"
import type { AgentEvent } from "../domain/kernel/TaskEvent.ts"
import { isTaskEventKind, RANK } from "../domain/kernel/TaskState.ts"
import { addSeconds } from "../domain/kernel/Timestamp.ts"
import { readEvents } from "../protocol/Event.ts"
import type { AgentFrame, FrameOf, WireSession } from "../protocol/Frame.ts"
import * as Payload from "../protocol/Payload.ts"
import type { PresenceHandle } from "../services/agents/Presence/Model.ts"
import * as Inbox from "../services/commands/Inbox.ts"
import { Metrics } from "../services/kernel/Metrics.ts"
import { ScheduleStreams } from "../services/schedules/Streams.ts"
import { Ingest } from "../services/tasks/Ingest.ts"
import type { EventBatch } from "../services/tasks/Ingest/Model.ts"
import { Refusals, type RefusedAgent } from "./Refusals.ts"
import { isPublication, makeSchedulePublications } from "./SchedulePublications.ts"
import type { SetupAdvisor } from "./SetupAdvisor.ts"

/** The sender of a frame. */
export interface FrameSender extends RefusedAgent {
  readonly sessionId: string
  readonly workerId: string
  readonly presence: PresenceHandle
  readonly advisor: SetupAdvisor
  readonly wire: WireSession
  /** A result is committed, or cannot be: the agent need not send it again. */
  readonly onResultCommitted: (commandId: string) => void
}

/** The outcome of a batch, for its ack. */
export interface BatchAck {
  readonly received: number
  readonly accepted: number
  readonly rejected: number
}

/** A process without its own id (long-poll, old agents) is identified by its session. */
const reporterOf = ({ agentId, sessionId, workerId }: FrameSender): string =>
  workerId === agentId ? sessionId : workerId

/**
 * The event by the brain's clock: events of agents whose clocks differ are in the order in which they happened. Times at
 * either end of the calendar have no room to move, and are of no clock.
 */
const moveTime = (event: AgentEvent, millis: number): AgentEvent =>
  /^(0000|9999)/.test(event.occurredAt)
    ? event
    : { ...event, occurredAt: addSeconds(event.occurredAt, millis / 1000) }

/** Reports to presence which worker runs in the session's process. `received` may name the process that enqueued the task. */
const reportTaskWorker = (event: AgentEvent, presence: PresenceHandle): void => {
  const { data, engine, kind, occurredAt } = event
  if (!ENGINES_WITH_WORKERS_BY_TASKS.has(engine) || !(data instanceof JsonObject)) return
  if (!isTaskEventKind(kind) || RANK[kind] < RANK["task.started"]) return
  const worker = data.get("worker")
  if (worker !== undefined && asString(worker) !== undefined) {
    presence.reportTaskWorker(engine, ownString(worker), occurredAt)
  }
}

const encodeLoss = Schema.encodeSync(Payload.TelemetryLoss)

const reportLoss = (sender: FrameSender, loss: typeof Payload.TelemetryLoss.Type | null) => {
  if (loss !== null) sender.presence.reportTelemetryLoss(JSON.stringify(encodeLoss(loss)))
}

const countersOf = ({ framesReceived }: Metrics) => ({
  event_batch: framesReceived.labels("event_batch"),
  heartbeat: framesReceived.labels("heartbeat"),
  agent_status: framesReceived.labels("agent_status"),
  command_ack: framesReceived.labels("command_ack"),
  command_result: framesReceived.labels("command_result"),
  error: framesReceived.labels("error"),
  registry_delta: framesReceived.labels("registry_delta")
})

/** Acknowledges a batch with the last of its parts. `first`: the outcome before any of them. */
const countParts = (parts: number, first: BatchAck, onAck: (outcome: BatchAck) => void) => {
  let unfinished = parts
  let { accepted, rejected } = first
  return (part: Omit<BatchAck, "received">): void => {
    accepted += part.accepted
    rejected += part.rejected
    if (--unfinished <= 0) onAck({ received: first.received, accepted, rejected })
  }
}

/**
 * Passes verified frames of both transports to services. All frames except reports on commands are handled by plain
 * code.
 */
export class Receiver extends Effect.Service<Receiver>()("svc/gateway/Receiver", {
  scoped: Effect.gen(function*() {
    const ingest = yield* Ingest
    const inbox = yield* Inbox.CommandInbox
    const metrics = yield* Metrics
    const refusals = yield* Refusals
    const publications = yield* makeSchedulePublications
    const clock = yield* Effect.clock
    const counters = countersOf(metrics)

    /**
     * The events of a frame as a batch for the ingest. Unusable events count as rejected and are left out. Without a
     * usable event the batch is acknowledged at once, and null is returned.
     */
    const toEventBatch = (
      frame: FrameOf<"event_batch">,
      sender: FrameSender,
      onAck: (outcome: BatchAck) => void
    ): EventBatch | null => {
      counters.event_batch.inc()
      const received = frame.payload.events.length
      const events: Array<AgentEvent> = []
      const published: Array<AgentEvent> = []
      const { namespace } = sender.presence
      let size = 0
      const now = clock.unsafeCurrentTimeMillis()
      const offsetMillis = sender.wire.guard.clockOffset.millis
      for (const [index, event] of readEvents(frame.payload, now).entries()) {
        if (typeof event === "string") {
          refusals.rejectEvent(sender, event)
          continue
        }
        if (isPublication(event)) {
          published.push(event)
          continue
        }
        const stored = addToEvent(namespace, event)
        events.push(offsetMillis === 0 ? stored : moveTime(stored, offsetMillis))
        if (namespace.isAssigned && stored.taskId !== event.taskId) sender.presence.reportApart()
        size += canonicalTextOf(frame.payload.events[index]!).length
        sender.advisor.observe(event, sender.presence, now)
        reportTaskWorker(event, sender.presence)
      }
      const unusableCount = received - events.length - published.length
      if (unusableCount > 0) metrics.ingestEvents.inc({ outcome: "rejected" }, unusableCount)
      const finish = countParts(
        published.length + (events.length === 0 ? 0 : 1),
        { received, accepted: 0, rejected: unusableCount },
        onAck
      )
      for (const event of published) {
        publications.offer(
          event,
          sender.sessionId,
          (isAccepted) => finish({ accepted: isAccepted ? 1 : 0, rejected: isAccepted ? 0 : 1 })
        )
      }
      if (events.length === 0) {
        if (published.length === 0) finish({ accepted: 0, rejected: 0 })
        return null
      }
      return {
        projectId: sender.projectId,
        agentId: sender.agentId,
        reporter: reporterOf(sender),
        events,
        size,
        onCommit: finish
      }
    }

    /** Handles any other frame. The caller runs the returned effects of one session one after the other. */
    const handleFrame = (
      frame: Exclude<AgentFrame, { readonly type: "event_batch" }>,
      sender: FrameSender
    ): Effect.Effect<void> | null => {
      counters[frame.type].inc()
      const { agentId, sessionId, workerId } = sender
      switch (frame.type) {
        case "heartbeat":
          refusals.noteAltered(sender, frame.type, frame.payload.altered)
          sender.presence.reportAdapterHealth(addToHealth(sender.presence.namespace, frame.payload.adapterHealth))
          sender.advisor.observeHealth(frame.payload.adapterHealth, sender.presence)
          reportLoss(sender, frame.payload.telemetryLoss)
          return null
        case "agent_status":
          refusals.noteAltered(sender, frame.type, frame.payload.altered)
          reportLoss(sender, frame.payload.telemetryLoss)
          return null
        case "command_ack":
          return inbox.offerAck({ agentId, sessionId, workerId, commandId: frame.id })
        case "command_result":
          return inbox.offerResult({
            agentId,
            sessionId,
            workerId,
            commandId: frame.id,
            status: frame.payload.status,
            result: frame.payload.result === null
              ? null
              : addToResult(sender.presence.namespace, frame.payload.result.text),
            error: frame.payload.error,
            onCommit: () => sender.onResultCommitted(frame.id)
          })
        case "error":
          return Effect.logInfo(
            `an agent reports the error ${frame.payload.code}${frame.payload.fatal ? " and closes its session" : ""}`
          ).pipe(
            Effect.annotateLogs({ agent_id: agentId, project_id: sender.projectId, logger: "agents" })
          )
        case "registry_delta":
          return null // events and heartbeats have the task names; no agent sends this yet
      }
    }

    return { ingest, toEventBatch, handleFrame, awaitCommandsCommitted: inbox.awaitCommitted } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([Inbox.layer, Ingest.layer, Refusals.layer, ScheduleStreams.layer])
  )
}
