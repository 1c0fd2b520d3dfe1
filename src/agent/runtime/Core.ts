import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { version } from "../../domain/kernel/Version.ts"
import { SCHEDULE_PROTOCOL } from "../../domain/schedules/Schedule/External.ts"
import type { FrameOf, WirePayloads } from "../../protocol/Frame.ts"
import type { encodeHelloFrame } from "../../protocol/Hello.ts"
import { MAX_FRAME_BYTES, PROTOCOL_VERSION, RESULT_ACK, TASK_OUTPUT } from "../../protocol/Payload.ts"
import type { AgentStatus, EngineStatus } from "./AgentStatus.ts"
import { capabilitiesOf, schedulerCapabilitiesOf } from "./Capabilities.ts"
import type { CommandJournal } from "./CommandJournal.ts"
import type { Scheduler } from "./Engine.ts"
import type { Log } from "./Log.ts"
import type { AgentConfig } from "./Options.ts"
import type { Outbox } from "./Outbox.ts"
import { Backoff, type ConnectionFailed } from "./Reconnect.ts"
import { wireTimeOf } from "./WireTime.ts"

/** A connection to the brain after its handshake, for the rest of the agent. */
export interface AgentConnection {
  readonly transport: "websocket" | "longpoll"
  /** Longest text of a frame's events. */
  readonly maxBytes: number
  readonly send: <T extends "heartbeat" | "agent_status" | "command_ack">(
    type: T,
    id: string,
    payload: WirePayloads[T]
  ) => void
  /** There are events or results to send. */
  readonly wake: () => void
  /** The brain re-sent this command, so it does not have the result. */
  readonly resendResult: (commandId: string) => void
  /**
   * Called with each heartbeat: sends a ping, and closes the connection when the brain has been silent for too long.
   */
  readonly checkLiveness: () => void
}

const MAX_HELD_CHARACTERS = 1024 * 1024

/** The state that the parts of a running agent share; plain code. */
export class Core {
  readonly backoff = new Backoff()
  readonly engineStates: Record<string, EngineStatus> = {}

  /** Why the engine did not start; undefined while it starts and runs. */
  readonly startProblemOf = (engine: string): string | undefined => {
    const status = this.engineStates[engine]
    return status?.state === "failed" ? status.problem : undefined
  }
  /** Events that could not be read, by engine. */
  readonly unreadableEvents: Record<string, number> = {}
  readonly runtimeId: string = randomUUID()
  readonly startedAt: number
  state: AgentStatus["state"] = "connecting"
  session: AgentConnection | null = null
  connectedAt: number | null = null
  lastConnectAt: number | null = null
  problem: ConnectionFailed | null = null
  nextTryAt: number | null = null
  /** Whether the brain has responded on the current connection. */
  isVerified = false
  /** Bytes of one POST over long-poll: the brain accepts 8 MiB; a proxy's smaller limit is learnt and kept. */
  maxBodyBytes = 2 * MAX_FRAME_BYTES
  heartbeatSeconds = 10
  /** Whether the brain stores log lines and progress, as the last one that this process or buffer met; null: none yet. */
  private acceptsOutput: boolean | null
  /** Events of output, until the first connection says whether the brain stores them. */
  private heldOutput: Array<string> = []
  private heldCharacters = 0
  private readonly sessionLatch = Effect.unsafeMakeLatch(false)
  onCommand: (frame: FrameOf<"command">) => void = () => {}
  workerId: string
  /** What names the broker of each engine, as far as the engines have said it. */
  sources: Readonly<Record<string, string>> = {}

  constructor(
    readonly config: AgentConfig,
    readonly outbox: Outbox,
    readonly journal: CommandJournal,
    readonly now: () => number,
    readonly log: Log
  ) {
    this.startedAt = now()
    this.workerId = outbox.file.findMeta("worker_id") ?? this.renewWorkerId()
    const known = outbox.file.findMeta("accepts_output")
    this.acceptsOutput = known === undefined ? null : known === "true"
    outbox.onSendable = () => this.session?.wake()
    outbox.onFileReplaced = () => {
      this.saveWorkerId()
      if (this.acceptsOutput !== null) this.saveMeta("accepts_output", String(this.acceptsOutput))
      journal.saveAll()
    }
  }

  /** Ends when the next connection is up. */
  get nextSession(): Effect.Effect<void> {
    return this.sessionLatch.await
  }

  /** A name that no other live process has. */
  renewWorkerId(): string {
    this.workerId = `${this.config.framework}-${hostname().slice(0, 60)}-${randomUUID().slice(0, 8)}`
    this.saveWorkerId()
    return this.workerId
  }

  /** Whether an event of output is worth encoding. */
  get wantsOutput(): boolean {
    return this.acceptsOutput !== false
  }

  /** Buffers an event of output for a brain that stores it. */
  addOutput(text: string): void {
    if (this.acceptsOutput !== null) return this.acceptsOutput ? this.outbox.add(text) : undefined
    this.heldOutput.push(text)
    this.heldCharacters += text.length
    while (this.heldCharacters > MAX_HELD_CHARACTERS) this.heldCharacters -= this.heldOutput.shift()?.length ?? 0
  }

  private learnFeatures(features: ReadonlyArray<string>): void {
    const accepts = features.includes(TASK_OUTPUT)
    if (accepts !== this.acceptsOutput) this.saveMeta("accepts_output", String(accepts))
    this.acceptsOutput = accepts
    const held = this.heldOutput
    this.heldOutput = []
    this.heldCharacters = 0
    for (const text of held) this.addOutput(text)
  }

  /** `features`: what the brain announces. */
  attachSession(session: AgentConnection, features: ReadonlyArray<string>): void {
    this.learnFeatures(features)
    this.session = session
    this.state = "online"
    this.problem = null
    this.nextTryAt = null
    this.isVerified = false
    this.connectedAt = this.lastConnectAt = this.now()
    this.log("info", `connected to the brain by ${session.transport === "websocket" ? "WebSocket" : "long-poll"}`)
    session.wake()
    this.sessionLatch.unsafeOpen()
    this.sessionLatch.unsafeClose()
  }

  detachSession(): void {
    this.session = null
    this.connectedAt = null
    if (this.state === "online") this.state = "connecting"
    this.outbox.rewind()
  }

  hello(): Parameters<typeof encodeHelloFrame>[1] {
    const { engines, framework, name, role } = this.config
    const capabilities = [
      ...engines.map((engine) => [engine.name, capabilitiesOf(engine)] as const),
      ...this.schedulers.map((scheduler) => [scheduler.name, schedulerCapabilitiesOf(scheduler)] as const)
    ]
    return {
      protocol_version: PROTOCOL_VERSION,
      agent_version: version,
      framework,
      engines: engines.map((engine) => engine.name),
      schedulers: this.schedulers.map(({ name }) => name),
      capabilities: Object.fromEntries(capabilities.sort(([left], [right]) => (left < right ? -1 : 1))),
      host: { name: name ?? hostname().slice(0, 64), sources: this.sources },
      worker_id: this.workerId,
      worker_role: role,
      worker_pid: process.pid,
      worker_started_at: wireTimeOf(this.startedAt),
      runtime_features: this.features()
    }
  }

  /** Counts an unreadable event. One of an unknown engine counts under a name that is valid in a heartbeat. */
  countUnreadable(engine: string): void {
    const name = this.config.engines.some((known) => known.name === engine) ? engine : "other"
    this.unreadableEvents[name] = (this.unreadableEvents[name] ?? 0) + 1
  }

  features(): ReadonlyArray<string> {
    return [
      RESULT_ACK,
      TASK_OUTPUT,
      ...(this.config.engines.some((engine) => engine.retriesByReference) ? ["retry_by_reference"] : []),
      ...(this.schedulers.length > 0 ? [SCHEDULE_PROTOCOL] : [])
    ]
  }

  heartbeat(adapterHealth: Readonly<Record<string, string>>): WirePayloads["heartbeat"] {
    return {
      buffer_size: this.outbox.events,
      last_flush_at: wireTimeOf(this.outbox.lastFlushAt),
      dropped_events: Math.min(10_000_000, this.outbox.loss.events),
      telemetry_loss: this.telemetryLoss(),
      adapter_health: adapterHealth
    }
  }

  agentStatus(): WirePayloads["agent_status"] {
    const oldest = this.outbox.oldestSentAt
    return {
      telemetry_loss: this.telemetryLoss(),
      auth_failure_streak: 0,
      protocol_failure_streak: 0,
      connection_failure_streak: 0,
      last_successful_connect_at: wireTimeOf(this.lastConnectAt),
      current_session_age_seconds: this.connectedAt === null ? null : (this.now() - this.connectedAt) / 1000,
      buffer_depth: this.outbox.events,
      buffer_oldest_age_seconds: oldest === null ? null : (this.now() - oldest) / 1000,
      agent_version: version,
      protocol_version: PROTOCOL_VERSION,
      engines: this.config.engines.map(({ name }) => name).slice(0, 32),
      schedulers: this.schedulers.map(({ name }) => name).slice(0, 32)
    }
  }

  status(): AgentStatus {
    return {
      state: this.state,
      transport: this.session?.transport ?? null,
      connectedAt: this.connectedAt,
      problem: this.problem?.detail ?? null,
      problemKind: this.problem?.kind ?? null,
      nextTryAt: this.nextTryAt,
      buffer: {
        events: this.outbox.events,
        unwritten: this.outbox.unwritten,
        bytes: this.outbox.bytes,
        path: this.outbox.path
      },
      lostEvents: this.outbox.loss.events + Object.values(this.unreadableEvents).reduce((sum, n) => sum + n, 0),
      commandsWaiting: this.journal.listUnconfirmed().length,
      snapshotsWaiting: this.outbox.snapshots.snapshots,
      engines: { ...this.engineStates }
    }
  }

  private get schedulers(): ReadonlyArray<Scheduler> {
    return this.config.engines.flatMap(({ scheduler }) => scheduler ?? [])
  }

  private telemetryLoss(): NonNullable<WirePayloads["heartbeat"]["telemetry_loss"]> {
    const { events, evictedFrames, rejectedFrames } = this.outbox.loss
    return {
      buffer_id: this.outbox.file.id,
      runtime_id: this.runtimeId,
      capacity_evicted_frames: evictedFrames,
      content_rejected_frames: rejectedFrames,
      event_records: events,
      command_results: 0,
      other_frames: 0,
      unclassified_frames: 0,
      adapter_events: Object.fromEntries(Object.entries(this.unreadableEvents).slice(0, 32))
    }
  }

  private saveWorkerId(): void {
    this.saveMeta("worker_id", this.workerId)
  }

  private saveMeta(name: string, value: string): void {
    try {
      this.outbox.file.saveMeta(name, value)
    } catch (error) {
      this.log(
        "warning",
        `${name} could not be written to the buffer (${String(error)}): the next process will not know it`
      )
    }
  }
}
