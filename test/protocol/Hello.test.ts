import { assert, describe, it } from "@effect/vitest"
import { FrameRefusal } from "../../src/protocol/Envelope.ts"
import {
  decodeHelloAckFrame,
  decodeHelloFrame,
  encodeHelloAckFrame,
  encodeHelloFrame
} from "../../src/protocol/Hello.ts"
import { recordedFrames } from "./Vectors.ts"

const hellos = recordedFrames.filter(({ name }) => name.startsWith("hello."))
const ids = {
  agent_id: "11111111-1111-4111-8111-111111111111",
  project_id: "22222222-2222-4222-8222-222222222222",
  session_id: "5353d4b2-f4e1-4267-b69d-2816ab92f9c9"
}

describe("hello", () => {
  it.each(hellos)("$name opens", ({ frame_json }) => {
    const decoded = decodeHelloFrame(frame_json)
    const { id, payload } = JSON.parse(frame_json)
    if (decoded instanceof FrameRefusal) assert.fail(decoded.reason)
    assert.strictEqual(decoded.id, id)
    assert.strictEqual(decoded.payload.protocolVersion, "2")
    assert.strictEqual(decoded.payload.workerId, payload.worker_id)
    assert.deepStrictEqual(decoded.payload.engines, payload.engines)
    assert.deepStrictEqual(decoded.payload.schedulers, payload.schedulers)
    assert.deepStrictEqual(decoded.payload.capabilities, payload.capabilities)
    assert.deepStrictEqual(decoded.payload.runtimeFeatures, payload.runtime_features)
    assert.deepStrictEqual(decodeHelloFrame(encodeHelloFrame(id, payload)), decoded)
  })

  it("of an old agent has few fields", () => {
    const text = `{"v":2,"type":"hello","id":"h","payload":{"protocol_version":"1","future":1}}`
    assert.deepEqual<unknown>(decodeHelloFrame(text), {
      id: "h",
      payload: {
        protocolVersion: "1",
        agentVersion: "",
        framework: "",
        engines: [],
        schedulers: [],
        capabilities: {},
        host: { name: null, sources: {} },
        workerId: null,
        workerRole: null,
        workerPid: null,
        workerStartedAt: null,
        runtimeFeatures: []
      }
    })
  })

  it.each([
    ["not_json", "{"],
    ["malformed", "7"],
    ["malformed", `{"v":2.0,"type":"hello","id":"h","payload":{}}`],
    ["version", `{"v":1,"type":"hello","id":"h","payload":{}}`],
    ["malformed", `{"v":2,"type":7,"id":"h","payload":{}}`],
    ["unexpected_type", `{"v":2,"type":"heartbeat","id":"h","payload":{}}`],
    ["unknown_type", `{"v":2,"type":"bye","id":"h","payload":{}}`],
    ["malformed", `{"v":2,"type":"hello","payload":{}}`],
    ["bad_payload", `{"v":2,"type":"hello","id":"h","payload":{}}`],
    ["bad_payload", `{"v":2,"type":"hello","id":"h","payload":{"protocol_version":2}}`],
    ["bad_payload", `{"v":2,"type":"hello","id":"h","payload":{"protocol_version":"${"2".repeat(41)}"}}`]
  ])("%s: %s", (reason, text) => {
    const decoded = decodeHelloFrame(text)
    assert.strictEqual<unknown>(decoded instanceof FrameRefusal ? decoded.reason : "opened", reason)
  })
})

describe("hello_ack", () => {
  it("opens as it was sealed, recorded ones too", () => {
    const payload = { protocol_version: "2", brain_version: "0.1.0", ...ids, heartbeat_interval_seconds: 30 }
    assert.deepEqual<unknown>(decodeHelloAckFrame(encodeHelloAckFrame("a-1", payload)), {
      id: "a-1",
      payload: {
        protocolVersion: "2",
        brainVersion: "0.1.0",
        agentId: ids.agent_id,
        projectId: ids.project_id,
        sessionId: ids.session_id,
        heartbeatIntervalSeconds: 30,
        features: [],
        maxFrameSizeBytes: 1_048_576
      }
    })
    const recorded = recordedFrames.find(({ name }) => name === "hello_ack")
    assert.notInstanceOf(decodeHelloAckFrame(recorded?.frame_json ?? ""), FrameRefusal)
  })

  it.each([{ heartbeat_interval_seconds: 0 }, { max_frame_size_bytes: 100 }])("refuses %j", (invalid) => {
    const sealed = encodeHelloAckFrame("a-1", { protocol_version: "2", brain_version: "", ...ids, ...invalid })
    assert.deepStrictEqual<unknown>(
      decodeHelloAckFrame(sealed),
      new FrameRefusal("bad_payload", Object.keys(invalid)[0])
    )
  })
})
