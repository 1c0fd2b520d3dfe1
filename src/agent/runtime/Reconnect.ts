import { Data } from "effect"
import { randomInt } from "node:crypto"
import type { FailureKind } from "./AgentStatus.ts"

/** Why a connection ended, by what is likely to fix it (agents' protocol, section 1.1). */
/** A connection failed or ended. `detail` is a sentence for people, without secrets. */
export class ConnectionFailed extends Data.TaggedError("ConnectionFailed")<{
  readonly kind: FailureKind
  readonly detail: string
  /** The address responded without a WebSocket handshake, so long-poll may work. */
  readonly isBlocked?: boolean
  /** Another live process has our worker id, from a copied buffer file. The process takes a new id. */
  readonly isReplaced?: boolean
  /** The brain's shortest delay before the next attempt, in milliseconds. */
  readonly retryAfter?: number
}> {}

/** A failure of the network, or of the other side, that may be over soon. */
export const connectionFailure = (
  detail: string,
  more: Partial<Pick<ConnectionFailed, "isBlocked" | "isReplaced" | "retryAfter">> = {}
) => new ConnectionFailed({ kind: "connection", detail, ...more })

/** First and longest delay, in milliseconds. */
const delays: Readonly<Record<FailureKind, readonly [first: number, longest: number]>> = {
  auth: [10_000, 600_000],
  incompatible: [120_000, 3_600_000],
  protocol: [1000, 60_000],
  connection: [1000, 30_000]
}

const JITTER_PERCENT = 30

/** The delay before the next attempt: each kind of failure doubles its own, and a long session resets all. */
export class Backoff {
  readonly streaks: Record<FailureKind, number> = { auth: 0, incompatible: 0, protocol: 0, connection: 0 }

  /** Counts the failure; milliseconds with 0 to 30 % added. */
  next(kind: FailureKind): number {
    const [first, longest] = delays[kind]
    const delay = Math.min(longest, first * 2 ** Math.min(this.streaks[kind]++, 20))
    return Math.round(delay * (1 + randomInt(JITTER_PERCENT + 1) / 100))
  }

  reset(): void {
    this.streaks.auth =
      this.streaks.incompatible =
      this.streaks.protocol =
      this.streaks.connection =
        0
  }
}
