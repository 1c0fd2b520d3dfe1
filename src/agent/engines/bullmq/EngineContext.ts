import type { Queue } from "bullmq"
import type { ReportEvent } from "../../runtime/Engine.ts"

/**
 * State that an engine's parts share. Filled when the engine starts; before that it has no queues and reports nothing.
 */
export interface EngineContext {
  readonly queues: Map<string, Queue>
  report: ReportEvent
  /** Epoch milliseconds, of the runtime's clock. */
  now: () => number
}

export const makeEngineContext = (): EngineContext => ({ queues: new Map(), report: () => undefined, now: () => 0 })
