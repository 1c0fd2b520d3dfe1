import { Effect, Either, Redacted } from "effect"
import { CanonicalText } from "../../domain/CanonicalJson.ts"
import { FrameRefusal } from "../protocol/Envelope.ts"
import { openFromBrain, seal, type WirePayloads, WireSession } from "../protocol/Frame.ts"
import { freshNonce } from "../protocol/Nonce.ts"
import { MAX_FRAME_BYTES } from "../protocol/Payload.ts"
import type { Core, Session } from "./Core.ts"
import { below, type Brain } from "./Options.ts"
import { type HttpAnswer, makeHttp } from "./PlainHttp.ts"
import { LineDown } from "./Reconnect.ts"
import { describe, resultPayload } from "./Wording.ts"

const PROBE_MILLIS = 10_000
const PUSH_MILLIS = 15_000
const POLL_SECONDS = 30
const POLL_GRACE_MILLIS = 10_000
const MOST_COMMANDS = 50
const MOST_FRAMES = 200
/** Of one POST; the brain takes 8 MiB. */
const MOST_BODY_BYTES = 2 * MAX_FRAME_BYTES
const LONGEST_WAIT_SECONDS = 30
const ENVELOPE_BYTES = 600

const connectionDown = (detail: string, retryAfter?: number) =>
  new LineDown({ kind: "connection", detail, ...(retryAfter === undefined ? {} : { retryAfter }) })

export const pollHeaders = (token: Brain["token"], nonce: string, features: ReadonlyArray<string>, byReference: ReadonlyArray<string>) => ({
  authorization: `Bearer ${Redacted.value(token)}`,
  "x-svc-session-nonce": nonce,
  "x-svc-runtime-features": features.join(","),
  "x-svc-retry-contracts": [...byReference].sort().map((name) => `${name}=1`).join(",")
})

export const commandsUrl = (brain: URL, waitSeconds: number, most: number): URL => {
  const url = below(brain, "/api/v1/agent/commands")
  url.search = `wait=${waitSeconds}&max_frames=${most}`
  return url
}

export const eventsUrl = (brain: URL): URL => below(brain, "/api/v1/agent/events")

/** Why an answer that is no 200 ends the session (agents' protocol, section 1.2). */
const downBy = ({ body, headers, status }: HttpAnswer): LineDown => {
  if (status === 401) return new LineDown({ kind: "auth", detail: "The brain does not know the token (HTTP 401)." })
  const error = status === 403 ? membersOf(body)?.error : undefined
  if (error === "project_inactive" || error === "ip_denied") {
    return new LineDown({ kind: "auth", detail: `The brain does not admit the agent (${error}).` })
  }
  const seconds = Number(headers["retry-after"])
  const wait = Number.isFinite(seconds) && seconds > 0 ? Math.min(LONGEST_WAIT_SECONDS, seconds) * 1000 : undefined
  return connectionDown(`The brain's address answered with HTTP ${status}.`, wait)
}

const membersOf = (body: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : undefined
  } catch {
    return undefined
  }
}

/** What is to be sent, unsigned: it is signed when it goes, and again when it goes again. */
type Outgoing = { readonly [T in keyof WirePayloads]: { readonly type: T; readonly id: string; readonly payload: WirePayloads[T] } }[keyof WirePayloads]

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
    if (probe.status !== 200) return yield* downBy(probe)
    const [agentId, projectId] = ["agent", "project"].map((what) => String(probe.headers[`x-svc-${what}-id`] ?? probe.headers[`x-z4j-${what}-id`] ?? ""))
    if (!agentId || !projectId) return yield* connectionDown("What answers there is not a brain: it does not name the agent.")
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
      if (answer.status !== 200) return yield* downBy(answer)
      core.proved = true
      const frames = membersOf(answer.body)?.frames
      if (!Array.isArray(frames)) return yield* connectionDown("What answers there is not a brain: a poll's answer has no frames.")
      for (const text of frames) {
        const frame = openFromBrain(String(text), wire, core.now())
        if (frame instanceof FrameRefusal) return yield* connectionDown(describe(frame))
        if (frame.type === "command") core.onCommand(frame)
      }
    })

    const drop = ({ id, type }: Outgoing, status: number) => {
      if (type === "event_batch") outbox.giveUp(id)
      if (type === "command_result") core.book.confirm([id])
      core.log("warning", `the brain does not take a message of the kind ${type} (HTTP ${status}); it was dropped`)
    }
    const settle = (sent: ReadonlyArray<Outgoing>) => {
      for (const { id, type } of sent) if (type === "event_batch") outbox.ack(id)
      core.book.confirm(sent.filter(({ type }) => type === "command_result").map(({ id }) => id))
    }

    /** Sends all; what the brain refuses as too much is halved until what is at fault stands alone. */
    const push = (frames: ReadonlyArray<Outgoing>): Effect.Effect<void, LineDown> =>
      Effect.gen(function*() {
        const now = core.now()
        const texts = frames.map(({ id, payload, type }) => seal(type, id, payload, wire, now))
        const answer = yield* call({ url: eventsUrl(config.url), body: JSON.stringify({ frames: texts }), timeoutMillis: PUSH_MILLIS })
        if ([413, 415, 422].includes(answer.status)) {
          const [only] = frames
          if (frames.length === 1 && only !== undefined) return drop(only, answer.status)
          const half = Math.ceil(frames.length / 2)
          yield* push(frames.slice(0, half))
          return yield* push(frames.slice(half))
        }
        if (answer.status !== 200) return yield* downBy(answer)
        const told = membersOf(answer.body)
        if (told?.error_code === "scheduler_upgrade_required") {
          return yield* new LineDown({ kind: "protocol", detail: "The brain wants a newer agent." })
        }
        if (told?.accepted !== frames.length) {
          return yield* connectionDown(`The brain took ${String(told?.accepted ?? "no").slice(0, 20)} of ${frames.length} messages.`)
        }
        core.proved = true
        settle(frames)
      })

    const nextFrames = (): ReadonlyArray<Outgoing> => {
      const frames = session.takeControl()
      for (const entry of core.book.outstanding().slice(0, MOST_FRAMES)) {
        frames.push({ type: "command_result", id: entry.id, payload: resultPayload(entry) })
      }
      let bytes = 0
      while (frames.length < 2 * MOST_FRAMES && bytes < MOST_BODY_BYTES) {
        const parcel = outbox.next(session.mostBytes)
        if (parcel === null) break
        bytes += parcel.bodies.reduce((sum, body) => sum + body.length, 0)
        // bodies are lists already, spliced one after the other
        frames.push({ type: "event_batch", id: parcel.id, payload: { events: parcel.bodies.map((body) => new CanonicalText(body)) } })
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
