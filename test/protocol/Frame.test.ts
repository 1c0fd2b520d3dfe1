import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Json from "../../src/domain/kernel/CanonicalJson.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { FrameRefusal } from "../../src/protocol/Envelope.ts"
import {
  type AgentFrame,
  type BrainFrame,
  decodeAgentFrame,
  decodeBrainFrame,
  encodeFrame,
  type WireSession
} from "../../src/protocol/Frame.ts"
import { MAX_FRAME_BYTES } from "../../src/protocol/Payload.ts"
import { readVectors, sessionOf, signedFrames } from "./Vectors.ts"

const millis = (text: string): number => {
  const timestamp = Timestamp.parse(text)
  assert.isDefined(timestamp)
  return Timestamp.toEpochMillis(timestamp)
}

const field = (frameText: string, name: string): string => {
  const frame = Json.parse(frameText)
  assert.instanceOf(frame, Json.JsonObject)
  return Json.asString(frame.get(name)) ?? ""
}

const assertDecoded = <F>(frame: F | FrameRefusal): F => {
  if (frame instanceof FrameRefusal) throw new Error(frame.reason)
  return frame
}

const reasonOf = (decoded: unknown): string => decoded instanceof FrameRefusal ? decoded.reason : "accept"

const ids = {
  secret_b64url: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
  agent_id: "11111111-1111-4111-8111-111111111111",
  project_id: "22222222-2222-4222-8222-222222222222",
  session_id: "5353d4b2-f4e1-4267-b69d-2816ab92f9c9"
}
const NOW = millis("2026-11-21T06:46:30Z")

/** A signed frame with whatever payload and members: `seal` would not let a test write an invalid one. */
const signed = (type: string, payload: string, id = "x_1"): string =>
  sessionOf(ids).signer.sign({
    type,
    id,
    ts: "2026-11-21T06:46:30Z",
    nonce: "n1XC0SEOAJleLpaAR7f72A",
    seq: 1,
    payload: canonicalIfJson(payload)
  })

const canonicalIfJson = (text: string): string => {
  const node = Json.parse(text)
  return node instanceof Json.ParseFailure ? text : Json.canonicalTextOf(node)
}

const openSigned = (type: string, payload: string) => decodeAgentFrame(signed(type, payload), sessionOf(ids), NOW)

describe("recorded frames", () => {
  it.each(signedFrames)("$name opens", (vector) => {
    const decode = vector.direction === "agent->brain" ? decodeAgentFrame : decodeBrainFrame
    const now = millis(field(vector.frame_json, "ts"))
    const frame = assertDecoded<AgentFrame | BrainFrame>(decode(vector.frame_json, sessionOf(vector), now))
    assert.strictEqual<string>(frame.type, field(vector.frame_json, "type"))
    assert.strictEqual(frame.id, field(vector.frame_json, "id"))

    const decodeOther = vector.direction === "agent->brain" ? decodeBrainFrame : decodeAgentFrame
    const crossed = decodeOther(vector.frame_json, sessionOf(vector), now)
    // Either end may send these two.
    if (!/^(heartbeat|error)/.test(field(vector.frame_json, "type"))) {
      assert.strictEqual(reasonOf(crossed), "unexpected_type")
    }
  })

  it.each([0, 1])("of the long-poll open in order, exchange %i", (round) => {
    interface Exchange {
      readonly exchange: ReadonlyArray<{
        readonly step: string
        readonly headers?: Record<string, string>
        readonly body_json?: string
      }>
    }
    const recorded = readVectors<Exchange & Omit<typeof ids, "session_id">>("longpoll.json")
    const nonce = recorded.exchange[0]?.headers?.["x-z4j-session-nonce"] ?? ""
    const session = sessionOf({ ...recorded, session_id: nonce })
    const step = round === 0 ? "POST /api/v1/agent/events" : "200 commands response"
    const decode = round === 0 ? decodeAgentFrame : decodeBrainFrame
    const frames = recorded.exchange.filter((entry) => entry.step === step).flatMap((entry): ReadonlyArray<string> =>
      JSON.parse(entry.body_json ?? "{}").frames
    )
    assert.isNotEmpty(frames)
    for (const frame of frames) {
      assert.strictEqual(reasonOf(decode(frame, session, millis(field(frame, "ts")))), "accept")
    }
  })
})

describe("refusals", () => {
  interface BadVector {
    readonly name: string
    readonly now: string
    readonly state: { readonly last_seq: number; readonly seen_nonces: ReadonlyArray<string> }
    readonly frame_json: string
    readonly expect: string
    readonly secret_b64url: string
    readonly agent_id: string
    readonly project_id: string
    readonly session_id: string
  }
  /** The vectors' words for our reasons. */
  const words: Record<string, ReadonlyArray<string>> = {
    accept: ["accept"],
    malformed: ["malformed", "not_json"],
    version_mismatch: ["version"],
    unknown_type: ["unknown_type"],
    bad_signature: ["bad_signature"],
    bad_seq: ["bad_seq"],
    bad_nonce: ["bad_nonce"],
    bad_ts: ["bad_ts"],
    stale_ts: ["stale"],
    seq_not_increasing: ["old_seq"],
    replayed_nonce: ["replayed_nonce"]
  }

  /** Brings a guard to the recorded state. */
  const restore = (session: WireSession, { state }: BadVector, now: number): void => {
    const { last_seq, seen_nonces } = state
    const nonces = [...seen_nonces, ...Array.from({ length: last_seq }, (_, index) => `seen-${index}`)].slice(
      0,
      last_seq
    )
    nonces.forEach((nonce, index) => session.guard.accept(last_seq - nonces.length + index + 1, nonce, now, now))
  }

  it.each(readVectors<ReadonlyArray<BadVector>>("signing-bad.json"))("$name: $expect", (vector) => {
    const now = millis(vector.now)
    const session = sessionOf(vector)
    restore(session, vector, now)
    assert.include(words[vector.expect] ?? [], reasonOf(decodeAgentFrame(vector.frame_json, session, now)))
  })

  it("name the skew of a stale frame in seconds, ahead of our clock or behind", () => {
    const stale = (now: number) => decodeAgentFrame(signed("heartbeat", "{}"), sessionOf(ids), now)
    assert.deepStrictEqual(stale(NOW + 61_500), new FrameRefusal("stale", undefined, -61.5))
    assert.deepStrictEqual(stale(NOW - 90_000), new FrameRefusal("stale", undefined, 90))
  })

  it("a long frame is not read at all", () => {
    const long = (unit: string, length: number) => reasonOf(openSigned("error", `{"code":"${unit.repeat(length)}"}`))
    assert.strictEqual(long("x", MAX_FRAME_BYTES), "too_long")
    assert.strictEqual(long("é", MAX_FRAME_BYTES / 2), "too_long")
    assert.strictEqual(long("é", MAX_FRAME_BYTES / 2 - 400), "bad_payload")
  })

  it.each([
    ["too_deep", `{"events":${"[".repeat(127)}${"]".repeat(127)}}`],
    ["lone_surrogate", "{\"events\":[\"\\ud800\"]}"],
    ["number_overflow", "{\"events\":[1e999]}"],
    ["not_json", "{\"events\":[NaN]}"],
    ["malformed", "[]"],
    ["bad_payload", "{}"],
    ["bad_payload", "{\"events\":{}}"],
    ["bad_payload", `{"events":[${"0,".repeat(5000)}0]}`]
  ])("%s: %s", (reason, payload) => {
    assert.strictEqual(reasonOf(openSigned("event_batch", payload)), reason)
  })

  it.each([
    ["command_result", "{\"status\":\"success\",\"result\":[]}", "result"],
    ["error", "{\"message\":\"no code\"}", "code"],
    ["registry_delta", `{"engine":"${"x".repeat(41)}"}`, "engine"]
  ])("%s with %s names the field", (type, payload, name) => {
    assert.deepStrictEqual(openSigned(type, payload), new FrameRefusal("bad_payload", name))
  })

  it.each(["", "x".repeat(65), "a\0"])("an id %j is malformed", (id) => {
    const frame = decodeAgentFrame(signed("heartbeat", "{}", id), sessionOf(ids), NOW)
    assert.deepStrictEqual(frame, new FrameRefusal("malformed", "id"))
  })

  it("never throw, wherever a frame is truncated or damaged", () => {
    const [vector] = signedFrames.filter(({ name }) => name === "event_batch.celery_solo_signal.task.failed")
    assert.isDefined(vector)
    const text = vector.frame_json
    const now = millis(field(text, "ts"))
    for (let end = 0; end < text.length; end++) {
      assert.strictEqual(reasonOf(decodeAgentFrame(text.slice(0, end), sessionOf(vector), now)), "not_json")
    }
    const insert = fc.fullUnicodeString({ maxLength: 3 })
    const change = fc.record({ position: fc.nat(text.length), remove: fc.nat(4), insert })
    fc.assert(
      fc.property(change, ({ insert, position, remove }) => {
        const changed = text.slice(0, position) + insert + text.slice(position + remove)
        const reason = reasonOf(decodeAgentFrame(changed, sessionOf(vector), now))
        // White space between tokens is no harm; all else is found.
        if (changed.replace(/\s/g, "") !== text.replace(/\s/g, "")) assert.notStrictEqual(reason, "accept")
      }),
      { numRuns: 2000 }
    )
  })
})

describe("payloads", () => {
  it("take their defaults where a field is absent or null", () => {
    assert.deepEqual<unknown>(assertDecoded(openSigned("heartbeat", "{\"dropped_events\":null}")).payload, {
      adapterHealth: {},
      bufferSize: 0,
      droppedEvents: 0,
      lastFlushAt: null,
      telemetryLoss: null
    })
  })

  it("keep a result's numbers as they were sent", () => {
    const text = `{"status":"success","result":{"n":12345678901234567890,"f":1.0}}`
    const { payload } = assertDecoded(openSigned("command_result", text))
    assert.isTrue("result" in payload && payload.result !== null)
    if ("result" in payload) assert.strictEqual(payload.result?.text, "{\"f\":1.0,\"n\":12345678901234567890}")
  })

  it("truncate a long message and replace its NUL", () => {
    const text = `{"status":"failed","error":"\\u0000${"x".repeat(9000)}"}`
    assert.deepEqual<unknown>(assertDecoded(openSigned("command_result", text)).payload, {
      status: "failed",
      result: null,
      error: `\ufffd${"x".repeat(8191)}`,
      deliveryClaimToken: null
    })
  })
})

describe("seal", () => {
  it("makes frames that the other end opens, each with the next seq and a nonce of its own", () => {
    const brain = sessionOf(ids)
    const agent = sessionOf(ids)
    const nonces = new Set<string>()
    for (let i = 1; i <= 600; i++) {
      const text = encodeFrame(
        "event_batch_ack",
        `ack_${i}`,
        { acked_id: `ev_${i}`, received: 2, accepted: 1, rejected: 1 },
        brain,
        NOW + i
      )
      assert.deepEqual<unknown>(decodeBrainFrame(text, agent, NOW), {
        type: "event_batch_ack",
        id: `ack_${i}`,
        payload: { ackedId: `ev_${i}`, received: 2, accepted: 1, rejected: 1 }
      })
      assert.strictEqual(reasonOf(decodeBrainFrame(text, agent, NOW)), "old_seq")
      assert.match(field(text, "nonce"), /^[A-Za-z0-9_-]{22}$/)
      nonces.add(field(text, "nonce"))
    }
    assert.strictEqual(nonces.size, 600)
  })

  it("carries parsed and stored text through as it is", () => {
    const parameters = Json.parse("{\"override_args\":[12345678901234567890,1.0,\"é😀\\n\"],\"b\":1e-7}")
    assert.instanceOf(parameters, Json.JsonObject)
    const target = new Json.CanonicalText("{\"id\":\"t-1\",\"type\":\"task\"}")
    const text = encodeFrame("command", "c-1", { action: "retry_task", target, parameters }, sessionOf(ids), NOW)
    const { payload } = assertDecoded(decodeBrainFrame(text, sessionOf(ids), NOW))
    assert.isTrue("parameters" in payload)
    if (!("parameters" in payload)) return
    assert.strictEqual(payload.parameters.text, parameters.text)
    assert.strictEqual(payload.target.text, target.text)
    assert.deepInclude(payload, { action: "retry_task", timeoutSeconds: 60, issuedBy: null })
  })
})
