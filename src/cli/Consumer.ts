import { Effect } from "effect"
import { ConsumerRequest } from "../domain/Command/Requests.ts"
import { accepted } from "./Accepted.ts"
import { type IssueOptions, keyOf } from "./Issue.ts"
import type { Remote } from "./Remote.ts"
import { agentAndEngine, type WorkerOptions } from "./Target.ts"

/** What says which worker is to take tasks from which queue, or no more. */
export interface ConsumerOptions extends IssueOptions, WorkerOptions {
  readonly queue: string
}

export const consumerOf = (remote: Remote, options: ConsumerOptions) =>
  Effect.flatMap(agentAndEngine(remote, options), (target) =>
    accepted(ConsumerRequest, { ...target, worker_name: options.worker, queue: options.queue, ...keyOf(options) }))
