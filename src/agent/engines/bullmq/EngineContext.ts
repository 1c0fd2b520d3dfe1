import type { Queue } from "bullmq"
import type { ReportEvent } from "../../runtime/Engine.ts"
import { TaskOutput } from "../../runtime/TaskOutput.ts"

/**
 * State that an engine's parts share. Filled when the engine starts; before that it has no queues and reports nothing.
 */
export interface EngineContext {
  readonly queues: Map<string, Queue>
  report: ReportEvent
  /** Lines and progress of the jobs. */
  readonly output: TaskOutput
  /** Whether lines of the jobs' logs are reported. */
  readonly sendsLogs: boolean
  /** Epoch milliseconds, of the runtime's clock. */
  now: () => number
}

export const makeEngineContext = (sendsLogs: boolean): EngineContext => {
  const context: EngineContext = {
    queues: new Map(),
    report: () => undefined,
    output: new TaskOutput((event) => context.report(event)),
    sendsLogs,
    now: () => 0
  }
  return context
}
