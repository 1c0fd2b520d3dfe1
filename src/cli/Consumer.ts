import { Effect } from "effect"
import { ConsumerRequest } from "../domain/Command/Requests.ts"
import { decodeInput } from "./DecodeInput.ts"
import { type IssueOptions, idempotencyKeyOf } from "./Issue.ts"
import type { Remote } from "./Remote.ts"
import { type WorkerOptions, resolveWorkerTarget } from "./Target.ts"

/** What says which worker is to take tasks from which queue, or no more. */
export interface ConsumerOptions extends IssueOptions, WorkerOptions {
  readonly queue: string
}

export const makeConsumerRequest = (remote: Remote, options: ConsumerOptions) =>
  Effect.flatMap(resolveWorkerTarget(remote, options), (target) =>
    decodeInput(ConsumerRequest, { ...target, queue: options.queue, ...idempotencyKeyOf(options) }))
