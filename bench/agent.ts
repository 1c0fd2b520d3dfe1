/**
 * The cost of an agent for its host: events a second accepted from an engine (encoded, searched for secrets, and
 * written to the buffer file), and out of the file again into frames and acknowledged. Beside it the bare driver
 * writing the same texts, a row each in transactions of a thousand, which is the limit of the plain way. Prints one
 * line of JSON, of the best round. Run: npx vite-node bench/agent.ts [events]
 */
import BetterSqlite3 from "better-sqlite3"
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { BufferFolder } from "../src/agent/runtime/BufferFolder.ts"
import type { EngineEvent } from "../src/agent/runtime/Engine.ts"
import { EventEncoder } from "../src/agent/runtime/EventEncoder.ts"
import { Outbox } from "../src/agent/runtime/Outbox.ts"
import * as Redaction from "../src/domain/kernel/Redaction.ts"
import { numbersOf } from "./run.ts"

const ROUNDS = 7
const { events: count } = numbersOf("agent", { events: 100_000 })
const folder = mkdtempSync(join(tmpdir(), "svc-bench-agent-"))

/** A worker's events of one task: added, started, done. */
const events = Array.from({ length: count }, (_, n): EngineEvent => {
  const common = {
    task_name: "shop.orders.send_receipt",
    queue: "default",
    worker: n % 3 === 0 ? null : "shop:4711:1",
    priority: "normal"
  }
  const data = n % 3 === 0
    ? {
      ...common,
      args: [{ order: n, customer: `customer-${n}`, lines: [{ sku: "A-1", count: 2 }, { sku: "B-7", count: 1 }] }],
      kwargs: {}
    }
    : n % 3 === 1
    ? common
    : { ...common, result: { sent: true, to: `customer-${n}@example.com` }, runtime_ms: 14 }
  const kind = (["task.received", "task.started", "task.succeeded"] as const)[n % 3] ?? "task.received"
  return { kind, taskId: randomUUID(), occurredAt: 1_795_243_586_088 + n, data }
})

const capture = new EventEncoder(Redaction.make([]), Date.now)
const texts = events.map((event) => capture.encode("bullmq", event) ?? "")

const seconds = (work: () => void): number => {
  globalThis.gc?.()
  const begun = process.hrtime.bigint()
  work()
  return Number(process.hrtime.bigint() - begun) / 1e9
}

const bare = (round: number): number => {
  const db = new BetterSqlite3(join(folder, `bare-${round}.sqlite`))
  db.pragma("locking_mode = EXCLUSIVE")
  db.pragma("journal_mode = WAL")
  db.pragma("synchronous = NORMAL")
  db.exec("CREATE TABLE events (id INTEGER PRIMARY KEY, body TEXT NOT NULL)")
  const insert = db.prepare("INSERT INTO events (body) VALUES (?)")
  const write = db.transaction((from: number) => {
    for (let at = from; at < Math.min(from + 1000, texts.length); at++) insert.run(texts[at])
  })
  const spent = seconds(() => {
    for (let from = 0; from < texts.length; from += 1000) write.immediate(from)
  })
  db.close()
  return spent
}

const ours = (round: number) => {
  const home = new BufferFolder(join(folder, String(round)), "bench", () => {})
  const outbox = new Outbox(home.claim(), home, { maxEvents: 10 * count, maxBytes: 2 ** 40 }, Date.now, () => {})
  const captured = seconds(() => {
    for (const event of events) capture.encode("bullmq", event)
  })
  const append = seconds(() => {
    for (const event of events) outbox.add(capture.encode("bullmq", event) ?? "")
    outbox.flush()
  })
  if (outbox.events !== count) throw new Error(`${outbox.events} events are in the buffer`)
  const drain = seconds(() => {
    for (let parcel = outbox.next(1_000_000); parcel !== null; parcel = outbox.next(1_000_000)) {
      outbox.ack(parcel.id)
      if (outbox.unwritten === 0) outbox.flush()
    }
  })
  if (outbox.events !== 0) throw new Error(`${outbox.events} events are left`)
  outbox.close(false)
  return { captured, append, drain }
}

const rounds = Array.from({ length: ROUNDS }, (_, round) => ({ bare: bare(round), ...ours(round) }))
const rate = (of: (round: typeof rounds[number]) => number) => Math.round(count / Math.min(...rounds.map(of)))
const append = rate(({ append }) => append)
const limit = rate(({ bare }) => bare)
console.log(JSON.stringify({
  bench: "agent",
  events: count,
  bytesAnEvent: Math.round(texts.reduce((sum, text) => sum + text.length, 0) / count),
  append_s: append,
  bareSqlite_s: limit,
  share: Number((append / limit).toFixed(2)),
  capture_s: rate(({ captured }) => captured),
  drain_s: rate(({ drain }) => drain)
}))
rmSync(folder, { recursive: true })
