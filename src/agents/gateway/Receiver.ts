import { Effect, Schema } from "effect"
import { canonical } from "../../domain/CanonicalJson.ts"
import type { AgentEvent } from "../../domain/TaskEvent.ts"
import { CommandInbox } from "../../services/Commands/Inbox.ts"
import { type EventBatch, Ingest } from "../../services/Ingest.ts"
import { Metrics } from "../../services/Metrics.ts"
import type { Present } from "../../services/Presence.ts"
import { readEvents } from "../protocol/Event.ts"
import type { AgentFrame, FrameOf } from "../protocol/Frame.ts"
import * as Payload from "../protocol/Payload.ts"
import { type Refused, Refusals } from "./Refusals.ts"
import type { SetupWatch } from "./SetupWatch.ts"

/** Who sent a frame. */
export interface Speaker extends Refused {
  readonly sessionId: string
  readonly workerId: string
  readonly present: Present
  readonly watch: SetupWatch
}

/** What became of a batch, as its ack says. */
export interface Settled {
  readonly received: number
  readonly accepted: number
  readonly rejected: number
}

/** A process without an id of its own (long-poll, old agents) is known by its session only. */
const reporterOf = ({ agentId, sessionId, workerId }: Speaker): string => workerId === agentId ? sessionId : workerId

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
    const batchOf = (
      frame: FrameOf<"event_batch">,
      speaker: Speaker,
      settle: (outcome: Settled) => void
    ): EventBatch | null => {
      counters.event_batch.inc()
      const received = frame.payload.events.length
      const events: Array<AgentEvent> = []
      let size = 0
      const now = clock.unsafeCurrentTimeMillis()
      for (const [at, event] of readEvents(frame.payload.events).entries()) {
        if (typeof event === "string") {
          refusals.unusable(speaker, event)
          continue
        }
        events.push(event)
        size += canonical(frame.payload.events[at]!).length
        speaker.watch.observe(event, speaker.present, now)
      }
      const unusable = received - events.length
      if (unusable > 0) metrics.ingestEvents.inc({ outcome: "rejected" }, unusable)
      if (events.length === 0) {
        settle({ received, accepted: 0, rejected: received })
        return null
      }
      return {
        projectId: speaker.projectId,
        agentId: speaker.agentId,
        reporter: reporterOf(speaker),
        events,
        size,
        settle: ({ accepted, rejected }) => settle({ received, accepted, rejected: rejected + unusable })
      }
    }

    const noteLoss = (speaker: Speaker, loss: typeof Payload.TelemetryLoss.Type | null) => {
      if (loss !== null) speaker.present.loss(JSON.stringify(encodeLoss(loss)))
    }

    /** Any other frame. What is answered, if not null, is still to be run, one after the other for one session. */
    const take = (frame: Exclude<AgentFrame, { readonly type: "event_batch" }>, speaker: Speaker): Effect.Effect<void> | null => {
      counters[frame.type].inc()
      const { agentId, sessionId, workerId } = speaker
      switch (frame.type) {
        case "heartbeat":
          speaker.present.adapters(frame.payload.adapterHealth)
          noteLoss(speaker, frame.payload.telemetryLoss)
          return null
        case "agent_status":
          noteLoss(speaker, frame.payload.telemetryLoss)
          return null
        case "command_ack":
          return inbox.acked({ agentId, sessionId, workerId, commandId: frame.id })
        case "command_result":
          return inbox.finished({
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
            Effect.annotateLogs({ agent_id: agentId, project_id: speaker.projectId, logger: "agents" })
          )
        case "registry_delta":
          return null // task names are learnt from events and heartbeats; no agent sends this yet
      }
    }

    return { ingest, batchOf, take, commandsSettled: inbox.settled } as const
  })
}) {
  static readonly layer = this.Default
}
