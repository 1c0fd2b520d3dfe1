import { type Clock, Deferred, Effect, FiberId } from "effect"
import type { AgentId, ProjectId } from "../domain/kernel/Id.ts"
import { WireSession } from "../protocol/Frame.ts"
import { MAX_FRAME_BYTES } from "../protocol/Payload.ts"
import type { OutboundCommand } from "../services/agents/AgentSessions.ts"
import type { PresenceHandle, ProcessInfo } from "../services/agents/Presence/Model.ts"
import type { AgentIdentity } from "../services/kernel/CurrentActor.ts"
import { encodeCommandFrame } from "./CommandFrame.ts"
import type { FrameSender } from "./Receiver.ts"
import type { GatewaySession } from "./SessionRegistry.ts"
import { SetupAdvisor } from "./SetupAdvisor.ts"

/** Largest response to a poll, the same as an agent's largest POST. */
const maxResponseBytes = 8 * MAX_FRAME_BYTES

/**
 * Uses the clock in microseconds as seq: each poll of one nonce may reach another replica, and the agent accepts only a
 * seq above the last (gaps are allowed). Where replicas' clocks differ by more than the time between two polls, the
 * agent refuses a frame and returns with a fresh nonce.
 */
export class PollWireSession extends WireSession {
  private lastSeq = 0

  constructor(private readonly clock: Clock.Clock, ...session: ConstructorParameters<typeof WireSession>) {
    super(...session)
  }

  override nextSeq(): number {
    return this.lastSeq = Math.max(this.lastSeq + 1, this.clock.unsafeCurrentTimeMillis() * 1000)
  }
}

/** A command that waits for the response to a poll. */
interface AcceptedCommand {
  readonly command: OutboundCommand
  readonly onDrop: () => void
}

/**
 * One long-poll session: an agent and the nonce that it chose. It accepts commands only while a poll waits here, and no
 * more than that poll asked for, because the next poll may reach another replica.
 */
export class PollSession implements GatewaySession, FrameSender {
  readonly transport = "longpoll"
  readonly exclusive = false
  readonly agentId: AgentId
  readonly projectId: ProjectId
  readonly workerId: string
  readonly role: string | null
  readonly capabilities: ProcessInfo["capabilities"]
  readonly advisor = new SetupAdvisor()
  engines: ReadonlyArray<string>
  /** Without a hello no scheduler is known that publishes its schedules. */
  readonly schedulers: ReadonlyArray<string> = []
  readonly features: ReadonlyArray<string> = []
  /** Engines and version of the last agent_status, as text. */
  lastStatus = ""
  /** Why the session has ended; null while it is valid. */
  endReason: "refused" | "revoked" | null = null
  /** Epoch milliseconds of the last request. */
  lastUsedAt: number
  /** Frames are decoded one push after the other: a sequence number is taken only above the last. */
  readonly decoding = Effect.unsafeMakeSemaphore(1)
  /** Waiting polls. */
  polls = 0
  private requestedCommands = 0
  private heartbeatAt: number
  private outbox: Array<AcceptedCommand> = []
  private wakeSignal = Deferred.unsafeMake<void>(FiberId.none)

  constructor(
    readonly identity: AgentIdentity,
    readonly sessionId: string,
    readonly wire: WireSession,
    info: Pick<ProcessInfo, "capabilities" | "engines" | "role" | "workerId">,
    public presence: PresenceHandle,
    private readonly clock: Clock.Clock
  ) {
    this.agentId = identity.agent_id
    this.projectId = identity.project_id
    this.workerId = info.workerId
    this.role = info.role
    this.capabilities = info.capabilities
    this.engines = info.engines
    this.lastUsedAt = this.heartbeatAt = clock.unsafeCurrentTimeMillis()
  }

  lastHeartbeat = (): number => this.heartbeatAt

  /** The response to a push is sent once its results are committed. */
  onResultCommitted = (): void => {}

  /** Records a request: each one counts as a heartbeat. */
  touch(): void {
    this.lastUsedAt = this.heartbeatAt = this.clock.unsafeCurrentTimeMillis()
    this.presence.touch()
  }

  beginPoll(maxFrames: number): void {
    this.polls++
    this.requestedCommands += maxFrames
    this.touch()
  }

  /** Ends a poll that asked for so many commands. With the last one, drops commands that none of them took. */
  endPoll(maxFrames: number): void {
    this.polls--
    this.requestedCommands -= maxFrames
    if (this.polls === 0) this.dropCommands()
    this.touch()
  }

  send = (command: OutboundCommand, onDrop: () => void): boolean => {
    if (this.endReason !== null || this.outbox.length >= this.requestedCommands) return false
    this.outbox.push({ command, onDrop })
    this.wake()
    return true
  }

  close = (): void => this.end("revoked")

  end(why: "refused" | "revoked"): void {
    this.endReason = this.endReason ?? why
    this.dropCommands()
    this.wake()
  }

  private dropCommands(): void {
    const dropped = this.outbox
    this.outbox = []
    for (const { onDrop } of dropped) onDrop()
  }

  /** Returns when a command waits for the agent, or the session has ended. */
  get awaitCommands(): Effect.Effect<void> {
    return Effect.suspend(
      () => (this.outbox.length > 0 || this.endReason !== null ? Effect.void : Deferred.await(this.wakeSignal))
    )
  }

  /** Signs the waiting commands, at most `maxFrames`, only now: a signature is valid for a minute. */
  takeFrames(maxFrames: number): ReadonlyArray<string> {
    const frames: Array<string> = []
    const now = this.clock.unsafeCurrentTimeMillis()
    let bytes = 0
    while (frames.length < maxFrames && this.outbox.length > 0 && bytes < maxResponseBytes - MAX_FRAME_BYTES) {
      const accepted = this.outbox.shift()
      const text = accepted === undefined
        ? null
        : encodeCommandFrame(accepted.command, this.presence.namespace, this.wire, now)
      if (text === null) continue // too long for any agent; creation refuses such commands
      bytes += Buffer.byteLength(text)
      frames.push(text)
    }
    return frames
  }

  private wake(): void {
    Deferred.unsafeDone(this.wakeSignal, Effect.void)
    this.wakeSignal = Deferred.unsafeMake<void>(FiberId.none)
  }
}
