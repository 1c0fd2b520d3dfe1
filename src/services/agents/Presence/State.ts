import type { AgentId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { LatestRows, type LiveSession, PresenceBatch } from "./Batch.ts"
import type { Advice } from "./Model.ts"
import type { DepartureRow, QueueRow, WorkerRow } from "./Rows.ts"

/** The sessions of this process, and what they have reported since the last flush. */
export class PresenceState {
  readonly pending = new PresenceBatch()
  readonly workers = new LatestRows<WorkerRow>()
  readonly queues = new LatestRows<QueueRow>()
  readonly departures = new LatestRows<DepartureRow>()
  readonly liveSessions = new Set<LiveSession>()
  /** The set-up advice of each agent, by code. */
  readonly advice = new Map<AgentId, Map<Advice, string>>()

  /** `wake` ends the wait for the next flush. */
  constructor(readonly nowMillis: () => number, readonly wake: () => void) {}

  get now(): Timestamp.Timestamp {
    return Timestamp.fromEpochMillis(this.nowMillis())
  }
}
