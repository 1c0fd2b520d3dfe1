import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync } from "node:fs"
import { capabilitiesOf } from "../../../src/agent/runtime/Capabilities.ts"
import { dispatch } from "../../../src/agent/runtime/Dispatch.ts"
import type { EngineEvent } from "../../../src/agent/runtime/Engine.ts"
import {
  asString,
  CanonicalText,
  canonicalTextOf,
  JsonArray,
  type JsonNode,
  JsonObject,
  parse,
  type ParseFailure,
  toCanonicalText
} from "../../../src/domain/kernel/CanonicalJson.ts"
import * as Redaction from "../../../src/domain/kernel/Redaction.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { FrameRefusal, readEnvelope } from "../../../src/protocol/Envelope.ts"
import { decodeAgentFrame, decodeBrainFrame, encodeFrame } from "../../../src/protocol/Frame.ts"
import { keyOf, sessionOf, signedFrames, vectorText } from "../../protocol/Vectors.ts"
import { publishing } from "../engines/conformance.ts"
import { MemoryEngine } from "../engines/memory.ts"
import { drained, optionsFor, started } from "./agents.ts"
import { fakeBrain } from "./fakeBrain.ts"

const redaction = Redaction.make([])

const objectOf = (node: JsonNode | ParseFailure | undefined): JsonObject => {
  if (node instanceof JsonObject) return node
  throw new Error("no object")
}

const timeOf = (frame: string): number => {
  const ts = Timestamp.parse(asString(objectOf(parse(frame)).get("ts")) ?? "")
  return ts === undefined ? 0 : Timestamp.toEpochMillis(ts)
}

/** An event as it was recorded, in the words of an engine; values keep their digits. */
const engineEvent = (recorded: JsonObject): EngineEvent => {
  const text = (name: string) => asString(recorded.get(name)) ?? ""
  const occurred = Timestamp.parse(text("occurred_at"))
  const data: Record<string, CanonicalText> = {}
  objectOf(recorded.get("data")).forEach((json, field) => {
    data[field] = new CanonicalText(json)
  })
  return {
    // The cast: recorded from agents that know only these.
    kind: text("kind") as EngineEvent["kind"],
    taskId: text("task_id"),
    occurredAt: occurred === undefined ? 0 : Timestamp.toEpochMillis(occurred) + Number(occurred.slice(23, 26)) / 1000,
    data
  }
}

/** What must arrive: all but the id, which is minted on capture. */
const essence = (event: JsonObject): string =>
  ["kind", "engine", "task_id"].map((name) => asString(event.get(name))).concat(
    Timestamp.parse(asString(event.get("occurred_at")) ?? "") ?? "",
    redaction.json(canonicalTextOf(objectOf(event.get("data"))))
  ).join(" ")

describe("the recorded frames", () => {
  const fromAgents = signedFrames.filter(({ direction }) => direction.startsWith("agent->brain"))
  const fromBrain = signedFrames.filter(({ direction }) => direction.startsWith("brain->agent"))

  it("are there", () => {
    assert.isAbove(fromAgents.length, 30)
    assert.isAbove(fromBrain.length, 20)
  })

  for (const vector of fromAgents) {
    it(`${vector.name}: sealed by our client, the brain reads the same`, () => {
      const now = timeOf(vector.frame_json)
      const recorded = decodeAgentFrame(vector.frame_json, sessionOf(vector), now)
      const envelope = readEnvelope(vector.frame_json)
      if (recorded instanceof FrameRefusal || envelope instanceof FrameRefusal) {
        throw new Error("a good frame was refused")
      }
      // The cast: a payload of this type, as canonical text.
      const payload = toCanonicalText(envelope.payload) as never
      const sealed = encodeFrame(recorded.type, recorded.id, payload, sessionOf(vector), now)
      const again = decodeAgentFrame(sealed, sessionOf(vector), now)
      const reread = readEnvelope(sealed)
      if (again instanceof FrameRefusal || reread instanceof FrameRefusal) throw new Error("our own frame was refused")
      assert.deepStrictEqual([again.type, again.id, canonicalTextOf(reread.payload)], [
        recorded.type,
        recorded.id,
        canonicalTextOf(envelope.payload)
      ])
    })
  }

  for (const vector of fromBrain) {
    it.effect(`${vector.name}: decoded by our client, and a command has a result`, () =>
      Effect.gen(function*() {
        const frame = decodeBrainFrame(vector.frame_json, sessionOf(vector), timeOf(vector.frame_json))
        if (frame instanceof FrameRefusal) throw new Error(`a good frame was refused: ${frame.reason}`)
        if (frame.type !== "command") return
        const shop = new MemoryEngine(JSON.parse(vector.frame_json).payload.target.engine ?? "memory")
        const { engine } = shop
        const outcome = yield* dispatch(frame.payload, {
          engines: [engine],
          streams: publishing(engine).streams,
          key: keyOf(vector),
          purgeThreshold: 1000,
          redaction
        })
        if (outcome.status === "success") return
        assert.notInclude(outcome.error, "adapter failed")
        const known = [...capabilitiesOf(engine), "reconcile_task", "schedule.fire", "dlq.list"].includes(
          frame.payload.action
        )
        if (!known) {
          assert.match(
            outcome.error,
            /does not support action|unrecognized schedule action|no scheduler adapter registered/
          )
        }
      }))
  }
})

describe("the recorded events of every adapter", () => {
  const folder = new URL("../../protocol/vectors/sequences/", import.meta.url)
  for (const file of readdirSync(folder)) {
    it.scopedLive(`${file}: reported through our client, the brain gets the same`, () =>
      Effect.gen(function*() {
        const entries = parse(vectorText(`sequences/${file}`))
        if (!(entries instanceof JsonArray)) throw new Error("no list")
        const recorded = entries.items.map((entry) => objectOf(objectOf(entry).get("event")))
        const brain = yield* fakeBrain
        const arrived: Array<string> = []
        brain.manners.onFrame = (connection, frame) => {
          if (frame.type !== "event_batch") return
          arrived.push(...frame.payload.events.map((event) => essence(objectOf(event))))
          connection.ack(frame.id)
        }
        const agent = yield* started(yield* optionsFor(brain.url, brain))
        for (const event of recorded) agent.report(asString(event.get("engine")) ?? "", engineEvent(event))
        yield* drained(agent)
        assert.deepStrictEqual(brain.refusals, [])
        assert.deepStrictEqual(arrived, recorded.map(essence))
      }))
  }
})
