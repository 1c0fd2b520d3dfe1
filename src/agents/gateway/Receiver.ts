import { Effect, Schema } from "effect"
import { canonicalTextOf } from "../../domain/CanonicalJson.ts"
import type { AgentEvent } from "../../domain/TaskEvent.ts"
import { CommandInbox } from "../../services/Commands/Inbox.ts"
import { Ingest } from "../../services/Ingest.ts"
import type { EventBatch } from "../../services/Ingest/Model.ts"
import { Metrics } from "../../services/Metrics.ts"
import type { PresenceHandle } from "../../services/Presence/Model.ts"
import { readEvents } from "../protocol/Event.ts"
import type { AgentFrame, FrameOf } from "../protocol/Frame.ts"
import * as Payload from "../protocol/Payload.ts"
import { type Peer, Refusals } from "./Refusals.ts"
import type { SetupAdvisor } from "./SetupAdvisor.ts"

/** Who sent a frame. */
export interface FrameSender extends Peer {
  readonly sessionId: string
  readonly workerId: string
  readonly presence: PresenceHandle
  readonly advisor: SetupAdvisor
}

/** What became of a batch, as its ack says. */
export interface BatchAck {
  readonly received: number
  readonly accepted: number
  readonly rejected: number
}

/** A process without an id of its own (long-poll, old agents) is known by its session only. */
const reporterOf = ({ agentId, sessionId, workerId }: FrameSender): string => workerId === agentId ? sessionId : workerId

const encodeLoss = Schema.encodeSync(Payload.TelemetryLoss)

/** What verified frames lead to, whichever transport they came by. All but answers to commands is plain code. */
export class Receiver extends Effect.Service<Receiver>()("svc/gateway/Receiver", {
  effect: Effect.gen(function*() {
    const ingest = yield* Ingest
    const inbox = yield* CommandInbox
    const metrics = yield* Metrics
    const refusals = yield* Refusals
    const clock = yield* Effect.clock

    const counters = {
      event_batch: metrics.framesReceived.labels("event_batch"),
      heartbeat: metrics.framesReceived.labels("heartbeat"),
      agent_status: metrics.framesReceived.labels("agent_status"),
      command_ack: metrics.framesReceived.labels("command_ack"),
      command_result: metrics.framesReceived.labels("command_result"),
      error: metrics.framesReceived.labels("error"),
      registry_delta: metrics.framesReceived.labels("registry_delta")
    }

    /**
     * A frame's events as the ingest takes them. Unusable ones count as rejected and do not reach it; when none is
     * left the batch is settled at once and the answer is null.
     */
    const toEventBatch = (
      frame: FrameOf<"event_batch">,
      sender: FrameSender,
      onAck: (outcome: BatchAck) => void
    ): EventBatch | null => {
      counters.event_batch.inc()
      const received = frame.payload.events.length
      const events: Array<AgentEvent> = []
      let size = 0
      const now = clock.unsafeCurrentTimeMillis()
      for (const [at, event] of readEvents(frame.payload).entries()) {
        if (typeof event === "string") {
          refusals.rejectEvent(sender, event)
          continue
        }
        events.push(event)
        size += canonicalTextOf(frame.payload.events[at]!).length
        sender.advisor.observe(event, sender.presence, now)
      }
      const unusableCount = received - events.length
      if (unusableCount > 0) metrics.ingestEvents.inc({ outcome: "rejected" }, unusableCount)
      if (events.length === 0) {
        onAck({ received, accepted: 0, rejected: received })
        return null
      }
      return {
        projectId: sender.projectId,
        agentId: sender.agentId,
        reporter: reporterOf(sender),
        events,
        size,
        onCommit: ({ accepted, rejected }) => onAck({ received, accepted, rejected: rejected + unusableCount })
      }
    }

    const reportLoss = (sender: FrameSender, loss: typeof Payload.TelemetryLoss.Type | null) => {
      if (loss !== null) sender.presence.reportTelemetryLoss(JSON.stringify(encodeLoss(loss)))
    }

    /** Any other frame. What is answered, if not null, is still to be run, one after the other for one session. */
    const handleFrame = (frame: Exclude<AgentFrame, { readonly type: "event_batch" }>, sender: FrameSender): Effect.Effect<void> | null => {
      counters[frame.type].inc()
      const { agentId, sessionId, workerId } = sender
      switch (frame.type) {
        case "heartbeat":
          sender.presence.reportAdapterHealth(frame.payload.adapterHealth)
          reportLoss(sender, frame.payload.telemetryLoss)
          return null
        case "agent_status":
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
            result: frame.payload.result?.text ?? null,
            error: frame.payload.error
          })
        case "error":
          return Effect.logInfo(`an agent reports the error ${frame.payload.code}${frame.payload.fatal ? " and leaves" : ""}`).pipe(
            Effect.annotateLogs({ agent_id: agentId, project_id: sender.projectId, logger: "agents" })
          )
        case "registry_delta":
          return null // task names are learnt from events and heartbeats; no agent sends this yet
      }
    }

    return { ingest, toEventBatch, handleFrame, awaitCommandsCommitted: inbox.awaitCommitted } as const
  })
}) {
  static readonly layer = this.Default
}
