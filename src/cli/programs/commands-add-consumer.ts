import { Effect } from "effect"
import { type ConsumerOptions, makeConsumerRequest } from "../Consumer.ts"
import { issue } from "../Issue.ts"

export const run = (options: ConsumerOptions) =>
  issue(options, (remote) =>
    Effect.flatMap(makeConsumerRequest(remote, options), (payload) =>
      remote.api.commands.addConsumer({ path: { slug: remote.slug }, payload, withResponse: true })))
