import { Either } from "effect"
import { randomUUID } from "node:crypto"
import { WebSocket } from "ws"
import type { JsonInput } from "../../src/domain/kernel/CanonicalJson.ts"
import { fromEpochMicros } from "../../src/domain/kernel/Timestamp.ts"
import { FrameRefusal } from "../../src/protocol/Envelope.ts"
import { encodeFrame, WireSession } from "../../src/protocol/Frame.ts"
import { decodeHelloAckFrame, encodeHelloFrame } from "../../src/protocol/Hello.ts"
import { decodeSecret, signingKey } from "../../src/protocol/Signing.ts"
import { percentile } from "../percentile.ts"
import { type Job, type Outcome, taskNames } from "./Job.ts"

/**
 * The agents of the ingest bench. At full speed all frames are encoded and signed before the clock starts, so that the
 * client takes as little as possible of the two cores; at a given rate they are encoded when they are sent. An
 * acknowledgement is matched by its text.
 */
interface Agent {
  readonly socket: WebSocket
  readonly session: WireSession
  frames: Array<Frame>
  /** Where in `frames` the next one to send is. */
  next: number
  /** Tasks reported so far, and tasks to report. */
  reported: number
  readonly tasks: number
  sent: number
  acked: number
}

interface Frame {
  readonly id: string
  readonly text: Buffer
}

const connect = (url: string, credentials: Job["agents"][number], index: number, tasks: number) =>
  new Promise<Agent>((resolve, reject) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws/agent`, {
      headers: { authorization: `Bearer ${credentials.token}` },
      perMessageDeflate: false
    })
    socket.once("error", reject)
    socket.once("open", () =>
      socket.send(encodeHelloFrame(`hello_${index}`, {
        protocol_version: "2",
        agent_version: "1.13.0",
        framework: "bare",
        engines: ["celery"],
        schedulers: [],
        capabilities: { celery: ["retry_task"] },
        host: {},
        worker_id: `bench-${process.pid}-${index}`,
        worker_role: "task",
        worker_pid: process.pid,
        worker_started_at: null,
        runtime_features: []
      })))
    socket.once("message", (data) => {
      const ack = decodeHelloAckFrame(String(data))
      const secret = decodeSecret(credentials.hmacSecret)
      if (ack instanceof FrameRefusal || Either.isLeft(secret)) return reject(new Error("no hello_ack"))
      const ids = ack.payload
      resolve({
        socket,
        session: new WireSession(signingKey(secret.right), ids),
        frames: [],
        next: 0,
        reported: 0,
        tasks,
        sent: 0,
        acked: 0
      })
    })
  })

/** received, started and succeeded of one task, as the Celery agent reports them. */
const eventsOf = (number: number) => {
  const task_id = randomUUID()
  const at = Date.now() * 1000 + number
  const event = (kind: string, offset: number, data: { readonly [key: string]: JsonInput }) => ({
    id: randomUUID(),
    kind,
    engine: "celery",
    task_id,
    occurred_at: fromEpochMicros(at + offset).replace("Z", "+00:00"),
    data
  })
  const task_name = taskNames[number % taskNames.length] ?? "shop.checkout"
  const worker = `w${number % 4}@host`
  return [
    event("task.received", 0, {
      task_name,
      queue: "celery",
      worker: null,
      args: [number, "order"],
      kwargs: { currency: "EUR", notify: true },
      root_task_id: task_id
    }),
    event("task.started", 1500, {
      task_name: `<unknown:${task_id.slice(0, 8)}>`,
      queue: null,
      worker,
      args: null,
      kwargs: null
    }),
    event("task.succeeded", 9500, {
      task_name: `<unknown:${task_id.slice(0, 8)}>`,
      queue: null,
      worker,
      result: "'ok'",
      runtime_ms: 8
    })
  ]
}

/** Makes the agent's next frames: those of as many tasks as fill whole frames. */
const make = (agent: Agent, job: Job) => {
  const most = job.eventsPerFrame % 3 === 0 ? job.eventsPerFrame / 3 : job.eventsPerFrame
  const count = Math.min(most, agent.tasks - agent.reported)
  const events = Array.from({ length: count }, () => eventsOf(agent.reported++)).flat()
  for (let begin = 0; begin < events.length; begin += job.eventsPerFrame) {
    const id = `ev_${randomUUID().replaceAll("-", "")}`
    const text = encodeFrame(
      "event_batch",
      id,
      { events: events.slice(begin, begin + job.eventsPerFrame) },
      agent.session,
      Date.now()
    )
    agent.frames.push({ id, text: Buffer.from(text) })
  }
}

const nextFrame = (agent: Agent, job: Job): Frame | undefined => {
  if (agent.next === agent.frames.length) {
    agent.frames = []
    agent.next = 0
    make(agent, job)
  }
  return agent.frames[agent.next++]
}

/** Sends the next `share` of each agent's frames, and resolves when all are acknowledged. */
const run = (agents: ReadonlyArray<Agent>, job: Job, share: number) =>
  new Promise<Outcome>((resolve, reject) => {
    const sentAt = new Map<string, number>()
    const latencies: Array<number> = []
    const first = agents.map(({ sent }) => sent)
    const last = agents.map(({ sent, tasks }) => sent + Math.floor(tasks * 3 / job.eventsPerFrame * share))
    const total = last.reduce((sum, end, index) => sum + end - first[index]!, 0)
    const begin = performance.now()
    let done = 0
    const allowed = () =>
      job.rate === null
        ? Infinity
        : ((performance.now() - begin) / 1000) * job.rate / job.eventsPerFrame / agents.length

    const push = (agent: Agent, index: number) => {
      while (
        agent.sent < last[index]! && agent.sent - agent.acked < job.inFlight && agent.sent - first[index]! < allowed()
      ) {
        const frame = nextFrame(agent, job)
        if (frame === undefined) throw new Error("no frame left")
        agent.sent++
        sentAt.set(frame.id, performance.now())
        agent.socket.send(frame.text)
      }
    }
    const pace = setInterval(() => agents.forEach(push), 5)
    for (const [index, agent] of agents.entries()) {
      agent.socket.removeAllListeners("close").on(
        "close",
        (code, reason) => reject(new Error(`closed ${code} ${String(reason)}`))
      )
      agent.socket.removeAllListeners("message").on("message", (data) => {
        const id = /"acked_id":"([^"]+)"/.exec(String(data))?.[1]
        const at = id === undefined ? undefined : sentAt.get(id)
        if (id === undefined || at === undefined) return
        sentAt.delete(id)
        latencies.push(performance.now() - at)
        agent.acked++
        if (++done < total) return push(agent, index)
        clearInterval(pace)
        const seconds = (performance.now() - begin) / 1000
        const events = total * job.eventsPerFrame
        resolve({
          events,
          seconds,
          eventsPerSecond: Math.round(events / seconds),
          ackP50: percentile(latencies, 50),
          ackP99: percentile(latencies, 99)
        })
      })
      push(agent, index)
    }
  })

const job: Job = JSON.parse(process.argv[2] ?? "{}")
const tasks = job.warmUpTasks + job.tasks
const each = Math.ceil(tasks / job.agents.length)
const agents = await Promise.all(job.agents.map((credentials, index) => connect(job.url, credentials, index, each)))
if (job.rate === null) { for (const agent of agents) while (agent.reported < agent.tasks) make(agent, job) }
await run(agents, job, job.warmUpTasks / tasks)
console.log("begun")
console.log(JSON.stringify(await run(agents, job, job.tasks / tasks)))
process.exit(0)
