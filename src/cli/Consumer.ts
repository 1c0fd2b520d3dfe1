import { Effect } from "effect"
import { ConsumerRequest } from "../domain/Command/Requests.ts"
import { accepted } from "./Accepted.ts"
import { type IssueOptions, keyOf } from "./Issue.ts"
import type { Remote } from "./Remote.ts"
import { type WorkerOptions, workerTarget } from "./Target.ts"

/** What says which worker is to take tasks from which queue, or no more. */
export interface ConsumerOptions extends IssueOptions, WorkerOptions {
  readonly queue: string
}

export const consumerOf = (remote: Remote, options: ConsumerOptions) =>
  Effect.flatMap(workerTarget(remote, options), (target) =>
    accepted(ConsumerRequest, { ...target, queue: options.queue, ...keyOf(options) }))
