import { type Clock, Deferred, Effect, FiberId } from "effect"
import type { OutboundCommand } from "../../services/AgentLine.ts"
import type { AgentIdentity } from "../../services/Agents.ts"
import type { Present } from "../../services/Presence.ts"
import { WireSession } from "../protocol/Frame.ts"
import { MAX_FRAME_BYTES } from "../protocol/Payload.ts"
import { sealCommand } from "./CommandFrame.ts"
import type { Speaker } from "./Receiver.ts"
import type { GatewaySession } from "./Sessions.ts"
import { SetupWatch } from "./SetupWatch.ts"

/** An answer to a poll stays below this, as a POST of the agent does. */
const mostAnswerBytes = 8 * MAX_FRAME_BYTES

/**
 * Counts up by the clock, in microseconds, instead of by one: each poll of one nonce may reach another replica, and
 * the agent takes only a seq above the last (gaps are allowed). Replicas' clocks must agree to less than the time
 * between two polls; where they do not, the agent refuses a frame and comes back with a fresh nonce.
 */
export class PollWire extends WireSession {
  private last = 0

  constructor(private readonly clock: Clock.Clock, ...session: ConstructorParameters<typeof WireSession>) {
    super(...session)
  }

  override nextSeq(): number {
    return this.last = Math.max(this.last + 1, this.clock.unsafeCurrentTimeMillis() * 1000)
  }
}

/**
 * One long-poll session: an agent and the nonce that it chose. It takes commands only while a poll waits here, and no
 * more than that poll has asked for: the next one may reach another replica.
 */
export class PollSession implements GatewaySession, Speaker {
  readonly transport = "longpoll"
  readonly exclusive = false
  readonly agentId: string
  readonly projectId: string
  readonly workerId: string
  readonly role = null
  readonly capabilities = {}
  readonly watch = new SetupWatch()
  engines: ReadonlyArray<string>
  /** What the last agent_status said of engines and version, as text. */
  told = ""
  /** Why nothing more is taken under this nonce. */
  over: "refused" | "revoked" | null = null
  /** Epoch milliseconds of the last request. */
  usedAt: number
  /** Polls that wait, and the commands that they ask for. */
  polls = 0
  private room = 0
  private heartbeatAt: number
  private outbox: Array<OutboundCommand> = []
  private arrival = Deferred.unsafeMake<void>(FiberId.none)

  constructor(
    readonly identity: AgentIdentity,
    readonly sessionId: string,
    readonly wire: WireSession,
    engines: ReadonlyArray<string>,
    public present: Present,
    private readonly clock: Clock.Clock
  ) {
    this.agentId = identity.agent_id
    this.projectId = identity.project_id
    this.workerId = identity.agent_id
    this.engines = engines
    this.usedAt = this.heartbeatAt = clock.unsafeCurrentTimeMillis()
  }

  lastHeartbeat = (): number => this.heartbeatAt

  /** A request is a sign of life. */
  seen(): void {
    this.usedAt = this.heartbeatAt = this.clock.unsafeCurrentTimeMillis()
    this.present.seen()
  }

  beginPoll(most: number): void {
    this.polls++
    this.room += most
    this.seen()
  }

  /** Ends a poll that asked for so many commands, whether or not it gets an answer. */
  endPoll(most: number): void {
    this.polls--
    this.room -= most
    this.seen()
  }

  send = (command: OutboundCommand): boolean => {
    if (this.over !== null || this.outbox.length >= this.room) return false
    this.outbox.push(command)
    this.wake()
    return true
  }

  close = (): void => this.end("revoked")

  end(why: "refused" | "revoked"): void {
    this.over = this.over ?? why
    this.outbox = []
    this.wake()
  }

  /** Ends when something waits for the agent, or the session is over. */
  get something(): Effect.Effect<void> {
    return Effect.suspend(() => (this.outbox.length > 0 || this.over !== null ? Effect.void : Deferred.await(this.arrival)))
  }

  /** Signs what waits, at most `most` commands, at this moment: a signature is good for a minute only. */
  handOut(most: number): ReadonlyArray<string> {
    const frames: Array<string> = []
    const now = this.clock.unsafeCurrentTimeMillis()
    let bytes = 0
    while (frames.length < most && this.outbox.length > 0 && bytes < mostAnswerBytes - MAX_FRAME_BYTES) {
      const command = this.outbox.shift()
      const text = command === undefined ? null : sealCommand(command, this.wire, now)
      if (text === null) continue // too long for any agent; creation refuses such commands
      bytes += Buffer.byteLength(text)
      frames.push(text)
    }
    return frames
  }

  private wake(): void {
    Deferred.unsafeDone(this.arrival, Effect.void)
    this.arrival = Deferred.unsafeMake<void>(FiberId.none)
  }
}
