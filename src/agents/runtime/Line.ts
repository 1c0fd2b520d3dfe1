import { Effect, Exit } from "effect"
import { randomUUID } from "node:crypto"
import type { Core } from "./Core.ts"
import { overLongPoll } from "./LongPollLine.ts"
import type { LineDown } from "./Reconnect.ts"
import { overWebSocket } from "./WebSocketLine.ts"

/** Handshakes that must fail in a row before long-poll is tried: one may be a brain that restarts. */
const BLOCKED_BEFORE_POLLING = 2
/** Long-poll goes on no longer before the WebSocket is tried again. */
const LONGEST_POLLING_MILLIS = 600_000
/** A session that lasted so long was a good one. */
const GOOD_MILLIS = 5000

/**
 * Keeps a connection to the brain for as long as it runs: reconnects with growing delays by the kind of failure, and
 * falls back on long-poll while WebSockets do not get through.
 */
export const keepLine = (core: Core): Effect.Effect<never> =>
  Effect.gen(function*() {
    const { transport, webSocketRetrySeconds } = core.config
    const firstPollingMillis = webSocketRetrySeconds * 1000
    let blocked = 0
    let pollingMillis = firstPollingMillis

    const attempt = (line: Effect.Effect<never, LineDown>) => {
      const before = core.lastConnectAt
      return Effect.map(Effect.flip(line), (down) => ({ down, opened: core.lastConnectAt !== before }))
    }

    const byWebSocket = Effect.gen(function*() {
      const { down, opened } = yield* attempt(overWebSocket(core))
      if (opened) {
        blocked = 0
        pollingMillis = firstPollingMillis
      } else blocked = down.blocked === true ? blocked + 1 : 0
      return down
    })

    /** Null once it is time to try the WebSocket again. */
    const whileBlocked = Effect.gen(function*() {
      const before = core.lastConnectAt
      const polled = yield* Effect.raceFirst(
        Effect.flip(overLongPoll(core)),
        Effect.as(Effect.sleep(pollingMillis), null)
      )
      if (core.lastConnectAt !== before) pollingMillis = Math.min(LONGEST_POLLING_MILLIS, pollingMillis * 2)
      return polled
    })

    const once = Effect.gen(function*() {
      core.state = "connecting"
      if (transport === "longpoll") return (yield* attempt(overLongPoll(core))).down
      const down = yield* byWebSocket
      if (transport === "ws" || blocked < BLOCKED_BEFORE_POLLING) return down
      core.log("warning", `WebSockets do not get through to the brain (${down.detail}); trying long-poll`)
      return yield* whileBlocked
    })

    for (;;) {
      const begun = core.lastConnectAt
      const down = yield* once
      if (down === null) continue
      const lasted = core.lastConnectAt !== begun && core.lastConnectAt !== null ? core.now() - core.lastConnectAt : 0
      if (core.proved || lasted >= GOOD_MILLIS) core.backoff.reset()
      core.proved = false
      yield* wait(core, down)
    }
  })

const wait = (core: Core, down: LineDown): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (down.replaced === true) core.freshWorkerId()
    const millis = Math.max(core.backoff.next(down.kind), down.retryAfter ?? 0)
    core.problem = down
    core.state = "waiting"
    core.nextTryAt = core.now() + millis
    core.log("warning", `not connected to the brain: ${down.detail} Trying again in ${(millis / 1000).toFixed(1)} s; events are kept meanwhile.`)
    return Effect.sleep(millis)
  })

/** Heartbeats over whatever connection there is, the first at once (agents' protocol, section 2.5). */
export const keepBeating = (core: Core, health: Effect.Effect<Readonly<Record<string, string>>>): Effect.Effect<never> => {
  const beat = Effect.gen(function*() {
    core.book.forget()
    const adapters = yield* health
    const { session } = core
    if (session === null) return
    session.send("heartbeat", `hb_${shortId()}`, core.heartbeat(adapters))
    session.send("agent_status", `as_${shortId()}`, core.agentStatus())
    session.look()
  })
  return Effect.gen(function*() {
    for (;;) {
      const exit = yield* Effect.exit(beat)
      if (Exit.isFailure(exit)) core.log("error", "a heartbeat could not be made; the next one is tried")
      yield* Effect.raceFirst(Effect.sleep(core.heartbeatSeconds * 1000), core.nextSession)
    }
  })
}

const shortId = (): string => randomUUID().replaceAll("-", "").slice(0, 12)
