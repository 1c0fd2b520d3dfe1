import { HttpApiBuilder, type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { AgentPolls, type PollHeaders } from "../../services/AgentPolls.ts"
import { CurrentAgent } from "../../services/CurrentActor.ts"
import { NodeServer } from "../../services/NodeServer.ts"
import { Api } from "../Api.ts"

/** The published agents' header names, and those of our own. Both are taken, and both are answered. */
const families = ["x-z4j-", "x-svc-"]

const header = (request: HttpServerRequest.HttpServerRequest, name: string): string | undefined =>
  families.map((family) => request.headers[family + name]).find((value) => value !== undefined)

const pollHeaders = (request: HttpServerRequest.HttpServerRequest): PollHeaders => ({
  nonce: header(request, "session-nonce"),
  retryContracts: header(request, "retry-contracts")
})

/** With the ids that the agent binds into its signatures. */
const answer = (body: object) =>
  Effect.map(CurrentAgent, ({ agent_id, project_id }) =>
    HttpServerResponse.text(JSON.stringify(body), {
      contentType: "application/json",
      headers: Object.fromEntries(
        families.flatMap((family) => [[`${family}agent-id`, agent_id], [`${family}project-id`, project_id]])
      )
    }))

export const layer = HttpApiBuilder.group(Api, "agentLongPoll", Effect.fnUntraced(function*(handlers) {
  const polls = yield* AgentPolls
  const { closing } = yield* NodeServer
  return handlers
    .handle("pull", ({ request, urlParams: { max_frames = 50, wait = 30 } }) =>
      Effect.raceFirst(
        polls.pull(pollHeaders(request), wait, max_frames),
        Effect.as(closing, []) // the agent polls again, whoever answers then
      ).pipe(Effect.flatMap((frames) => answer({ frames }))))
    .handle("push", ({ payload, request }) =>
      Effect.flatMap(polls.push(pollHeaders(request), payload.frames), (accepted) => answer({ accepted, rejected: 0 })))
}))
