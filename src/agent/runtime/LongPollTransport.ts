import { Effect, Either, Redacted } from "effect"
import { FrameRefusal } from "../../protocol/Envelope.ts"
import { decodeBrainFrame, WireSession } from "../../protocol/Frame.ts"
import { encodeHelloFrame } from "../../protocol/Hello.ts"
import { generateNonce } from "../../protocol/Nonce.ts"
import { MAX_FRAME_BYTES } from "../../protocol/Payload.ts"
import type { AgentConnection, Core } from "./Core.ts"
import { describeFrameRefusal, resultPayload } from "./FrameText.ts"
import { makePush, type Outgoing } from "./LongPollPush.ts"
import { type BrainConfig, urlBelow } from "./Options.ts"
import { type HttpResponse, makeHttp } from "./PlainHttp.ts"
import { failureOfResponse, parseMembers } from "./PollResponse.ts"
import { type ConnectionFailed, connectionFailure } from "./Reconnect.ts"

const PROBE_TIMEOUT_MILLIS = 10_000
const PUSH_TIMEOUT_MILLIS = 15_000
const POLL_SECONDS = 30
const POLL_GRACE_MILLIS = 10_000
const MAX_COMMANDS = 50
const MAX_FRAMES = 200
const ENVELOPE_BYTES = 600

/**
 * A hello frame in base64url. The transport has no hello of its own, so without this the brain does not know which process
 * polls.
 */
const HELLO_HEADER = "x-svc-hello"

/** The names of the published agents' protocol, and this project's: a brain reads one of the two. */
const HEADER_PREFIXES = ["x-svc-", "x-z4j-"]

export const pollHeaders = (
  token: BrainConfig["token"],
  nonce: string,
  features: ReadonlyArray<string>,
  byReference: ReadonlyArray<string>
): Readonly<Record<string, string>> => {
  const contracts = [...byReference].sort().map((name) => `${name}=1`).join(",")
  const headers = HEADER_PREFIXES.flatMap((family) => [
    [`${family}session-nonce`, nonce],
    [`${family}runtime-features`, features.join(",")],
    [`${family}retry-contracts`, contracts]
  ])
  return { authorization: `Bearer ${Redacted.value(token)}`, ...Object.fromEntries(headers) }
}

/** The response's header of this name in either family; empty if there is none. */
export const headerOf = ({ headers }: HttpResponse, name: string): string =>
  HEADER_PREFIXES.map((family) => String(headers[family + name] ?? "")).find((value) => value !== "") ?? ""

export const commandsUrl = (brain: URL, waitSeconds: number, maxFrames: number): URL => {
  const url = urlBelow(brain, "/api/v1/agent/commands")
  url.search = `wait=${waitSeconds}&max_frames=${maxFrames}`
  return url
}

export const eventsUrl = (brain: URL): URL => urlBelow(brain, "/api/v1/agent/events")

class LongPollSession implements AgentConnection {
  readonly transport = "longpoll"
  readonly maxBytes = MAX_FRAME_BYTES - ENVELOPE_BYTES
  readonly workLatch = Effect.unsafeMakeLatch(false)
  private control: Array<Outgoing> = []

  send: AgentConnection["send"] = (type, id, payload) => {
    // The cast: type and payload belong together, a relation that TypeScript cannot follow.
    this.control.push({ type, id, payload } as Outgoing)
    this.wake()
  }

  wake = (): void => this.workLatch.unsafeOpen()
  resendResult = this.wake
  checkLiveness = (): void => {} // every request has a timeout of its own

  takeControl(): Array<Outgoing> {
    const frames = this.control.slice(0, MAX_FRAMES)
    this.control = this.control.slice(MAX_FRAMES)
    if (this.control.length > 0) this.wake()
    return frames
  }
}

/** One long-poll session, under its own nonce. It never succeeds: it fails when the session ends. */
export const runLongPoll = (core: Core): Effect.Effect<never, ConnectionFailed> =>
  Effect.scoped(Effect.gen(function*() {
    const http = yield* makeHttp
    const { config, outbox } = core
    const nonce = generateNonce()
    const referenceEngines = config.engines.filter((engine) => engine.retriesByReference).map(({ name }) => name)
    const headers = {
      ...pollHeaders(config.token, nonce, core.features(), referenceEngines),
      [HELLO_HEADER]: Buffer.from(encodeHelloFrame("hello_longpoll", core.hello())).toString("base64url")
    }
    const call = (request: { readonly url: URL; readonly body?: string; readonly timeoutMillis: number }) =>
      http({ method: request.body === undefined ? "GET" : "POST", headers, ...request }).pipe(
        Effect.mapError(({ message }) => connectionFailure(`The brain does not answer: ${message}.`))
      )

    const probe = yield* call({ url: commandsUrl(config.url, 0, 0), timeoutMillis: PROBE_TIMEOUT_MILLIS })
    if (probe.status !== 200) return yield* failureOfResponse(probe, config.token)
    const [agentId, projectId] = [headerOf(probe, "agent-id"), headerOf(probe, "project-id")]
    if (agentId === "" || projectId === "") {
      return yield* connectionFailure("The address does not answer as a brain: the answer does not name the agent.")
    }
    const wire = new WireSession(config.key, { agentId, projectId, sessionId: nonce })
    const session = new LongPollSession()
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        core.heartbeatSeconds = 10
        core.attachSession(session, headerOf(probe, "features").split(","))
      }),
      () => Effect.sync(() => core.detachSession())
    )

    const pull = Effect.gen(function*() {
      const response = yield* call({
        url: commandsUrl(config.url, POLL_SECONDS, MAX_COMMANDS),
        timeoutMillis: POLL_SECONDS * 1000 + POLL_GRACE_MILLIS
      })
      if (response.status !== 200) return yield* failureOfResponse(response, config.token)
      core.isVerified = true
      const frames = parseMembers(response.body)?.frames
      if (!Array.isArray(frames)) {
        return yield* connectionFailure("The address does not answer as a brain: a poll's answer has no frames.")
      }
      for (const text of frames) {
        const frame = decodeBrainFrame(String(text), wire, core.now())
        if (frame instanceof FrameRefusal) return yield* connectionFailure(describeFrameRefusal(frame))
        if (frame.type === "command") core.onCommand(frame)
      }
    })

    const push = makePush(
      core,
      wire,
      (body) => call({ url: eventsUrl(config.url), body, timeoutMillis: PUSH_TIMEOUT_MILLIS })
    )

    const takeFrames = (): ReadonlyArray<Outgoing> => {
      const frames = session.takeControl()
      for (const entry of core.journal.listUnconfirmed().slice(0, MAX_FRAMES)) {
        frames.push({ type: "command_result", id: entry.id, payload: resultPayload(entry) })
      }
      let bytes = 0
      while (frames.length < 2 * MAX_FRAMES && bytes < core.maxBodyBytes) {
        const parcel = outbox.next(session.maxBytes)
        if (parcel === null) break
        bytes += parcel.bodies.reduce((sum, body) => sum + body.length, 0)
        frames.push({ type: "event_batch", id: parcel.id, bodies: parcel.bodies })
      }
      return frames
    }
    const pushPending = Effect.gen(function*() {
      yield* session.workLatch.await
      session.workLatch.unsafeClose()
      const frames = takeFrames()
      if (frames.length === 0) return
      yield* push(frames)
      session.wake() // there may be more to send
    })

    const exit = yield* Effect.either(Effect.raceFirst(Effect.forever(pull), Effect.forever(pushPending)))
    return yield* Either.merge(exit)
  }))
