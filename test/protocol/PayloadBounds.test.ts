/** No field of a hello, heartbeat or agent_status can lose the frame or another field: each in turn is hostile. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { canonicalize, type JsonInput } from "../../src/domain/kernel/CanonicalJson.ts"
import { FrameRefusal } from "../../src/protocol/Envelope.ts"
import { decodeAgentFrame, encodeFrame } from "../../src/protocol/Frame.ts"
import { decodeHelloFrame } from "../../src/protocol/Hello.ts"
import { sessionOf } from "./Vectors.ts"

type Fields = { readonly [name: string]: JsonInput }

const ids = {
  secret_b64url: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
  agent_id: "11111111-1111-4111-8111-111111111111",
  project_id: "22222222-2222-4222-8222-222222222222",
  session_id: "5353d4b2-f4e1-4267-b69d-2816ab92f9c9"
}
const now = Date.UTC(2026, 10, 21)
const time = "2026-11-21T00:00:00.000000Z"

const telemetry_loss = {
  buffer_id: "b",
  runtime_id: "r",
  capacity_evicted_frames: 1,
  content_rejected_frames: 2,
  event_records: 3,
  command_results: 4,
  other_frames: 5,
  unclassified_frames: 6,
  adapter_events: { celery: 7, rq: 8 }
}

const frames = {
  hello: {
    agent_version: "1.13.0",
    framework: "django",
    engines: ["celery", "rq"],
    schedulers: ["celery-beat"],
    capabilities: { celery: ["retry_task", "cancel_task"], rq: ["retry_task"] },
    host: { name: "box", sources: { celery: "redis-a", rq: "redis-b" } },
    worker_id: "django-7-1",
    worker_role: "task",
    worker_pid: 7,
    worker_started_at: time,
    runtime_features: ["retry_by_reference"]
  },
  heartbeat: {
    buffer_size: 3,
    last_flush_at: time,
    dropped_events: 4,
    telemetry_loss,
    adapter_health: { "celery.broker_connected": "True", "celery.queue_depths": "{\"default\":7}" }
  },
  agent_status: {
    telemetry_loss,
    auth_failure_streak: 1,
    protocol_failure_streak: 2,
    connection_failure_streak: 3,
    last_successful_connect_at: time,
    current_session_age_seconds: 4.5,
    buffer_depth: 5,
    buffer_oldest_age_seconds: 6.5,
    agent_version: "1.13.0",
    protocol_version: "2",
    engines: ["celery"],
    schedulers: ["celery-beat"]
  }
} as const satisfies Readonly<Record<string, Fields>>

/** The payload through the wire: written, signed, read and decoded. */
const decode = (type: keyof typeof frames, payload: Fields): Readonly<Record<string, unknown>> => {
  const frame = type === "hello"
    ? decodeHelloFrame(canonicalize({ v: 2, type, id: "h", ts: null, payload: { protocol_version: "2", ...payload } }))
    // the cast: a hostile payload is not of the frame's type
    : decodeAgentFrame(encodeFrame(type, "f", payload as never, sessionOf(ids), now), sessionOf(ids), now)
  if (frame instanceof FrameRefusal) return assert.fail(`refused: ${frame.reason} ${frame.field}`)
  return Object.fromEntries(Object.entries(frame.payload))
}

/** The decoded name of a field: `worker_id` is `workerId`. */
const decodedName = (field: string) => field.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

const wide = Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`k${index}`, "v"]))

const hostile: ReadonlyArray<JsonInput> = [
  null,
  true,
  0,
  -1,
  0.5,
  1e308,
  10n ** 400n,
  "",
  "\0",
  "x\0y",
  "n".repeat(50_000),
  "\u{1f4a5}".repeat(150),
  "yesterday",
  [],
  {},
  ["\0", "n".repeat(129), 7, null, ["celery"]],
  Array.from({ length: 5000 }, (_, index) => `e${index}`),
  { "\0": "\0", ["n".repeat(129)]: 1, ok: { deep: [] } },
  { name: "n".repeat(65), sources: wide },
  wide
]

const anyValue: fc.Arbitrary<JsonInput> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...hostile) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 200 }) },
  { weight: 1, arbitrary: fc.jsonValue() }
).map((value) => JSON.parse(JSON.stringify(value, (_, part) => typeof part === "bigint" ? 1e300 : part).toWellFormed()))

const withoutNote = ({ altered: _, ...payload }: Readonly<Record<string, unknown>>) => payload

describe.each(Object.keys(frames) as ReadonlyArray<keyof typeof frames>)("a %s", (type) => {
  const plain: Fields = frames[type]
  const expected = decode(type, plain)

  it("as it should be has no note", () => {
    assert.notProperty(expected, "altered")
    assert.isAbove(Object.keys(expected).length, Object.keys(plain).length - 1)
  })

  it.each(Object.keys(plain))("keeps all other fields whatever is in %s", (field) => {
    const { [decodedName(field)]: _, ...others } = expected
    const check = (value: JsonInput) => {
      const { [decodedName(field)]: _, ...kept } = withoutNote(decode(type, { ...plain, [field]: value }))
      assert.deepStrictEqual(kept, others)
    }
    for (const value of hostile) check(value)
    fc.assert(fc.property(anyValue, check), { numRuns: 200 })
  })

  it.each(Object.keys(plain))("says so where it takes a part of %s", (field) => {
    const bounded = decode(type, { ...plain, [field]: { any: [{}] } })
    const altered: unknown = bounded["altered"]
    const isIgnored = field === "host" || field === "telemetry_loss" // an object with an unknown key is one of newer agents
    if (!isIgnored) assert.isTrue(Array.isArray(altered) && altered.some((path) => String(path).startsWith(field)))
  })

  it("keeps its fields beside thousands of unknown ones", () => {
    assert.deepStrictEqual(withoutNote(decode(type, { ...wide, ...plain })), expected)
  })
})

describe("the parts that remain", () => {
  it("of a hello: long ids stay distinct, long lists keep their beginning, invalid entries are left out", () => {
    const ends = ["a", "b"].map((end) => decode("hello", { worker_id: "w".repeat(200) + end })["workerId"])
    assert.notStrictEqual(ends[0], ends[1])
    for (const end of ends) assert.lengthOf(String(end), 128)
    const hello = decode("hello", {
      engines: ["celery", 7, "n".repeat(129), "rq"],
      capabilities: { celery: ["retry_task", 7], rq: "all" },
      host: { name: "box", sources: { celery: 1, rq: "b" } },
      worker_pid: "7"
    })
    assert.deepInclude(hello, {
      engines: ["celery", "rq"],
      capabilities: { celery: ["retry_task"] },
      host: { name: "box", sources: { rq: "b" } },
      workerPid: null,
      altered: [
        "capabilities.celery.1",
        "capabilities.rq",
        "engines.1",
        "engines.2",
        "host.sources.celery",
        "worker_pid"
      ]
    })
    const many = decode("hello", { engines: Array.from({ length: 65 }, (_, index) => `e${index}`) })
    assert.lengthOf(many["engines"] as ReadonlyArray<string>, 64)
  })

  it("of a heartbeat: numbers at their bound, and the health of every other engine", () => {
    const heartbeat = decode("heartbeat", {
      buffer_size: "1",
      dropped_events: 10_000_001,
      last_flush_at: "yesterday",
      telemetry_loss: { ...telemetry_loss, event_records: -1, adapter_events: { celery: "x", rq: 8 } },
      adapter_health: { a: 1, b: "True" }
    })
    assert.deepInclude(heartbeat, {
      bufferSize: 0,
      droppedEvents: 10_000_000,
      lastFlushAt: null,
      adapterHealth: { b: "True" }
    })
    assert.deepInclude(heartbeat["telemetryLoss"], { eventRecords: 0, commandResults: 4, adapterEvents: { rq: 8 } })
  })
})
