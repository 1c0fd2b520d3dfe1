import { Clock, Data, Effect, Either } from "effect"
import { randomUUID } from "node:crypto"
import { lookup } from "node:dns/promises"
import { closeSync, mkdirSync, openSync, rmSync } from "node:fs"
import { connect as connectTcp, isIP, type Socket } from "node:net"
import { join } from "node:path"
import { connect as connectTls } from "node:tls"
import { seal, WireSession } from "../protocol/Frame.ts"
import { freshNonce } from "../protocol/Nonce.ts"
import { BufferFile } from "./BufferFile.ts"
import { commandsUrl, eventsUrl, headerOf, pollHeaders } from "./LongPollLine.ts"
import { type Brain, type BrainOptions, checkBrain } from "./Options.ts"
import { type HttpAnswer, makeHttp } from "./PlainHttp.ts"
import { trySocket } from "./SocketCheck.ts"

export interface Finding {
  readonly check: "settings" | "folder" | "dns" | "tcp" | "tls" | "token" | "clock" | "signature"
  readonly status: "ok" | "failed" | "skipped"
  /** One sentence: what is so, or what is wrong and what to do. */
  readonly detail: string
}

class Unwell extends Data.TaggedError("Unwell")<{ readonly message: string }> {}

type Examination<A> = Effect.Effect<readonly [detail: string, value: A], Unwell>

const NETWORK_MILLIS = 10_000
const MAX_SKEW_SECONDS = 60
const WARN_SKEW_SECONDS = 20

const unwell = (message: string) => new Unwell({ message })
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * Looks for what keeps an agent from its brain, in the order in which a connection is made; stops at the first thing
 * that is wrong, and says what to do. Leaves nothing at the brain but a moment's presence.
 */
export const doctor = (options: BrainOptions, { websocket }: { readonly websocket: boolean }): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.scoped(Effect.gen(function*() {
    const findings: Array<Finding> = []
    let unsound = false
    const examine = <A>(check: Finding["check"], examination: Examination<A>): Effect.Effect<A | undefined> =>
      Effect.map(unsound ? Effect.succeed(null) : Effect.either(examination), (result) => {
        if (result === null) findings.push({ check, status: "skipped", detail: "Not looked at: what comes before it is wrong." })
        else if (Either.isRight(result)) findings.push({ check, status: "ok", detail: result.right[0] })
        else findings.push({ check, status: "failed", detail: result.left.message })
        // a buffer in memory will do for an agent that can reach its brain
        if (result !== null && Either.isLeft(result) && check !== "folder" && check !== "clock") unsound = true
        return result !== null && Either.isRight(result) ? result.right[1] : undefined
      })

    const brain = yield* examine("settings", Effect.map(Effect.mapError(checkBrain(options), ({ message }) => unwell(message)), (brain) =>
      [`The brain is ${brain.url.href}.`, brain] as const))
    if (brain === undefined) return findings
    const address = yield* examine("dns", resolves(brain.url))
    yield* examine("folder", canBuffer(brain.home))
    yield* examine("tcp", reaches(brain.url, address ?? ""))
    if (brain.url.protocol === "https:") yield* examine("tls", trusts(brain.url))
    else findings.push({ check: "tls", status: "skipped", detail: "Plain http: nothing is encrypted." })
    const http = yield* makeHttp
    const nonce = freshNonce()
    const headers = pollHeaders(brain.token, nonce, [], [])
    const ask = (url: URL, body?: string) =>
      http({ method: body === undefined ? "GET" : "POST", url, headers, timeoutMillis: NETWORK_MILLIS, ...(body === undefined ? {} : { body }) }).pipe(
        Effect.mapError(({ message }) => unwell(`The brain does not answer over HTTP: ${message}.`))
      )
    const probe = yield* examine("token", knowsToken(ask(commandsUrl(brain.url, 0, 0))))
    yield* examine("clock", probe === undefined ? Effect.succeed(["", null]) : clockAgrees(probe))
    const signed = websocket ? bySocket(brain) : byPost(brain, nonce, probe, (body) => ask(eventsUrl(brain.url), body))
    yield* examine("signature", signed)
    return findings
  }))

/** Without the brackets of an IPv6 address. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "")

const resolves = (url: URL): Examination<string> => {
  const host = hostOf(url)
  return Effect.tryPromise({
    try: () => lookup(host, { all: true }),
    catch: (error) => unwell(`The name ${host} cannot be found (${messageOf(error)}). Is it spelt right, and does this machine have a name server?`)
  }).pipe(Effect.map((found) => [`${host} is ${found.map(({ address }) => address).join(", ")}.`, found[0]?.address ?? host] as const))
}

const canBuffer = (home: string): Examination<null> =>
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
    catch: (error) => unwell(`Events cannot be buffered in ${home} (${messageOf(error)}): they would be kept in memory only. Set SVC_AGENT_HOME to a folder that this user may write.`)
  })

const portOf = ({ port, protocol }: URL): number => (port === "" ? (protocol === "https:" ? 443 : 80) : Number(port))

const opened = <S extends Socket>(event: "connect" | "secureConnect", make: () => S): Effect.Effect<S, Error> =>
  Effect.async<S, Error>((resume) => {
    const socket = make()
    socket.setTimeout(NETWORK_MILLIS, () => socket.destroy(new Error("no answer within 10 seconds")))
    socket.once(event, () => resume(Effect.succeed(socket)))
    socket.once("error", (error) => resume(Effect.fail(error)))
    return Effect.sync(() => socket.destroy())
  })

const reaches = (url: URL, address: string): Examination<null> =>
  opened("connect", () => connectTcp({ host: address, port: portOf(url) })).pipe(
    Effect.map((socket) => {
      socket.destroy()
      return [`${address} port ${portOf(url)} answers.`, null] as const
    }),
    Effect.mapError((error) => unwell(`Nothing answers at ${address} port ${portOf(url)} (${error.message || "refused"}). Does the brain run, and does a firewall let this machine through?`))
  )

const trusts = (url: URL): Examination<null> =>
  opened("secureConnect", () => connectTls({ host: hostOf(url), port: portOf(url), ...(isIP(hostOf(url)) === 0 ? { servername: hostOf(url) } : {}), ALPNProtocols: ["http/1.1"] })).pipe(
    Effect.map((socket) => {
      const { valid_to } = socket.getPeerCertificate()
      socket.destroy()
      return [`The certificate is trusted, and good until ${valid_to}.`, null] as const
    }),
    Effect.mapError((error) => unwell(`The brain's certificate is not trusted (${error.message}). If it is signed by an authority of your own, set NODE_EXTRA_CA_CERTS to its certificate.`))
  )

interface Probe {
  readonly answer: HttpAnswer
  /** Epoch milliseconds between question and answer. */
  readonly at: number
}

const knowsToken = (ask: Effect.Effect<HttpAnswer, Unwell>): Examination<Probe> =>
  Effect.gen(function*() {
    const asked = yield* Clock.currentTimeMillis
    const answer = yield* ask
    const answered = yield* Clock.currentTimeMillis
    if (answer.status === 401) return yield* unwell("The brain does not know the token. Was the agent deleted, or is it another brain's?")
    if (answer.status !== 200) return yield* unwell(`The brain's address answers HTTP ${answer.status}, not as a brain does. Is the URL right, and does a proxy pass /api/v1/agent on?`)
    const id = headerOf(answer, "agent-id")
    if (id === "") return yield* unwell("What answers there is not a brain: it does not name the agent.")
    return [`The token is that of the agent ${id}.`, { answer, at: (asked + answered) / 2 }] as const
  })

const clockAgrees = ({ answer, at }: Probe): Examination<null> => {
  const there = Date.parse(String(answer.headers.date ?? ""))
  if (Number.isNaN(there)) return Effect.succeed(["The brain does not tell its time; a wrong clock would show at the signature.", null])
  const seconds = (at - there - 500) / 1000 // the brain tells whole seconds, cut off
  const off = `This machine's clock is ${Math.abs(seconds).toFixed(1)} s ${seconds > 0 ? "ahead of" : "behind"} the brain's`
  if (Math.abs(seconds) > MAX_SKEW_SECONDS) return unwell(`${off}; ${MAX_SKEW_SECONDS} s are allowed. Set the clock, for example by NTP.`)
  if (Math.abs(seconds) > WARN_SKEW_SECONDS) return Effect.succeed([`${off}: that works (${MAX_SKEW_SECONDS} s are allowed), but look at it.`, null])
  return Effect.succeed(["This machine's clock agrees with the brain's.", null])
}

const notSigned = "The brain refuses the agent's signature. Is SVC_AGENT_HMAC_SECRET the one that was shown with this token?"

const bySocket = (brain: Brain): Examination<null> =>
  trySocket(brain).pipe(
    Effect.mapError(({ message, unsigned }) => unwell(unsigned ? notSigned : `${message} Does a proxy on the way pass WebSockets on? Over long-poll it may work: see --no-websocket.`)),
    Effect.as(["A signed message went there and back by WebSocket.", null] as const)
  )

const byPost = (
  brain: Brain,
  nonce: string,
  probe: Probe | undefined,
  post: (body: string) => Effect.Effect<HttpAnswer, Unwell>
): Examination<null> =>
  Effect.gen(function*() {
    const ids = probe === undefined
      ? { agentId: "", projectId: "" }
      : { agentId: headerOf(probe.answer, "agent-id"), projectId: headerOf(probe.answer, "project-id") }
    const wire = new WireSession(brain.key, { ...ids, sessionId: nonce })
    const frame = seal("event_batch", `ev_${randomUUID().replaceAll("-", "")}`, { events: [] }, wire, yield* Clock.currentTimeMillis)
    const answer = yield* post(JSON.stringify({ frames: [frame] }))
    if (answer.status === 200) return ["A signed message was taken over HTTP.", null] as const
    return yield* unwell(answer.status === 400 ? notSigned : `The brain answers a signed message with HTTP ${answer.status}.`)
  })
