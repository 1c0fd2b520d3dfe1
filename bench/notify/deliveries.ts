import { Effect } from "effect"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { connected, event, type TestAgent } from "../../test/agent.ts"
import { until } from "../../test/until.ts"
import { builtProgram, runningBrain } from "../brain.ts"
import { bundled } from "../bundled.ts"
import { percentile } from "../percentile.ts"
import type { Database } from "../run.ts"
import { type Arrival, makeReceiver } from "./receiver.ts"

const settings = { SVC_NOTIFICATIONS_WEBHOOK_ALLOW_HTTP: "true", SVC_OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8:*" }
const base = "/projects/bench/notifications"

/** Receivers with an origin each, because a process sends at most 200 messages a second to one. More would exceed the rate limit of POST. */
const origins = 4
/** As many as the dispatcher sends at once. */
const inFlight = 16
const frame = 100
const between = 40

const failureOf = (task_id: string, name: string) => {
  const data = { task_name: name, queue: "celery", worker: "w@host", exception: "ValueError: no order" }
  return event({ kind: "task.failed", task_id, data })
}

/** Deliveries a second, from the first arrival to the last one. */
const sendAll = async (agent: TestAgent, arrivals: Array<Arrival>, count: number, nameOf: (at: number) => string) => {
  arrivals.length = 0
  const run = randomUUID()
  const failures = Array.from({ length: count }, (_, at) => failureOf(`${run} ${at}`, nameOf(at)))
  const frames = Array.from(
    { length: Math.ceil(count / frame) },
    (_, at) => failures.slice(at * frame, (at + 1) * frame)
  )
  await Promise.all(frames.map((events) => agent.sendEvents(events)))
  await Effect.runPromise(until(Effect.sync(() => arrivals.length), (length) => length >= count))
  const first = arrivals[0]?.at ?? 0
  const last = arrivals.at(-1)?.at ?? 0
  return Math.round((count - 1) / ((last - first) / 1000))
}

/** One failure at a time, from its frame's send to the first bytes of its delivery. */
const latencies = async (agent: TestAgent, arrivals: Array<Arrival>, count: number) => {
  arrivals.length = 0
  const sent = new Map<string, number>()
  for (let at = 0; at < count; at++) {
    const task = `l${at}`
    sent.set(task, performance.now())
    void agent.sendEvents([failureOf(task, "shop.step0")])
    await new Promise((resolve) => setTimeout(resolve, between + Math.random() * between))
  }
  await Effect.runPromise(until(Effect.sync(() => arrivals.length), (length) => length >= count))
  const waits = arrivals.slice(20).map(({ at, taskId }) => at - (sent.get(taskId) ?? 0)) // the first ones warm up
  return { p50: percentile(waits, 50), p99: percentile(waits, 99) }
}

const postBare = async (poster: string, arrivals: Array<Arrival>, count: number, urls: ReadonlyArray<string>) => {
  arrivals.length = 0
  const body = JSON.stringify({ data: { task_id: "bare", text: "x".repeat(1200) } }) // as long as a delivery's
  const child = spawn(process.execPath, [poster, String(count), String(inFlight), body, ...urls], { stdio: "inherit" })
  await once(child, "exit")
  return Math.round((arrivals.length - 1) / (((arrivals.at(-1)?.at ?? 0) - (arrivals[0]?.at ?? 0)) / 1000))
}

/**
 * Deliveries through a running brain: failures by an agent's WebSocket, without grouping, each a delivery to a receiver in
 * this process. Beside them the same posts by undici alone, from a process of its own.
 */
export const measureDeliveries = (database: Database, count: number) =>
  Effect.gen(function*() {
    const arrivals: Array<Arrival> = []
    const urls = yield* Effect.replicateEffect(makeReceiver(arrivals), origins)
    const poster = yield* bundled("notify/poster", "external")
    const { brain, call, credentials: [given] } = yield* runningBrain(yield* builtProgram, database, 1, settings)
    if (given === undefined) return yield* Effect.dieMessage("the brain has no agent")
    for (const [at, url] of urls.entries()) {
      const channel = yield* call("POST", `${base}/channels`, { name: `c${at}`, type: "webhook", config: { url } })
      const { json, status } = yield* call("POST", `${base}/defaults`, {
        trigger: "task.failed",
        filters: { task_name: `shop.step${at}` },
        project_channel_ids: [channel.json.id],
        grouping: null,
        in_app: false
      })
      if (status !== 201) throw new Error(JSON.stringify(json))
    }
    const agent = yield* connected({ base: brain.url, token: given.token, hmac_secret: given.hmacSecret })
    return yield* Effect.promise(async () => {
      const firstByteMillis = await latencies(agent, arrivals, 300)
      const toOne = await sendAll(agent, arrivals, count, () => "shop.step0")
      const toMany = await sendAll(agent, arrivals, count, (at) => `shop.step${at % origins}`)
      const bare = await postBare(poster, arrivals, count * 5, urls)
      return {
        count,
        origins,
        perSecond: { toOneOrigin: toOne, toOrigins: toMany, bare },
        ofBare: Number((toMany / bare).toFixed(3)),
        firstByteMillis
      }
    })
  })
