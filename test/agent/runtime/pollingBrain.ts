import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { FrameRefusal } from "../../../src/protocol/Envelope.ts"
import { decodeAgentFrame, WireSession } from "../../../src/protocol/Frame.ts"
import { signingKey } from "../../../src/protocol/Signing.ts"
import type { FakeBrain } from "./fakeBrain.ts"

export const ids = { agentId: randomUUID(), projectId: randomUUID() }

export interface FakeResponse {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

export const responseOf = (status: number, body: unknown = {}, headers = {}): FakeResponse => ({
  status,
  body: typeof body === "string" ? body : JSON.stringify(body),
  headers
})

/** A long-poll brain; a test replaces its response to one kind of request. */
export const polls = (
  brain: FakeBrain,
  overrides: {
    readonly probe?: FakeResponse
    readonly poll?: FakeResponse
    readonly push?: (frames: ReadonlyArray<string>, body: string) => FakeResponse | undefined
    readonly family?: "x-svc-" | "x-z4j-"
  }
) => {
  const { family = "x-svc-" } = overrides
  const sessions = new Map<string, WireSession>()
  const nonces: Array<string> = []
  const wireOf = (request: IncomingMessage) => {
    const nonce = String(request.headers[`${family}session-nonce`])
    const wire = sessions.get(nonce) ?? new WireSession(signingKey(brain.key), { ...ids, sessionId: nonce })
    if (!sessions.has(nonce)) nonces.push(nonce)
    sessions.set(nonce, wire)
    return wire
  }
  const write = (response: ServerResponse, { body, headers, status }: FakeResponse) => {
    response.writeHead(status, {
      [`${family}agent-id`]: ids.agentId,
      [`${family}project-id`]: ids.projectId,
      ...headers
    })
    response.end(body)
  }
  const take = (request: IncomingMessage, body: string): FakeResponse => {
    const frames: ReadonlyArray<string> = JSON.parse(body).frames
    const refusal = overrides.push?.(frames, body)
    if (refusal !== undefined) return refusal
    for (const text of frames) {
      const frame = decodeAgentFrame(text, wireOf(request), Date.now())
      if (frame instanceof FrameRefusal) return responseOf(400)
      if (frame.type === "event_batch") brain.store(frame)
      brain.frames.push(frame)
    }
    return responseOf(200, { accepted: frames.length })
  }
  brain.manners.onRequest = (request, response, body) => {
    wireOf(request)
    if (request.method === "POST") return write(response, take(request, body))
    if (request.url?.includes("max_frames=0") === true) {
      return write(response, overrides.probe ?? responseOf(200, { frames: [] }))
    }
    if (overrides.poll !== undefined) return write(response, overrides.poll)
    setTimeout(() => write(response, responseOf(200, { frames: [] })), 50)
  }
  return { nonces, heal: () => polls(brain, {}), wireOf }
}
