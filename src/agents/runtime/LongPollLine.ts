import { Effect, Either, Redacted } from "effect"
import { FrameRefusal } from "../protocol/Envelope.ts"
import { openFromBrain, WireSession } from "../protocol/Frame.ts"
import { freshNonce } from "../protocol/Nonce.ts"
import { MAX_FRAME_BYTES } from "../protocol/Payload.ts"
import type { Core, Session } from "./Core.ts"
import { type Outgoing, pusher } from "./LongPollPush.ts"
import { below, type Brain } from "./Options.ts"
import { type HttpAnswer, makeHttp } from "./PlainHttp.ts"
import { connectionDown, downBy, membersOf } from "./PollAnswer.ts"
import type { LineDown } from "./Reconnect.ts"
import { describe, resultPayload } from "./Wording.ts"

const PROBE_MILLIS = 10_000
const PUSH_MILLIS = 15_000
const POLL_SECONDS = 30
const POLL_GRACE_MILLIS = 10_000
const MOST_COMMANDS = 50
const MOST_FRAMES = 200
const ENVELOPE_BYTES = 600

/** The names of the published agents' protocol, and this project's own: a brain takes one of the two. */
const FAMILIES = ["x-svc-", "x-z4j-"]

export const pollHeaders = (
  token: Brain["token"],
  nonce: string,
  features: ReadonlyArray<string>,
  byReference: ReadonlyArray<string>
): Readonly<Record<string, string>> => {
  const contracts = [...byReference].sort().map((name) => `${name}=1`).join(",")
  const headers = FAMILIES.flatMap((family) => [
    [`${family}session-nonce`, nonce],
    [`${family}runtime-features`, features.join(",")],
    [`${family}retry-contracts`, contracts]
  ])
  return { authorization: `Bearer ${Redacted.value(token)}`, ...Object.fromEntries(headers) }
}

/** What the brain answers under this name in either family; empty if it does not. */
export const headerOf = ({ headers }: HttpAnswer, name: string): string =>
  FAMILIES.map((family) => String(headers[family + name] ?? "")).find((value) => value !== "") ?? ""

export const commandsUrl = (brain: URL, waitSeconds: number, most: number): URL => {
  const url = below(brain, "/api/v1/agent/commands")
  url.search = `wait=${waitSeconds}&max_frames=${most}`
  return url
}

export const eventsUrl = (brain: URL): URL => below(brain, "/api/v1/agent/events")

class PollSession implements Session {
  readonly transport = "longpoll"
  readonly mostBytes = MAX_FRAME_BYTES - ENVELOPE_BYTES
  readonly something = Effect.unsafeMakeLatch(false)
  private control: Array<Outgoing> = []

  send: Session["send"] = (type, id, payload) => {
    // The cast: type and payload belong together, a relation that TypeScript cannot follow.
    this.control.push({ type, id, payload } as Outgoing)
    this.wake()
  }

  wake = (): void => this.something.unsafeOpen()
  again = this.wake
  look = (): void => {} // every request has a timeout of its own

  takeControl(): Array<Outgoing> {
    const taken = this.control.slice(0, MOST_FRAMES)
    this.control = this.control.slice(MOST_FRAMES)
    if (this.control.length > 0) this.wake()
    return taken
  }
}

/** One long-poll session, under a nonce of its own: fails when it ends, which is the only way out. */
export const overLongPoll = (core: Core): Effect.Effect<never, LineDown> =>
  Effect.scoped(Effect.gen(function*() {
    const http = yield* makeHttp
    const { config, outbox } = core
    const nonce = freshNonce()
    const byReference = config.engines.filter((engine) => engine.retriesByReference).map(({ name }) => name)
    const headers = pollHeaders(config.token, nonce, core.features(), byReference)
    const call = (request: { readonly url: URL; readonly body?: string; readonly timeoutMillis: number }) =>
      http({ method: request.body === undefined ? "GET" : "POST", headers, ...request }).pipe(
        Effect.mapError(({ message }) => connectionDown(`The brain does not answer: ${message}.`))
      )

    const probe = yield* call({ url: commandsUrl(config.url, 0, 0), timeoutMillis: PROBE_MILLIS })
    if (probe.status !== 200) return yield* downBy(probe, config.token)
    const [agentId, projectId] = [headerOf(probe, "agent-id"), headerOf(probe, "project-id")]
    if (agentId === "" || projectId === "") return yield* connectionDown("What answers there is not a brain: it does not name the agent.")
    const wire = new WireSession(config.key, { agentId, projectId, sessionId: nonce })
    const session = new PollSession()
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        core.heartbeatSeconds = 10
        core.opened(session)
      }),
      () => Effect.sync(() => core.ended())
    )

    const pull = Effect.gen(function*() {
      const answer = yield* call({ url: commandsUrl(config.url, POLL_SECONDS, MOST_COMMANDS), timeoutMillis: POLL_SECONDS * 1000 + POLL_GRACE_MILLIS })
      if (answer.status !== 200) return yield* downBy(answer, config.token)
      core.proved = true
      const frames = membersOf(answer.body)?.frames
      if (!Array.isArray(frames)) return yield* connectionDown("What answers there is not a brain: a poll's answer has no frames.")
      for (const text of frames) {
        const frame = openFromBrain(String(text), wire, core.now())
        if (frame instanceof FrameRefusal) return yield* connectionDown(describe(frame))
        if (frame.type === "command") core.onCommand(frame)
      }
    })

    const push = pusher(core, wire, (body) => call({ url: eventsUrl(config.url), body, timeoutMillis: PUSH_MILLIS }))

    const nextFrames = (): ReadonlyArray<Outgoing> => {
      const frames = session.takeControl()
      for (const entry of core.book.outstanding().slice(0, MOST_FRAMES)) {
        frames.push({ type: "command_result", id: entry.id, payload: resultPayload(entry) })
      }
      let bytes = 0
      while (frames.length < 2 * MOST_FRAMES && bytes < core.mostBodyBytes) {
        const parcel = outbox.next(session.mostBytes)
        if (parcel === null) break
        bytes += parcel.bodies.reduce((sum, body) => sum + body.length, 0)
        frames.push({ type: "event_batch", id: parcel.id, bodies: parcel.bodies })
      }
      return frames
    }
    const pushing = Effect.gen(function*() {
      yield* session.something.await
      session.something.unsafeClose()
      const frames = nextFrames()
      if (frames.length === 0) return
      yield* push(frames)
      session.wake() // there may be more
    })

    const ended = yield* Effect.either(Effect.raceFirst(Effect.forever(pull), Effect.forever(pushing)))
    return yield* Either.merge(ended)
  }))
