import { Effect, Exit } from "effect"
import { randomUUID } from "node:crypto"
import type { Core } from "./Core.ts"
import { runLongPoll } from "./LongPollTransport.ts"
import type { ConnectionFailed } from "./Reconnect.ts"
import { runWebSocket } from "./WebSocketTransport.ts"

/** Handshakes that must fail in a row before long-poll is tried: one may be a brain that restarts. */
const MAX_BLOCKED_HANDSHAKES = 2
/** Longest time on long-poll before the next attempt by WebSocket. */
const MAX_POLLING_MILLIS = 600_000
/** A session of this length resets the back-off. */
const STABLE_SESSION_MILLIS = 5000

/**
 * Keeps a connection to the brain: reconnects with back-off by the kind of failure, and falls back to long-poll while
 * WebSockets do not get through.
 */
export const keepConnected = (core: Core): Effect.Effect<never> =>
  Effect.gen(function*() {
    const { transport, webSocketRetrySeconds } = core.config
    const firstPollingMillis = webSocketRetrySeconds * 1000
    let blocked = 0
    let pollingMillis = firstPollingMillis

    const attempt = (connect: Effect.Effect<never, ConnectionFailed>) => {
      const before = core.lastConnectAt
      return Effect.map(Effect.flip(connect), (down) => ({ down, opened: core.lastConnectAt !== before }))
    }

    const connectWebSocket = Effect.gen(function*() {
      const { down, opened } = yield* attempt(runWebSocket(core))
      if (opened) {
        blocked = 0
        pollingMillis = firstPollingMillis
      } else blocked = down.isBlocked === true ? blocked + 1 : 0
      return down
    })

    /** Null once it is time to try the WebSocket again. */
    const pollWhileBlocked = Effect.gen(function*() {
      const before = core.lastConnectAt
      const down = yield* Effect.raceFirst(
        Effect.flip(runLongPoll(core)),
        Effect.as(Effect.sleep(pollingMillis), null)
      )
      if (core.lastConnectAt !== before) pollingMillis = Math.min(MAX_POLLING_MILLIS, pollingMillis * 2)
      return down
    })

    const connectOnce = Effect.gen(function*() {
      core.state = "connecting"
      core.sources = yield* readSources(core)
      if (transport === "longpoll") return (yield* attempt(runLongPoll(core))).down
      const down = yield* connectWebSocket
      if (transport === "ws" || blocked < MAX_BLOCKED_HANDSHAKES) return down
      core.log("warning", `WebSockets do not reach the brain (${down.detail}); the agent uses long-poll`)
      return yield* pollWhileBlocked
    })

    for (;;) {
      const previousConnectAt = core.lastConnectAt
      const down = yield* connectOnce
      if (down === null) continue
      const durationMillis = core.lastConnectAt !== previousConnectAt && core.lastConnectAt !== null
        ? core.now() - core.lastConnectAt
        : 0
      if (core.isVerified || durationMillis >= STABLE_SESSION_MILLIS) core.backoff.reset()
      core.isVerified = false
      yield* backOff(core, down)
    }
  })

/** A broker that is away names itself at a later connect. */
const SOURCE_TIMEOUT = "3 seconds"

/** What names the brokers: the hello says it, so that the brain keeps the tasks of two brokers apart from the first. */
const readSources = (core: Core) =>
  Effect.map(
    Effect.forEach(core.config.engines, ({ name, source }) =>
      source === undefined || core.sources[name] !== undefined
        ? Effect.succeed([])
        : source.pipe(
          Effect.timeout(SOURCE_TIMEOUT),
          Effect.map((id) => [[name, id] as const]),
          Effect.catchAll(() => Effect.succeed([]))
        ), { concurrency: "unbounded" }),
    (found) => ({ ...core.sources, ...Object.fromEntries(found.flat()) })
  )

const backOff = (core: Core, down: ConnectionFailed): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (down.isReplaced === true) core.renewWorkerId()
    const millis = Math.max(core.backoff.next(down.kind), down.retryAfter ?? 0)
    core.problem = down
    core.state = "waiting"
    core.nextTryAt = core.now() + millis
    core.log(
      "warning",
      `not connected to the brain: ${down.detail} Next attempt in ${
        (millis / 1000).toFixed(1)
      } s; events are buffered until then.`
    )
    return Effect.sleep(millis)
  })

/** Sends heartbeats over the current connection, the first at once (agents' protocol, section 2.5). */
export const sendHeartbeats = (
  core: Core,
  health: Effect.Effect<Readonly<Record<string, string>>>
): Effect.Effect<never> => {
  const sendHeartbeat = Effect.gen(function*() {
    core.journal.prune()
    const adapters = yield* health
    const { session } = core
    if (session === null) return
    session.send("heartbeat", `hb_${shortId()}`, core.heartbeat(adapters))
    session.send("agent_status", `as_${shortId()}`, core.agentStatus())
    session.checkLiveness()
  })
  return Effect.gen(function*() {
    for (;;) {
      const exit = yield* Effect.exit(sendHeartbeat)
      if (Exit.isFailure(exit)) core.log("error", "a heartbeat failed; the next one is sent at its time")
      yield* Effect.raceFirst(Effect.sleep(core.heartbeatSeconds * 1000), core.nextSession)
    }
  })
}

const shortId = (): string => randomUUID().replaceAll("-", "").slice(0, 12)
