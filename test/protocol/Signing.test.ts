import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { createHash, createHmac } from "node:crypto"
import * as Json from "../../src/domain/kernel/CanonicalJson.ts"
import { decodeSecret, Signer } from "../../src/protocol/Signing.ts"
import { idsOf, keyOf, readVectors, signedFrames } from "./Vectors.ts"

interface SigningVector {
  readonly name: string
  readonly secret_b64url: string
  readonly secret_hex: string
  readonly agent_id: string
  readonly project_id: string
  readonly session_id: string
  readonly frame_json: string
  readonly canonical: string
  readonly canonical_utf8_sha256: string
  readonly hmac: string
}

const objectOf = (text: string): Json.JsonObject => {
  const node = Json.parse(text)
  assert.instanceOf(node, Json.JsonObject)
  return node
}

const member = (frame: Json.JsonObject, name: string): string => Json.asString(frame.get(name)) ?? ""

/** Signs the frame's own members again. */
const signAgain = (signer: Signer, frame: Json.JsonObject): Json.JsonObject =>
  objectOf(signer.sign({
    type: member(frame, "type"),
    id: member(frame, "id"),
    ts: member(frame, "ts"),
    nonce: member(frame, "nonce"),
    seq: Number(frame.get("seq")),
    payload: Json.canonicalTextOf(frame.get("payload")!)
  }))

const ENVELOPE = ["hmac", "id", "nonce", "payload", "seq", "ts", "type", "v"]

describe("Signer", () => {
  const vectors = readVectors<ReadonlyArray<SigningVector>>("signing.json")

  it.each(vectors)("makes and takes the signature of $name", (vector) => {
    assert.strictEqual(keyOf(vector).export().toString("hex"), vector.secret_hex)
    const signer = new Signer(keyOf(vector), idsOf(vector))
    const withHmac = vector.frame_json.replace("{", `{"hmac":"${vector.hmac}",`)
    assert.isTrue(signer.verify(objectOf(withHmac)))
    assert.isFalse(signer.verify(objectOf(vector.frame_json)))

    const frame = objectOf(withHmac)
    if (frame.keys.every((key) => ENVELOPE.includes(key))) {
      assert.strictEqual(member(signAgain(signer, frame), "hmac"), vector.hmac)
    }
  })

  it.each(vectors)("the canonical text of $name is the recorded one", (vector) => {
    const signed = objectOf(vector.canonical)
    assert.strictEqual(Json.canonicalTextOf(signed), vector.canonical)
    assert.strictEqual(createHash("sha256").update(vector.canonical).digest("hex"), vector.canonical_utf8_sha256)
    assert.strictEqual(createHmac("sha256", keyOf(vector)).update(vector.canonical).digest("hex"), vector.hmac)
    for (const name of objectOf(vector.frame_json).keys) {
      assert.strictEqual(
        Json.canonicalTextOf(objectOf(vector.frame_json).get(name)!),
        Json.canonicalTextOf(signed.get(name)!)
      )
    }
  })

  it.each(signedFrames)("recorded frame $name", (vector) => {
    const frame = objectOf(vector.frame_json)
    const signer = new Signer(keyOf(vector), idsOf(vector))
    assert.isTrue(signer.verify(frame))
    const again = signAgain(signer, frame)
    assert.strictEqual(Json.canonicalTextOf(again), Json.canonicalTextOf(frame))

    const other = new Signer(keyOf(vector), { ...idsOf(vector), projectId: "33333333-3333-4333-8333-333333333333" })
    assert.isFalse(other.verify(frame))
  })

  it("binds the session's ids whatever ids the frame brings", () => {
    const vector = vectors[0]!
    const signer = new Signer(keyOf(vector), idsOf(vector))
    const ids = `"session_id":"x","agent_id":1,"project_id":null`
    assert.isTrue(signer.verify(objectOf(vector.frame_json.replace("{", `{${ids},"hmac":"${vector.hmac}",`))))
  })

  it("signs fields it does not know, wherever they sort", () => {
    const vector = vectors[0]!
    const signer = new Signer(keyOf(vector), idsOf(vector))
    const extra = { "": 1, a: 2, agent: 3, agent_idx: 4, p: 5, session_: 6, z: 7, "\u{1f600}": 8 }
    const fields = { v: 2, type: "heartbeat", id: "x", ts: "t", nonce: "n", seq: 1, payload: {}, ...extra }
    const ids = { agent_id: vector.agent_id, project_id: vector.project_id, session_id: vector.session_id }
    const hmac = createHmac("sha256", keyOf(vector)).update(Json.canonicalize({ ...fields, ...ids })).digest("hex")
    assert.isTrue(signer.verify(objectOf(JSON.stringify({ ...fields, hmac }))))
    assert.isFalse(signer.verify(objectOf(JSON.stringify({ ...fields, hmac, z: 8 }))))
  })

  it.each(["1", "null", "[]", "{}", "\"\"", `"${"0".repeat(63)}ķ"`, `"${"é".repeat(64)}"`])(
    "takes no %s for a signature",
    (hmac) => {
      const vector = vectors[0]!
      const signer = new Signer(keyOf(vector), idsOf(vector))
      assert.isFalse(signer.verify(objectOf(vector.frame_json.replace("{", `{"hmac":${hmac},`))))
    }
  )
})

describe("decodeSecret", () => {
  interface SecretVector {
    readonly input: string
    readonly bytes_hex: string | null
    readonly error: string | null
  }
  const { hmac_secret_decode: secrets } = readVectors<{ readonly hmac_secret_decode: ReadonlyArray<SecretVector> }>(
    "secrets.json"
  )
  const reasons: Record<string, string> = { invalid: "invalid", too_short_for_runtime: "too_short" }

  it.each(secrets)("$input", ({ bytes_hex, error, input }) => {
    const decoded = decodeSecret(input)
    if (error === null) assert.strictEqual(Either.getOrThrow(decoded).toString("hex"), bytes_hex)
    else assert.strictEqual(Either.getOrThrow(Either.flip(decoded)), reasons[error])
  })

  it.each(["A".repeat(45), "=".repeat(44), `${"A".repeat(42)}==A`, `${"A".repeat(20)} ${"A".repeat(24)}`])(
    "%s is no base64",
    (secret) => {
      assert.deepStrictEqual(decodeSecret(secret), Either.left("invalid"))
    }
  )
})
