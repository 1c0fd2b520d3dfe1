/**
 * A test agent: the other end of the agents' connection, over a real WebSocket or by long-poll. Signs and checks with the
 * brain's own protocol code. Everything is a Promise or plain code, so that tests and benches use it alike.
 *
 *     const credentials = yield* freshAgent(project)               // an agent of the project, made through the service
 *     const agent = yield* connected({ base, ...credentials })     // WebSocket, hello done, closed with the scope
 *     const ack = await agent.sendEvents([event({ task_id })])     // resolves with the batch's ack
 *     agent.heartbeat({ "celery.worker_details": "…" })            // and agent.status()
 *     agent.onCommand = (command) => agent.sendResult(command, { status: "success", result: { task_id: "x" } })
 *     await agent.command("retry_task")                            // the next command with that action
 *     agent.raw("text"), agent.signed("heartbeat", {}, { seq: 1 })  // misbehave: see `Tampering`
 *     await agent.closed                                           // { code, reason }
 *
 *     const poll = longPoll({ base, ...credentials })
 *     await poll.probe(); await poll.push([poll.seal("heartbeat", {})]); await poll.pull(0)
 *
 * `dial` opens a socket and says nothing. An `onCommand` of null (default) acknowledges and leaves the command alone.
 */
import { Effect } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import WebSocket from "ws"
import { system } from "../src/domain/kernel/Actor.ts"
import { canonicalize, type JsonInput, toValue } from "../src/domain/kernel/CanonicalJson.ts"
import type { Project } from "../src/domain/kernel/Project.ts"
import * as Timestamp from "../src/domain/kernel/Timestamp.ts"
import { FrameRefusal, type SignedType } from "../src/protocol/Envelope.ts"
import { decodeBrainFrame, encodeFrame, type FrameOf, type WirePayloads, WireSession } from "../src/protocol/Frame.ts"
import { decodeHelloAckFrame, encodeHelloFrame } from "../src/protocol/Hello.ts"
import { generateNonce } from "../src/protocol/Nonce.ts"
import { type SignatureContext, Signer, signingKey } from "../src/protocol/Signing.ts"
import { Agents } from "../src/services/agents/Agents.ts"
import { CurrentActor, CurrentProject } from "../src/services/kernel/CurrentActor.ts"
import { jsonOf } from "./bodies.ts"

export interface Credentials {
  readonly agent_id: string
  readonly token: string
  readonly hmac_secret: string
}

/** A new agent of the project. */
export const freshAgent = (project: Project, name = `agent ${randomUUID()}`) =>
  Effect.gen(function*() {
    const agents = yield* Agents
    const { agent, hmac_secret, token } = yield* agents.create({ name })
    return { agent_id: agent.id, token, hmac_secret } satisfies Credentials
  }).pipe(
    Effect.provideService(CurrentActor, system("test")),
    Effect.provideService(CurrentProject, project),
    Effect.orDie
  )

export interface Options extends Pick<Credentials, "token" | "hmac_secret"> {
  /** `http://127.0.0.1:port` */
  readonly base: string
  /** Replaces or adds fields of the hello's payload; undefined leaves a field out. */
  readonly hello?: Readonly<Record<string, JsonInput | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  /** The loopback address to connect from. */
  readonly localAddress?: string
  readonly autoPong?: boolean
}

export interface Closed {
  readonly code: number
  readonly reason: string
}

export interface Ack {
  readonly ackedId: string
  readonly received: number
  readonly accepted: number
  readonly rejected: number
}

export interface ReceivedCommand {
  readonly id: string
  readonly action: string
  readonly target: { readonly [key: string]: unknown }
  readonly parameters: { readonly [key: string]: unknown }
  readonly timeoutSeconds: number
}

export interface Result {
  readonly status: "success" | "failed"
  readonly result?: Readonly<Record<string, JsonInput>> | null
  readonly error?: string | null
}

/** The flaws of a signed frame; the rest is valid. */
export interface Tampering {
  readonly id?: string
  readonly seq?: number
  readonly nonce?: string
  /** Milliseconds to add to the time. */
  readonly skew?: number
  readonly ts?: string
  readonly hmac?: string
  readonly key?: Buffer
  readonly ids?: Partial<SignatureContext>
  readonly type?: string
}

/** An event as an agent sends it. */
export const event = (fields: Readonly<Record<string, JsonInput>> = {}): { readonly [key: string]: JsonInput } => ({
  id: randomUUID(),
  kind: "task.received",
  engine: "celery",
  task_id: randomUUID(),
  occurred_at: new Date().toISOString().replace("Z", "000+00:00"),
  data: { task_name: "shop.pay", queue: "celery", worker: null, args: [1], kwargs: {} },
  ...fields
})

/** Bytes of a secret as agents are given it. */
const keyBytes = (secret: string): Buffer => Buffer.from(secret, "base64url")

const now = (): number => Date.now()

/** The text of a signed frame with a flaw. */
const signTampered = (wire: Wire, type: string, payload: JsonInput, tampering: Tampering): string => {
  const key = signingKey(tampering.key ?? wire.key)
  const text = new Signer(key, { ...wire.ids, ...tampering.ids }).sign({
    type: tampering.type ?? type,
    id: tampering.id ?? `t_${randomUUID()}`,
    ts: tampering.ts ?? Timestamp.fromEpochMicros((now() + (tampering.skew ?? 0)) * 1000),
    nonce: tampering.nonce ?? generateNonce(),
    seq: tampering.seq ?? wire.session.nextSeq(),
    payload: canonicalize(payload)
  })
  return tampering.hmac === undefined ? text : text.replace(/"hmac":"[0-9a-f]*"/, `"hmac":"${tampering.hmac}"`)
}

interface Wire {
  readonly key: Buffer
  readonly ids: SignatureContext
  readonly session: WireSession
}

const wireOf = (secret: string, ids: SignatureContext): Wire => {
  const key = keyBytes(secret)
  return { key, ids, session: new WireSession(signingKey(key), ids) }
}

/** A promise and its handles. */
class Later<A> {
  resolve!: (value: A) => void
  reject!: (error: Error) => void
  readonly promise = new Promise<A>((resolve, reject) => {
    this.resolve = resolve
    this.reject = reject
  })
  constructor() {
    this.promise.catch(() => {}) // its awaiter gets the rejection
  }
}

/** Opens the socket; resolves when the upgrade was accepted, rejects with `Unexpected server response: 401` and such. */
export const dial = (options: Omit<Options, "hmac_secret"> & { readonly hmac_secret?: string }): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const ws = new WebSocket(`${options.base.replace(/^http/, "ws")}/ws/agent`, {
      headers: {
        authorization: `Bearer ${options.token}`,
        "user-agent": "Python/3.11 websockets/17.4",
        ...options.headers
      },
      autoPong: options.autoPong ?? true,
      ...(options.localAddress === undefined ? {} : { localAddress: options.localAddress })
    })
    ws.once("open", () => resolve(ws))
    ws.once("error", reject)
  })

/** The close of a socket. */
export const closeOf = (ws: WebSocket): Promise<Closed> =>
  new Promise((resolve) => ws.once("close", (code, reason) => resolve({ code, reason: reason.toString() })))

let workers = 0

/** What the published agents say that they can (the agents' protocol, section 2.2). */
export const publishedCapabilities = {
  celery: [
    "add_consumer",
    "bulk_retry",
    "cancel_consumer",
    "cancel_task",
    "pool_grow",
    "pool_shrink",
    "purge_queue",
    "rate_limit",
    "restart_worker",
    "retry_by_reference_v1",
    "retry_task",
    "submit_task"
  ],
  rq: [
    "bulk_retry",
    "cancel_task",
    "list_dead_letters",
    "purge_queue",
    "requeue_dead_letter",
    "retry_by_reference_v1",
    "retry_task",
    "submit_task"
  ],
  dramatiq: ["list_dead_letters", "purge_queue", "retry_by_reference_v1", "retry_task", "submit_task"],
  huey: ["cancel_task", "retry_by_reference_v1", "retry_task", "submit_task"],
  arq: ["cancel_task", "submit_task"],
  taskiq: ["submit_task"]
} as const

/** A hello's payload as the published Celery agent sends it. */
export const helloPayload = (fields: Options["hello"] = {}) => ({
  protocol_version: "2",
  agent_version: "1.13.0",
  framework: "bare",
  engines: ["celery"],
  schedulers: [],
  capabilities: { celery: publishedCapabilities.celery },
  host: {},
  worker_id: `bare-${process.pid}-${++workers}`,
  worker_role: null,
  worker_pid: process.pid,
  worker_started_at: "2026-11-21T06:56:20.969198Z",
  runtime_features: ["retry_by_reference"],
  ...fields
})

export class TestAgent {
  /** The ids of the brain's hello_ack. */
  readonly ids: SignatureContext
  readonly closed: Promise<Closed>
  readonly commands: Array<ReceivedCommand> = []
  readonly acks: Array<Ack> = []
  /** Commands received twice and more, counted by id. */
  readonly deliveries = new Map<string, number>()
  onCommand: ((command: ReceivedCommand) => void) | null = null
  /** A brain's frame that failed its checks, if there was one. */
  refusal: FrameRefusal | null = null
  private readonly wire: Wire
  private readonly waiting = new Map<string, Later<Ack>>()
  private readonly watchers = new Set<() => void>()

  constructor(
    readonly ws: WebSocket,
    readonly helloAck: NonNullable<Exclude<ReturnType<typeof decodeHelloAckFrame>, FrameRefusal>>,
    secret: string
  ) {
    const { agentId, projectId, sessionId } = helloAck.payload
    this.ids = { agentId, projectId, sessionId }
    this.wire = wireOf(secret, this.ids)
    this.closed = closeOf(ws)
    ws.on("message", (data: Buffer) => this.receive(data.toString("utf8")))
    ws.on("error", () => {}) // `closed` reports it
    ws.once("close", () => {
      for (const later of this.waiting.values()) later.reject(new Error("the connection ended before the ack"))
      this.changed()
    })
  }

  /** Sends one batch, as the published agents do with one event; resolves with its ack. */
  sendEvents(
    events: ReadonlyArray<Readonly<Record<string, JsonInput>>>,
    id = `ev_${randomUUID().replaceAll("-", "")}`
  ): Promise<Ack> {
    const later = new Later<Ack>()
    this.waiting.set(id, later)
    this.send("event_batch", { events }, id)
    return later.promise
  }

  heartbeat(
    adapterHealth: Readonly<Record<string, string>> = {},
    telemetryLoss: WirePayloads["heartbeat"]["telemetry_loss"] = null
  ): void {
    this.send("heartbeat", {
      buffer_size: 0,
      last_flush_at: null,
      dropped_events: 0,
      telemetry_loss: telemetryLoss,
      adapter_health: adapterHealth
    })
  }

  status(): void {
    this.send("agent_status", {
      telemetry_loss: null,
      auth_failure_streak: 0,
      protocol_failure_streak: 0,
      connection_failure_streak: 0,
      last_successful_connect_at: null,
      current_session_age_seconds: 0.5,
      buffer_depth: 0,
      buffer_oldest_age_seconds: null,
      agent_version: "1.13.0",
      protocol_version: "2",
      engines: ["celery"],
      schedulers: []
    })
  }

  /** Acknowledges a command, as agents do at once on receipt. */
  ack({ id }: Pick<ReceivedCommand, "id">): void {
    this.send("command_ack", { delivery_claim_token: null }, id)
  }

  /** command_ack and command_result. */
  sendResult(command: Pick<ReceivedCommand, "id">, result: Result): void {
    this.ack(command)
    this.send("command_result", { result: null, error: null, delivery_claim_token: null, ...result }, command.id)
  }

  /** Signs and sends a frame, as binary. */
  send<T extends SignedType>(type: T, payload: WirePayloads[T], id = `f_${randomUUID()}`): void {
    this.raw(Buffer.from(this.seal(type, payload, id)))
  }

  /** The frame's text, with the next seq. */
  seal<T extends SignedType>(type: T, payload: WirePayloads[T], id = `f_${randomUUID()}`): string {
    return encodeFrame(type, id, payload, this.wire.session, now())
  }

  /** Sends a signed frame with a flaw; returns its text. */
  signed(type: string, payload: JsonInput, tampering: Tampering): string {
    const text = signTampered(this.wire, type, payload, tampering)
    this.raw(Buffer.from(text))
    return text
  }

  /** Sends the bytes or the text as they are. */
  raw(data: Buffer | string): void {
    this.ws.send(data)
  }

  /** The first command with this action (or any), once it is there. */
  async command(action?: string): Promise<ReceivedCommand> {
    let found: ReceivedCommand | undefined
    await this.when(() =>
      (found = this.commands.find((command) => action === undefined || command.action === action)) !== undefined
    )
    return found as ReceivedCommand // `when` resolves only then
  }

  /** Resolves when the condition holds; checked after each message. Rejects when the connection ends before. */
  when(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const check = () => {
        const done = holds()
        if (!done && this.ws.readyState === WebSocket.OPEN) return
        this.watchers.delete(check)
        if (done) resolve()
        else reject(new Error("the connection ended before that"))
      }
      this.watchers.add(check)
    })
  }

  close(): Promise<Closed> {
    this.ws.close(1000)
    return this.closed
  }

  /** Ends without a word, as a killed process does. */
  terminate(): Promise<Closed> {
    this.ws.terminate()
    return this.closed
  }

  private receive(text: string): void {
    const frame = decodeBrainFrame(text, this.wire.session, now())
    if (frame instanceof FrameRefusal) {
      this.refusal = frame
      this.ws.close(1000)
      return this.changed()
    }
    if (frame.type === "event_batch_ack") {
      this.acks.push(frame.payload)
      this.waiting.get(frame.payload.ackedId)?.resolve(frame.payload)
      this.waiting.delete(frame.payload.ackedId)
    }
    if (frame.type === "command") this.take(frame)
    this.changed()
  }

  private take({ id, payload }: FrameOf<"command">): void {
    const command: ReceivedCommand = {
      id,
      action: payload.action,
      target: toValue(payload.target) as ReceivedCommand["target"], // objects, as the decoder has checked
      parameters: toValue(payload.parameters) as ReceivedCommand["parameters"],
      timeoutSeconds: payload.timeoutSeconds
    }
    this.commands.push(command)
    this.deliveries.set(id, (this.deliveries.get(id) ?? 0) + 1)
    if (this.onCommand === null) this.ack(command)
    else this.onCommand(command)
  }

  private changed(): void {
    const watchers = Array.from(this.watchers)
    for (const check of watchers) check()
  }
}

/** Connects and shakes hands; rejects with `closed 4426: …` when the brain refuses. */
export const connectAgent = async (options: Options): Promise<TestAgent> => {
  const ws = await dial(options)
  return new Promise((resolve, reject) => {
    ws.once("close", (code, reason) => reject(new Error(`closed ${code}: ${reason.toString()}`)))
    ws.once("message", (data: Buffer) => {
      const ack = decodeHelloAckFrame(data.toString("utf8"))
      if (ack instanceof FrameRefusal) reject(new Error(`no hello_ack: ${ack.reason}`))
      else resolve(new TestAgent(ws, ack, options.hmac_secret))
    })
    // the cast: tests may put anything into a hello
    const payload = helloPayload(options.hello) as Parameters<typeof encodeHelloFrame>[1]
    ws.send(Buffer.from(encodeHelloFrame(`hello_${randomBytes(8).toString("hex")}`, payload)))
  })
}

/** The same; the scope terminates the connection. */
export const connected = (options: Options) =>
  Effect.acquireRelease(
    Effect.promise(() => connectAgent(options)),
    (agent) => Effect.sync(() => agent.ws.terminate())
  )

export interface PollResponse {
  readonly status: number
  readonly headers: Headers
  // tests read any member of it
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any
}

/** A long-poll agent with a nonce of its own; `family` picks the names of the headers. */
export class PollAgent {
  private readonly wire: Wire

  constructor(
    private readonly options: Options & Credentials & { readonly project_id: string },
    readonly nonce: string,
    private readonly family: "z4j" | "svc",
    wire?: Wire
  ) {
    this.wire = wire ??
      wireOf(options.hmac_secret, { agentId: options.agent_id, projectId: options.project_id, sessionId: nonce })
  }

  /** The same session by way of another replica. */
  through(base: string): PollAgent {
    return new PollAgent({ ...this.options, base }, this.nonce, this.family, this.wire)
  }

  probe(): Promise<PollResponse> {
    return this.request("GET", "/agent/commands?wait=0&max_frames=0")
  }

  pull(wait = 30, maxFrames = 50): Promise<PollResponse> {
    return this.request("GET", `/agent/commands?wait=${wait}&max_frames=${maxFrames}`)
  }

  push(frames: ReadonlyArray<string>): Promise<PollResponse> {
    return this.request("POST", "/agent/events", JSON.stringify({ frames }))
  }

  seal<T extends SignedType>(type: T, payload: WirePayloads[T], id = `f_${randomUUID()}`): string {
    return encodeFrame(type, id, payload, this.wire.session, now())
  }

  signed(type: string, payload: JsonInput, tampering: Tampering): string {
    return signTampered(this.wire, type, payload, tampering)
  }

  /** A command's frame as it came in a pull. */
  open(text: string): FrameOf<"command"> {
    const frame = decodeBrainFrame(text, this.wire.session, now())
    if (frame instanceof FrameRefusal || frame.type !== "command") throw new Error("no command frame")
    return frame
  }

  async request(method: string, path: string, body?: string): Promise<PollResponse> {
    const response = await fetch(`${this.options.base}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.options.token}`,
        [`x-${this.family}-session-nonce`]: this.nonce,
        [`x-${this.family}-runtime-features`]: "retry_by_reference,external_schedule_protocol_v1",
        [`x-${this.family}-retry-contracts`]: "huey=1",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...this.options.headers
      },
      ...(body === undefined ? {} : { body })
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, json: jsonOf(text) }
  }
}

export const longPoll = (
  options: Options & Credentials & { readonly project_id: string },
  { family = "z4j", nonce = generateNonce() }: { readonly family?: "z4j" | "svc"; readonly nonce?: string } = {}
): PollAgent => new PollAgent(options, nonce, family)
