import type { AgentId, ProjectId } from "../../../domain/kernel/Id.ts"
import type { AgentEvent } from "../../../domain/kernel/TaskEvent.ts"

/**
 * How many events of a batch were accepted and rejected; the sum is the number offered. A repeated event is accepted.
 */
export interface BatchOutcome {
  readonly accepted: number
  readonly rejected: number
}

/** The events of one verified frame. */
export interface EventBatch {
  readonly projectId: ProjectId
  readonly agentId: AgentId
  /** Names the agent process that sent the frame, as far as the transport identifies it. */
  readonly reporter: string
  readonly events: ReadonlyArray<AgentEvent>
  /** Approximate characters of the events' text. The queue is bounded by characters too. */
  readonly size: number
  /**
   * Called once, after the transaction with the batch's last event is committed and never before. Never called when
   * the process ends first: the agent sends the batch again. Plain code on the writer's path: it must be short and
   * must not throw.
   */
  readonly onCommit: (outcome: BatchOutcome) => void
}
