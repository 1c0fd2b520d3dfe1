/**
 * How fast signed frames are opened: parsed without loss, canonicalised, verified and checked against replay
 * (`verified`), and their events read too (`read`). Beside it `JSON.parse` and a bare HMAC of the same bytes, which is
 * the limit, and how fast acks are sealed. Prints one line of JSON: frames a second, 100 events and 1 event a frame, of
 * the best round. Run: npx vite-node bench/protocol.ts
 */
import { createHmac, randomUUID } from "node:crypto"
import type { JsonNode } from "../src/domain/kernel/CanonicalJson.ts"
import { FrameRefusal } from "../src/protocol/Envelope.ts"
import { readEvent } from "../src/protocol/Event.ts"
import { decodeAgentFrame, encodeFrame, WireSession } from "../src/protocol/Frame.ts"
import { signingKey } from "../src/protocol/Signing.ts"

const ROUNDS = 15
const NOW = 1_795_243_586_088
const key = signingKey(Buffer.alloc(32, 7))
const ids = { agentId: randomUUID(), projectId: randomUUID(), sessionId: randomUUID() }

/** A third each of what a Celery worker reports of a task, in the order of the published agents. */
const event = (index: number) => {
  const task = randomUUID()
  const seen = { task_name: `<unknown:${task.slice(0, 8)}>`, queue: null, worker: "celery@host-a" }
  const data = [
    {
      task_name: "shop.orders.send_receipt",
      queue: "default",
      worker: null,
      args: [index, `customer-${index}`],
      kwargs: { attempt: 1, express: false },
      root_task_id: task
    },
    { ...seen, args: null, kwargs: null },
    { ...seen, result: "{'sent': True}", runtime_ms: 14 }
  ][index % 3] ?? seen
  const kind = ["task.received", "task.started", "task.succeeded"][index % 3] ?? "unknown"
  const occurred_at = "2026-11-21T06:56:27.747804+00:00"
  return { id: randomUUID(), kind, engine: "celery", task_id: task, occurred_at, data }
}

/** Frames as they are on the wire: keys in the agents' order, not in the canonical one. */
const frames = (count: number, events: number): ReadonlyArray<Buffer> => {
  const agent = new WireSession(key, ids)
  return Array.from({ length: count }, (_, at) => {
    const payload = { events: Array.from({ length: events }, (_, i) => event(i + at)) }
    const { hmac, id, nonce, seq, ts } = JSON.parse(encodeFrame("event_batch", `ev_${at}`, payload, agent, NOW))
    return Buffer.from(JSON.stringify({ v: 2, id, ts, nonce, seq, hmac, type: "event_batch", payload }))
  })
}

const verify = (bytes: ReadonlyArray<Buffer>, visit: (event: JsonNode) => void = () => {}): void => {
  const brain = new WireSession(key, ids)
  for (const text of bytes) {
    const frame = decodeAgentFrame(text.toString(), brain, NOW)
    if (frame instanceof FrameRefusal || frame.type !== "event_batch") throw new Error("a good frame was refused")
    frame.payload.events.forEach(visit)
  }
}

const read = (bytes: ReadonlyArray<Buffer>): void =>
  verify(bytes, (event) => {
    if (typeof readEvent(event, NOW) === "string") throw new Error("a good event was refused")
  })

const limit = (bytes: ReadonlyArray<Buffer>): void => {
  for (const text of bytes) {
    JSON.parse(text.toString())
    createHmac("sha256", key).update(text).digest("hex")
  }
}

const sealAcks = (bytes: ReadonlyArray<Buffer>): void => {
  const brain = new WireSession(key, ids)
  bytes.forEach((_, at) => {
    encodeFrame(
      "event_batch_ack",
      `ack_${at}`,
      { acked_id: `ev_${at}`, received: 1, accepted: 1, rejected: 0 },
      brain,
      NOW
    )
  })
}

const perSecond = (work: (bytes: ReadonlyArray<Buffer>) => void, bytes: ReadonlyArray<Buffer>): number => {
  const seconds = Array.from({ length: ROUNDS }, () => {
    const start = process.hrtime.bigint()
    work(bytes)
    return Number(process.hrtime.bigint() - start) / 1e9
  })
  return Math.round(bytes.length / Math.min(...seconds))
}

const many = frames(300, 100)
const single = frames(10_000, 1)
console.log(JSON.stringify({
  bench: "protocol",
  bytes_100: many[0]!.length,
  verified_100_s: perSecond((bytes) => verify(bytes), many),
  read_100_s: perSecond(read, many),
  limit_100_s: perSecond(limit, many),
  bytes_1: single[0]!.length,
  verified_1_s: perSecond((bytes) => verify(bytes), single),
  read_1_s: perSecond(read, single),
  limit_1_s: perSecond(limit, single),
  acks_sealed_s: perSecond(sealAcks, single)
}))
