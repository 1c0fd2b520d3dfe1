/** No field of an event can make the others vanish: each field in turn is hostile, through the decoder and the writer. */
import { SqlClient } from "@effect/sql"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { randomUUID } from "node:crypto"
import { canonicalize, type JsonInput } from "../../../../src/domain/kernel/CanonicalJson.ts"
import { toCodeUnits } from "../../../../src/domain/kernel/CanonicalJson/CodeUnits.ts"
import { AgentId } from "../../../../src/domain/kernel/Id.ts"
import type { AgentEvent } from "../../../../src/domain/kernel/TaskEvent.ts"
import { decodeDenseFrame, readDenseFrame } from "../../../../src/protocol/DenseFrame.ts"
import { FrameRefusal, isDense } from "../../../../src/protocol/Envelope.ts"
import { readEvents } from "../../../../src/protocol/Event.ts"
import { type AgentFrame, decodeAgentFrame, encodeFrame } from "../../../../src/protocol/Frame.ts"
import { brainOn, freshProject } from "../../../brain.ts"
import { engines } from "../../../databases.ts"
import { runs, seed } from "../../../properties.ts"
import { sessionOf } from "../../../protocol/Vectors.ts"
import { offerEvents } from "./world.ts"

type Value = JsonInput
type Fields = { readonly [name: string]: Value }

const ids = {
  secret_b64url: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
  agent_id: "11111111-1111-4111-8111-111111111111",
  project_id: "22222222-2222-4222-8222-222222222222",
  session_id: "5353d4b2-f4e1-4267-b69d-2816ab92f9c9"
}
const now = Date.UTC(2026, 10, 21)
const agentId = AgentId.make(randomUUID())

/** The events as the brain reads them from a signed frame, on the event loop or, if it is dense, with the thread's code. */
const throughTheWire = (events: ReadonlyArray<Fields>): ReadonlyArray<AgentEvent> => {
  const session = sessionOf(ids)
  const text = encodeFrame("event_batch", "ev_1", { events }, sessionOf(ids), now)
  const read = (): AgentFrame | FrameRefusal => {
    if (!isDense(toCodeUnits(text), text.length)) return decodeAgentFrame(text, session, now)
    const pieces = decodeDenseFrame(readDenseFrame({ text, key: session.key, ids: session.ids }), session, now)
    for (let piece = pieces.next();; piece = pieces.next()) if (piece.done === true) return piece.value
  }
  const frame = read()
  if (frame instanceof FrameRefusal || frame.type !== "event_batch") throw new Error("the frame was refused")
  return readEvents(frame.payload, now).map((event) => {
    if (typeof event === "string") throw new Error(`unusable: ${event}`)
    return event
  })
}

const wide = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`k${index}`, index]))
const rows = Array.from({ length: 7000 }, (_, index) => ({ a: index, b: "x", c: null }))
const nest = (depth: number): Value => depth === 0 ? 1 : [nest(depth - 1)]

/** Values that once made an event, its task or its frame disappear, and their like. */
const hostile: ReadonlyArray<Value> = [
  null,
  true,
  0,
  -1,
  1e308,
  8.64e15,
  10n ** 400n,
  "",
  "\0",
  "x\0y",
  "n".repeat(201),
  "n".repeat(501),
  "\u65e5".repeat(10_000),
  "\"".repeat(300),
  "\u{1f4a5}".repeat(150),
  "<unknown>",
  "+275760-09-13T00:00:00.000Z",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "Traceback (most recent call last):\n  File \"",
  [],
  {},
  ["\0"],
  { "\0": "\0" },
  wide,
  rows,
  nest(100)
]

const anyValue: fc.Arbitrary<Value> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...hostile) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 600 }) },
  { weight: 1, arbitrary: fc.jsonValue() }
)

const received = {
  task_name: "shop.pay",
  queue: "default",
  worker: "w@host",
  args: [1, 2.5],
  kwargs: { currency: "EUR" },
  priority: "high",
  tags: ["payments"],
  eta: "2026-11-21T12:00:00Z",
  parent_task_id: "parent",
  root_task_id: "root"
}
const failed = {
  ...received,
  exception: "ValueError",
  exception_message: "no such order",
  traceback: "Traceback (most recent call last):\n  File \"shop.py\", line 1, in pay\nValueError: no such order",
  runtime_ms: 7
}
const succeeded = { ...received, result: { paid: true }, runtime_ms: 7 }
const ended = { ...received, reason: "the connection was reset" }

interface Sample {
  readonly kind: string
  readonly data: Fields
}

const kinds: ReadonlyArray<Sample> = [
  { kind: "task.received", data: received },
  { kind: "task.started", data: received },
  { kind: "task.retried", data: ended },
  { kind: "task.revoked", data: ended },
  { kind: "task.failed", data: failed },
  { kind: "task.succeeded", data: succeeded }
]

const plainEvent = ({ data, kind }: Sample): Fields => ({
  id: randomUUID(),
  kind,
  engine: "celery",
  task_id: "t1",
  occurred_at: "2026-11-21T06:53:25.758085+00:00",
  data
})

const times = ["received_at", "started_at", "finished_at", "first_event_at"]
const failure = ["exception", "traceback", "fingerprint"]

/** Columns that say what the field says. All others keep what the event's other fields say. */
const columnsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  id: [],
  kind: ["state", "worker_name", "result", "runtime_ms", ...times, ...failure],
  engine: ["engine", "fingerprint"],
  task_id: ["task_id"],
  occurred_at: times,
  "data.runtime_ms": ["runtime_ms", "started_at"],
  "data.task_name": ["name", "fingerprint"],
  "data.worker": ["worker_name"],
  "data.exception": failure,
  "data.exception_message": failure,
  "data.traceback": failure,
  "data.reason": failure,
  "data.anything": [],
  "data.svc_altered": []
}

const fieldsOf = ({ data }: Sample): ReadonlyArray<string> => [
  "id",
  "kind",
  "engine",
  "task_id",
  "occurred_at",
  "data",
  "data.anything",
  "data.svc_altered",
  ...Object.keys(data).map((name) => `data.${name}`)
]

const cases = fc.sample(
  fc.constantFrom(...kinds).chain((sample) =>
    fc.tuple(fc.constant(sample), fc.constantFrom(...fieldsOf(sample)), anyValue)
  ),
  { numRuns: runs(80), seed }
)

const hostileEvent = (sample: Sample, field: string, value: Value): Fields =>
  field.startsWith("data.")
    ? plainEvent({ ...sample, data: { ...sample.data, [field.slice(5)]: value } })
    : { ...plainEvent(sample), [field]: value }

/** Whether the columns may differ from those of the event without the hostile value. */
const isOwnColumn = (field: string, column: string): boolean => {
  if (field === "data") return !["engine", "task_id", "state", "received_at", "finished_at"].includes(column)
  return (columnsOf[field] ?? [field.slice(5)]).includes(column)
}

/** Without an id of its task an event has no identity. */
const hasNoIdentity = (field: string, value: Value): boolean =>
  field === "task_id" && (value === "" || !["string", "number", "bigint"].includes(typeof value))

/** What an event says, by field. */
const readFields = ({ data, engine, id, kind, occurredAt, taskId }: AgentEvent): ReadonlyMap<string, unknown> => {
  const read = new Map<string, unknown>(Object.entries({ id, kind, engine, task_id: taskId, occurred_at: occurredAt }))
  data.forEach((json, field) => read.set(`data.${field}`, json))
  return read
}

describe("the wire", () => {
  it("leaves all other fields of an event as they are, for each kind, field and hostile value", () => {
    for (const sample of kinds) {
      const plain = plainEvent(sample)
      const [event] = throughTheWire([plain])
      const expected = readFields(event!)
      for (const field of fieldsOf(sample)) {
        const others = [...expected].filter(([name]) =>
          name !== field && name !== "data.svc_altered" && (field !== "data" || !name.startsWith("data."))
        )
        for (const value of hostile) {
          const [read] = throughTheWire([{
            ...hostileEvent(sample, field, value),
            ...(field !== "id" && { id: plain.id })
          }])
          const fields = readFields(read!)
          for (const [name, kept] of others) {
            if (fields.get(name) === kept) continue
            assert.fail(
              `${sample.kind} ${field} = ${canonicalize(value).slice(0, 80)}: ${name} is ${String(fields.get(name))}`
            )
          }
        }
      }
    }
  })
})

describe.each(engines)("hostile fields on %s", (engine) => {
  layer(brainOn(engine), { excludeTestServices: true })((it) => {
    /** The one task of a new project that got the event, and the outcome. */
    const store = (event: Fields) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { id } = yield* freshProject()
        const outcome = yield* offerEvents({ projectId: id, agentId }, throughTheWire([event]))
        const rows = yield* sql<Fields>`
          SELECT engine, task_id, name, queue, state, priority, args, kwargs, result, exception, traceback, eta,
            received_at, started_at, finished_at, first_event_at, runtime_ms, worker_name, parent_task_id, root_task_id,
            tags, fingerprint
          FROM tasks WHERE project_id = ${id}`
        return { outcome, rows }
      })

    it.effect("leave the other fields of their event as they are", () =>
      Effect.gen(function*() {
        const plain = new Map(
          yield* Effect.forEach(kinds, (sample) =>
            Effect.map(store(plainEvent(sample)), ({ rows }) => [sample, rows[0]!] as const))
        )
        yield* Effect.forEach(cases, ([sample, field, value]) =>
          Effect.gen(function*() {
            const title = `${sample.kind} ${field} = ${canonicalize(value).slice(0, 80)}`
            const { outcome, rows: [row, ...more] } = yield* store(hostileEvent(sample, field, value))
            if (hasNoIdentity(field, value)) {
              return assert.deepStrictEqual(outcome, { accepted: 0, rejected: 1 }, title)
            }
            assert.deepStrictEqual(outcome, { accepted: 1, rejected: 0 }, title)
            assert.isEmpty(more, title)
            for (const [column, kept] of Object.entries(plain.get(sample)!)) {
              if (!isOwnColumn(field, column)) {
                assert.deepStrictEqual(row?.[column], kept, `${title}: ${column}`)
              }
            }
          }), { concurrency: 16, discard: true })
      }))
  })
})
