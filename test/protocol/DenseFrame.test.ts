import { assert, describe, it } from "@effect/vitest"
import { canonicalize, type JsonInput } from "../../src/domain/kernel/CanonicalJson.ts"
import { toCodeUnits } from "../../src/domain/kernel/CanonicalJson/CodeUnits.ts"
import type { EventData } from "../../src/domain/kernel/TaskEvent.ts"
import { decodeDenseFrame, readDenseFrame } from "../../src/protocol/DenseFrame.ts"
import { FrameRefusal, isDense } from "../../src/protocol/Envelope.ts"
import { readEvents } from "../../src/protocol/Event.ts"
import { type AgentFrame, decodeAgentFrame, encodeFrame, type WireSession } from "../../src/protocol/Frame.ts"
import { MAX_FRAME_BYTES } from "../../src/protocol/Payload.ts"
import { sessionOf } from "./Vectors.ts"

const ids = {
  secret_b64url: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
  agent_id: "11111111-1111-4111-8111-111111111111",
  project_id: "22222222-2222-4222-8222-222222222222",
  session_id: "5353d4b2-f4e1-4267-b69d-2816ab92f9c9"
}
const now = Date.UTC(2026, 10, 21)

const event = (data: JsonInput, index = 0) => ({
  id: `5a0c8ddc-df51-4b7e-bcb0-4aa5bd90${String(index).padStart(4, "0")}`,
  kind: "task.succeeded",
  engine: "rq",
  task_id: `t${index}`,
  occurred_at: "2026-11-21T06:53:25.758085+00:00",
  data
})

const keys = (count: number, prefix = "") =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index.toString(36)}`, index]))

const seal = (events: ReadonlyArray<{ readonly [name: string]: JsonInput }>, session: WireSession = sessionOf(ids)) =>
  encodeFrame("event_batch", "ev_1", { events }, session, now)

/** As the thread and the event loop do it together; `turns`: how often other work got its turn. */
const decodeApart = (text: string, session: WireSession = sessionOf(ids)) => {
  const pieces = decodeDenseFrame(readDenseFrame({ text, key: session.key, ids: session.ids }), session, now)
  for (let turns = 0;; turns++) {
    const piece = pieces.next()
    if (piece.done === true) return { frame: piece.value, turns }
  }
}

const fieldsOf = (data: EventData): ReadonlyArray<string> => {
  const fields: Array<string> = []
  data.forEach((json, field) => fields.push(`${field}: ${json}`))
  return fields
}

const contentsOf = (frame: AgentFrame | FrameRefusal) => {
  if (frame instanceof FrameRefusal) return { reason: frame.reason, field: frame.field }
  if (frame.type !== "event_batch") return frame
  return {
    id: frame.id,
    events: readEvents(frame.payload, now).map((one) =>
      typeof one === "string" ? one : { ...one, data: fieldsOf(one.data) }
    )
  }
}

const frames: ReadonlyArray<readonly [title: string, text: string]> = [
  [
    "objects of 30 000 keys among small events",
    seal([event({ a: 1 }, 1), event({ kwargs: keys(35_000), result: keys(30_000, "r") }, 2), event({ b: [2] }, 3)])
  ],
  [
    "more values than a frame may hold in events that each may",
    seal(Array.from({ length: 8 }, (_, index) => event({ list: Array.from({ length: 15_000 }, () => index) }, index)))
  ],
  [
    "1 500 events of 60 values",
    seal(Array.from({ length: 1500 }, (_, index) => event({ list: Array.from({ length: 60 }, () => index) }, index)))
  ],
  ["events that are none", seal([event({ a: 1 }, 1)]).replace("[{", `[${"0,".repeat(50_000)}{`)],
  ["a wrong signature", seal([event(keys(50_000))]).replace(/"hmac":"./, "\"hmac\":\"x")],
  ["no JSON", `{"v":2,${"[0,".repeat(50_000)}`],
  [
    "a type of the brain's",
    sessionOf(ids).signer.sign({
      type: "command",
      id: "c_1",
      ts: "2026-11-21T00:00:00Z",
      nonce: "n1XC0SEOAJleLpaAR7f72A",
      seq: 1,
      payload: canonicalize({ list: Array.from({ length: 50_000 }, () => 0) })
    })
  ],
  [
    "a large result of a command",
    encodeFrame(
      "command_result",
      "c_1",
      { status: "success", result: { rows: Array.from({ length: 120_000 }, () => 0) }, error: null },
      sessionOf(ids),
      now
    )
  ]
]

describe("dense frames", () => {
  it.each(frames)("%s: read by the thread as on the event loop", (title, text) => {
    assert.isTrue(isDense(toCodeUnits(text), text.length), title)
    assert.isAtMost(text.length, MAX_FRAME_BYTES)
    const { frame } = decodeApart(text)
    assert.deepStrictEqual(contentsOf(frame), contentsOf(decodeAgentFrame(text, sessionOf(ids), now)))
  })

  it("give other work its turn after 10 000 values", () => {
    assert.isAtLeast(decodeApart(frames[2]![1]).turns, 8)
  })

  it("are taken once", () => {
    const session = sessionOf(ids)
    const text = frames[0]![1]
    assert.notInstanceOf(decodeApart(text, session).frame, FrameRefusal)
    assert.deepInclude(decodeApart(text, session).frame, { reason: "old_seq" })
  })

  it("are recognized by their commas and brackets, in UTF-8 as in UTF-16; a full frame of usual events is none", () => {
    const usual = seal(
      Array.from({ length: 2000 }, (_, index) =>
        event({
          task_name: "shop.pay",
          queue: "celery",
          worker: "celery@host",
          args: [1, "two"],
          kwargs: { order: index, total: 12.5 },
          runtime_ms: 12
        }, index))
    )
    assert.isAbove(usual.length, 550_000)
    assert.isFalse(isDense(Buffer.from(usual), usual.length))
    const dense = Buffer.from(frames[0]![1])
    assert.isTrue(isDense(dense, dense.length))
  })
})
