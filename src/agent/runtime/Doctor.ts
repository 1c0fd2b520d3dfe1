import { Clock, Data, Effect, Either } from "effect"
import { randomUUID } from "node:crypto"
import { lookup } from "node:dns/promises"
import { closeSync, mkdirSync, openSync, rmSync } from "node:fs"
import { connect as connectTcp, isIP, type Socket } from "node:net"
import { join } from "node:path"
import { connect as connectTls } from "node:tls"
import { encodeFrame, WireSession } from "../../protocol/Frame.ts"
import { generateNonce } from "../../protocol/Nonce.ts"
import { BufferFile } from "./BufferFile.ts"
import { messageOf } from "./ErrorInfo.ts"
import { commandsUrl, eventsUrl, headerOf, pollHeaders } from "./LongPollTransport.ts"
import { type BrainConfig, type BrainOptions, checkBrain } from "./Options.ts"
import { type HttpResponse, makeHttp } from "./PlainHttp.ts"
import { checkWebSocket } from "./SocketCheck.ts"

export interface Finding {
  readonly check: "settings" | "folder" | "dns" | "tcp" | "tls" | "token" | "clock" | "signature"
  readonly status: "ok" | "failed" | "skipped"
  /** One sentence: the finding, or the problem and what to do. */
  readonly detail: string
}

class CheckFailed extends Data.TaggedError("CheckFailed")<{ readonly message: string }> {}

type Check<A> = Effect.Effect<readonly [detail: string, value: A], CheckFailed>

const NETWORK_TIMEOUT_MILLIS = 10_000
const MAX_SKEW_SECONDS = 60
const WARN_SKEW_SECONDS = 20

const checkFailed = (message: string) => new CheckFailed({ message })

/**
 * Checks what an agent needs to reach its brain, in the order of a connection. Stops at the first failure and says what
 * to do. In the brain it leaves only a process that was online for a moment.
 */
export const diagnose = (
  options: BrainOptions,
  { websocket }: { readonly websocket: boolean }
): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.scoped(Effect.gen(function*() {
    const findings: Array<Finding> = []
    let hasFailed = false
    const runCheck = <A>(check: Finding["check"], examination: Check<A>): Effect.Effect<A | undefined> =>
      Effect.map(hasFailed ? Effect.succeed(null) : Effect.either(examination), (result) => {
        if (result === null) {
          findings.push({ check, status: "skipped", detail: "Not checked: a check before it failed." })
        } else if (Either.isRight(result)) findings.push({ check, status: "ok", detail: result.right[0] })
        else findings.push({ check, status: "failed", detail: result.left.message })
        // an agent that reaches its brain works with a buffer in memory too
        if (result !== null && Either.isLeft(result) && check !== "folder" && check !== "clock") hasFailed = true
        return result !== null && Either.isRight(result) ? result.right[1] : undefined
      })

    const brain = yield* runCheck(
      "settings",
      Effect.map(Effect.mapError(checkBrain(options), ({ message }) => checkFailed(message)), (brain) =>
        [`The brain is ${brain.url.href}.`, brain] as const)
    )
    if (brain === undefined) {
      return findings
    }
    const address = yield* runCheck("dns", checkDns(brain.url))
    yield* runCheck("folder", checkFolder(brain.home))
    yield* runCheck("tcp", checkTcp(brain.url, address ?? ""))
    if (brain.url.protocol === "https:") {
      yield* runCheck("tls", checkTls(brain.url))
    } else findings.push({ check: "tls", status: "skipped", detail: "Plain http: nothing is encrypted." })
    const http = yield* makeHttp
    const nonce = generateNonce()
    const headers = pollHeaders(brain.token, nonce, [], [])
    const request = (url: URL, body?: string) =>
      http({
        method: body === undefined ? "GET" : "POST",
        url,
        headers,
        timeoutMillis: NETWORK_TIMEOUT_MILLIS,
        ...(body === undefined ? {} : { body })
      }).pipe(
        Effect.mapError(({ message }) =>
          checkFailed(`The brain does not answer over HTTP: ${message}.`)
        )
      )
    const probe = yield* runCheck("token", checkToken(request(commandsUrl(brain.url, 0, 0))))
    yield* runCheck("clock", probe === undefined ? Effect.succeed(["", null]) : checkClock(probe))
    const signatureCheck = websocket
      ? checkSignatureByWebSocket(brain)
      : checkSignatureByHttp(brain, nonce, probe, (body) => request(eventsUrl(brain.url), body))
    yield* runCheck("signature", signatureCheck)
    return findings
  }))

/** Without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "")

const checkDns = (url: URL): Check<string> => {
  const host = hostOf(url)
  return Effect.tryPromise({
    try: () => lookup(host, { all: true }),
    catch: (error) =>
      checkFailed(
        `The name ${host} cannot be found (${messageOf(error)}). Check its spelling and this machine's name server.`
      )
  }).pipe(
    Effect.map((found) =>
      [`${host} is ${found.map(({ address }) => address).join(", ")}.`, found[0]?.address ?? host] as const
    )
  )
}

const checkFolder = (home: string): Check<null> =>
  Effect.try({
    try: () => {
      mkdirSync(home, { recursive: true, mode: 0o700 })
      const path = join(home, `doctor-${randomUUID()}.sqlite`)
      closeSync(openSync(path, "wx", 0o600))
      try {
        BufferFile.open(path).close()
      } finally {
        for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true })
      }
      return [`Events can be buffered in ${home}.`, null] as const
    },
    catch: (error) =>
      checkFailed(
        `Events cannot be buffered in ${home} (${
          messageOf(error)
        }): they would be kept in memory only. Set SVC_AGENT_HOME to a folder that this user can write.`
      )
  })

const portOf = ({ port, protocol }: URL): number => (port === "" ? (protocol === "https:" ? 443 : 80) : Number(port))

const connectSocket = <S extends Socket>(event: "connect" | "secureConnect", make: () => S): Effect.Effect<S, Error> =>
  Effect.async<S, Error>((resume) => {
    const socket = make()
    socket.setTimeout(NETWORK_TIMEOUT_MILLIS, () => socket.destroy(new Error("no answer within 10 seconds")))
    socket.once(event, () => resume(Effect.succeed(socket)))
    socket.once("error", (error) => resume(Effect.fail(error)))
    return Effect.sync(() => socket.destroy())
  })

const checkTcp = (url: URL, address: string): Check<null> =>
  connectSocket("connect", () => connectTcp({ host: address, port: portOf(url) })).pipe(
    Effect.map((socket) => {
      socket.destroy()
      return [`${address} port ${portOf(url)} answers.`, null] as const
    }),
    Effect.mapError((error) =>
      checkFailed(
        `Nothing answers at ${address} port ${portOf(url)} (${
          error.message || "refused"
        }). Check that the brain runs and that a firewall admits this machine.`
      )
    )
  )

const checkTls = (url: URL): Check<null> =>
  connectSocket(
    "secureConnect",
    () =>
      connectTls({
        host: hostOf(url),
        port: portOf(url),
        ...(isIP(hostOf(url)) === 0 ? { servername: hostOf(url) } : {}),
        ALPNProtocols: ["http/1.1"]
      })
  ).pipe(
    Effect.map((socket) => {
      const { valid_to } = socket.getPeerCertificate()
      socket.destroy()
      return [`The certificate is trusted, and valid until ${valid_to}.`, null] as const
    }),
    Effect.mapError((error) =>
      checkFailed(
        `The brain's certificate is not trusted (${error.message}). If your own authority signed it, set NODE_EXTRA_CA_CERTS to the authority's certificate.`
      )
    )
  )

interface Probe {
  readonly response: HttpResponse
  /** Epoch milliseconds in the middle between request and response. */
  readonly at: number
}

const checkToken = (sendProbe: Effect.Effect<HttpResponse, CheckFailed>): Check<Probe> =>
  Effect.gen(function*() {
    const requestedAt = yield* Clock.currentTimeMillis
    const response = yield* sendProbe
    const respondedAt = yield* Clock.currentTimeMillis
    if (response.status === 401) {
      return yield* checkFailed("The brain does not know the token. Was the agent deleted, or is it another brain's?")
    }
    if (response.status !== 200) {
      return yield* checkFailed(
        `The brain's address answers HTTP ${response.status}, not as a brain does. Is the URL right, and does a proxy pass /api/v1/agent on?`
      )
    }
    const id = headerOf(response, "agent-id")
    if (id === "") return yield* checkFailed("What answers there is not a brain: it does not name the agent.")
    return [`The token is that of the agent ${id}.`, { response, at: (requestedAt + respondedAt) / 2 }] as const
  })

const checkClock = ({ at, response }: Probe): Check<null> => {
  const brainMillis = Date.parse(String(response.headers.date ?? ""))
  if (Number.isNaN(brainMillis)) {
    return Effect.succeed(["The brain's answer has no time. A wrong clock would show at the signature.", null])
  }
  const seconds = (at - brainMillis - 500) / 1000 // the Date header has whole seconds, rounded down
  const skew = `This machine's clock is ${Math.abs(seconds).toFixed(1)} s ${
    seconds > 0 ? "ahead of" : "behind"
  } the brain's`
  if (Math.abs(seconds) > MAX_SKEW_SECONDS) {
    return checkFailed(`${skew}; ${MAX_SKEW_SECONDS} s are allowed. Set the clock, for example by NTP.`)
  }
  if (Math.abs(seconds) > WARN_SKEW_SECONDS) {
    return Effect.succeed([`${skew}: that works (${MAX_SKEW_SECONDS} s are allowed), but look at it.`, null])
  }
  return Effect.succeed(["This machine's clock agrees with the brain's.", null])
}

const BAD_SIGNATURE =
  "The brain refuses the agent's signature. Is SVC_AGENT_HMAC_SECRET the one that was shown with this token?"

const checkSignatureByWebSocket = (brain: BrainConfig): Check<null> =>
  checkWebSocket(brain).pipe(
    Effect.mapError(({ message, isBadSignature }) =>
      checkFailed(
        isBadSignature
          ? BAD_SIGNATURE
          : `${message} Does a proxy on the way pass WebSockets on? Over long-poll it may work: see --no-websocket.`
      )
    ),
    Effect.as(["The brain accepted and acknowledged a signed message by WebSocket.", null] as const)
  )

const checkSignatureByHttp = (
  brain: BrainConfig,
  nonce: string,
  probe: Probe | undefined,
  post: (body: string) => Effect.Effect<HttpResponse, CheckFailed>
): Check<null> =>
  Effect.gen(function*() {
    const ids = probe === undefined
      ? { agentId: "", projectId: "" }
      : { agentId: headerOf(probe.response, "agent-id"), projectId: headerOf(probe.response, "project-id") }
    const wire = new WireSession(brain.key, { ...ids, sessionId: nonce })
    const frame = encodeFrame(
      "event_batch",
      `ev_${randomUUID().replaceAll("-", "")}`,
      { events: [] },
      wire,
      yield* Clock.currentTimeMillis
    )
    const response = yield* post(JSON.stringify({ frames: [frame] }))
    if (response.status === 200) return ["The brain accepted a signed message over HTTP.", null] as const
    return yield* checkFailed(
      response.status === 400 ? BAD_SIGNATURE : `The brain answers a signed message with HTTP ${response.status}.`
    )
  })
