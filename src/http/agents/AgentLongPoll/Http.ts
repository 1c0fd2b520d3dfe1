import { type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { AgentLongPoll, type PollHeaders } from "../../../services/agents/AgentLongPoll.ts"
import { CurrentAgent } from "../../../services/kernel/CurrentActor.ts"
import { NodeServer } from "../../../services/kernel/NodeServer.ts"
import { implementGroup } from "../../ImplementGroup.ts"

/** The published agents' header names, and those of our own. Both are accepted, and the response has both. */
const headerPrefixes = ["x-z4j-", "x-svc-"]

const readHeader = (request: HttpServerRequest.HttpServerRequest, name: string): string | undefined =>
  headerPrefixes.map((family) => request.headers[family + name]).find((value) => value !== undefined)

const pollHeaders = (request: HttpServerRequest.HttpServerRequest): PollHeaders => ({
  nonce: readHeader(request, "session-nonce"),
  retryContracts: readHeader(request, "retry-contracts"),
  hello: readHeader(request, "hello")
})

/** With the ids that the agent binds into its signatures, and the features that a `hello_ack` announces. */
const respond = (body: object, features: ReadonlyArray<string>) =>
  Effect.map(CurrentAgent, ({ agent_id, project_id }) =>
    HttpServerResponse.text(JSON.stringify(body), {
      contentType: "application/json",
      headers: Object.fromEntries(
        headerPrefixes.flatMap((family) => [[`${family}agent-id`, agent_id], [`${family}project-id`, project_id]])
          .concat([["x-svc-features", features.join(",")]])
      )
    }))

export const layer = implementGroup("agentLongPoll", function*(handlers) {
  const polls = yield* AgentLongPoll
  const { awaitClosing } = yield* NodeServer
  return handlers
    .handle("pull", ({ request, urlParams: { max_frames = 50, wait = 30 } }) =>
      Effect.raceFirst(
        polls.pull(pollHeaders(request), wait, max_frames),
        Effect.as(awaitClosing, []) // the agent polls again, and any replica may respond
      ).pipe(Effect.flatMap((frames) => respond({ frames }, polls.features))))
    .handle(
      "push",
      ({ payload, request }) =>
        Effect.flatMap(
          polls.push(pollHeaders(request), payload.frames),
          (accepted) => respond({ accepted, rejected: 0, errors: [], error_code: null }, polls.features)
        )
    )
})
