import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { createHash } from "node:crypto"
import { readdirSync } from "node:fs"
import { makePurgeToken } from "../../src/domain/commands/PurgeToken.ts"
import * as Json from "../../src/domain/kernel/CanonicalJson.ts"
import { type Epoch, sourceScopeOf } from "../../src/domain/schedules/Schedule/External.ts"
import { FrameRefusal } from "../../src/protocol/Envelope.ts"
import { readEvent } from "../../src/protocol/Event.ts"
import { decodeAgentFrame, decodeBrainFrame, encodeFrame } from "../../src/protocol/Frame.ts"
import { buildSnapshot, type ScheduleRow } from "../../src/protocol/ScheduleSnapshot.ts"
import { decodeSecret } from "../../src/protocol/Signing.ts"
import { sequences } from "../services/tasks/Ingest/world.ts"
import { SnapshotReader } from "./snapshots.ts"
import { readVectors, recordedFrames, recordedResults, sessionOf } from "./Vectors.ts"

/**
 * Every recorded vector is a test. Most are where the code is that they try:
 *
 * - frames/: Frame.test.ts, Hello.test.ts, Signing.test.ts, and their events here
 * - signing.json, signing-bad.json: Signing.test.ts and Frame.test.ts. `client_exception` there names the published
 *   agent's own class of error, of which we have none.
 * - numbers.json, schedule-digests.json: test/domain/kernel/CanonicalJson.test.ts; the snapshots are made again here
 * - sequences/: Event.test.ts, test/domain/tasks/TaskHistory.test.ts, test/services/tasks/Ingest/
 * - longpoll.json: Frame.test.ts, test/gateway/LongPoll.test.ts
 * - command-results.json: here, and through a real brain in test/gateway/CommandResults.test.ts
 * - secrets.json: Signing.test.ts (the decoding), test/domain/commands/Command.test.ts (purge tokens), and here
 */
const listed = (folder: string): ReadonlyArray<string> =>
  readdirSync(new URL(`vectors/${folder}/`, import.meta.url)).map((file) => file.replace(/\.json$/, "")).sort()

describe("the recorded files", () => {
  it("are all read: the frames of the index, and every stream", () => {
    const index = readVectors<ReadonlyArray<string>>("frames/index.json")
    assert.deepStrictEqual(recordedFrames.map(({ name }) => name).toSorted(), [...index].sort())
    assert.deepStrictEqual(listed("sequences"), [...sequences].sort())
    for (const { secret_b64url, secret_hex } of recordedFrames) {
      assert.strictEqual(Either.getOrThrow(decodeSecret(secret_b64url)).toString("hex"), secret_hex)
    }
  })
})

const objectOf = (node: Json.JsonNode | Json.ParseFailure | undefined): Json.JsonObject => {
  assert.instanceOf(node, Json.JsonObject)
  return node
}

const sha256 = (node: Json.JsonNode | undefined): string =>
  createHash("sha256").update(Json.canonicalTextOf(objectOf(node))).digest("hex")

const events = recordedFrames.filter(({ name }) => name.startsWith("event_batch.")).flatMap(({ frame_json, name }) => {
  const list = objectOf(objectOf(Json.parse(frame_json)).get("payload")).get("events")
  assert.instanceOf(list, Json.JsonArray)
  return list.items.map((node) => ({ name, node: objectOf(node) }))
})

describe("the recorded batches", () => {
  it.each(events)("$name holds an event that can be used", ({ node }) => {
    assert.isObject(readEvent(node, 0))
  })

  it.each(events.filter(({ name }) => name.includes(".schedule.")))(
    "$name has the digest of its canonical text",
    ({ node }) => {
      const data = objectOf(node.get("data"))
      const frame = data.get("external_snapshot_frame")
      const digest = frame === undefined
        ? [sha256(data.get("external_projection")), data.get("payload_digest")] as const
        : [sha256(frame), data.get("frame_digest")] as const
      assert.strictEqual(digest[0], Json.asString(digest[1]))
    }
  )
})

describe("the recorded snapshots of schedules", () => {
  const bodies = readVectors<
    ReadonlyArray<{ readonly kind: string; readonly digest: string; readonly body: RecordedFrame }>
  >("schedule-digests.json")
    .filter(({ kind }) => kind === "snapshot_frame")
  const ids = [...new Set(bodies.map(({ body }) => body.snapshot_id))]

  interface RecordedFrame extends Epoch {
    readonly sequence: number
    readonly snapshot_id: string
    readonly schedules: ReadonlyArray<ScheduleRow>
  }

  it.each(ids)("%s is made again by our own code, to the same digests", (id) => {
    const recorded = bodies.filter(({ body }) => body.snapshot_id === id)
    const { adapter_instance_id, epoch_number, epoch_uuid, owner, sequence, source_scope, stream_id } =
      recorded[0]!.body
    assert.strictEqual(source_scope, sourceScopeOf(owner))
    const epoch = { adapter_instance_id, epoch_number, epoch_uuid, owner, source_scope, stream_id }
    const snapshot = buildSnapshot(epoch, sequence, id, recorded.flatMap(({ body }) => body.schedules).toReversed())
    assert.deepStrictEqual(snapshot.map(({ frame_digest }) => frame_digest), recorded.map(({ digest }) => digest))
    // The cast: it was JSON.
    assert.deepStrictEqual(
      snapshot.map(({ frame }) => frame.text),
      recorded.map(({ body }) => Json.canonicalize(body as unknown as Json.JsonInput))
    )
  })

  it.each(["apscheduler", "celery-beat"])("those of %s are read as the tests read ours", (owner) => {
    const reader = new SnapshotReader()
    for (const kind of ["rows", "terminal"]) {
      events.filter(({ name }) => name === `event_batch.schedule.snapshot.${owner}.${kind}`).forEach(({ node }) =>
        reader.take(node)
      )
    }
    assert.deepStrictEqual(reader.snapshots.map(({ reason, sequence }) => [reason, sequence]), [["activation", 1]])
  })

  it("no frame has more rows than it may, and all have each row once", () => {
    const row = (n: number) => ({
      ...bodies[0]!.body.schedules[0]!,
      source_key: `key ${n}`,
      args: ["x".repeat(n % 7 === 0 ? 300 : 3)]
    })
    const rows = Array.from({ length: 40 }, (_, n) => row(n))
    const frames = buildSnapshot(bodies[0]!.body, 1, "s", rows, 2000).map(({ frame }) => JSON.parse(frame.text))
    for (const { schedules } of frames) {
      const bytes = schedules.map((each: ScheduleRow) => Json.canonicalize(each).length).reduce(
        (sum: number, n: number) => sum + n,
        0
      )
      assert.isAtMost(bytes, 2000)
    }
    assert.strictEqual(frames.at(-1).frame_kind, "terminal")
    const keys: ReadonlyArray<string> = frames.flatMap(({ schedules }) =>
      schedules.map(({ source_key }: ScheduleRow) => source_key)
    )
    assert.deepStrictEqual(keys, rows.map(({ source_key }) => source_key).sort())
    assert.strictEqual(
      buildSnapshot(bodies[0]!.body, 1, "s", [row(1)], 10).length,
      2,
      "a row that is too long has a frame of its own"
    )
    assert.deepStrictEqual(
      buildSnapshot(bodies[0]!.body, 1, "s", []).map(({ frame }) => JSON.parse(frame.text).frame_count),
      [0]
    )
  })
})

const ids = {
  secret_b64url: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
  agent_id: "11111111-1111-4111-8111-111111111111",
  project_id: "22222222-2222-4222-8222-222222222222",
  session_id: "5353d4b2-f4e1-4267-b69d-2816ab92f9c9"
}
const NOW = Date.parse("2026-11-21T06:46:30Z")

describe("the recorded commands and their results", () => {
  it.each(recordedResults)("$run $id", ({ command, id, result }) => {
    const parameters = Json.toCanonicalText(command.get("parameters")!)
    const target = Json.toCanonicalText(command.get("target")!)
    const sent = decodeBrainFrame(
      encodeFrame(
        "command",
        id,
        {
          action: Json.asString(command.get("action")) ?? "",
          target,
          parameters,
          timeout_seconds: Json.asInt(command.get("timeout_seconds")) ?? 0,
          issued_by: Json.asString(command.get("issued_by")) ?? null,
          delivery_claim_token: Json.asString(command.get("delivery_claim_token")) ?? null
        },
        sessionOf(ids),
        NOW
      ),
      sessionOf(ids),
      NOW
    )
    if (sent instanceof FrameRefusal || sent.type !== "command") return assert.fail("the agent refuses the command")
    assert.strictEqual(sent.id, id)
    assert.deepStrictEqual([sent.payload.target.text, sent.payload.parameters.text], [target.text, parameters.text])

    // as it is in the recording, signed as the agent signs
    const decoded = decodeAgentFrame(
      sessionOf(ids).signer.sign({
        type: "command_result",
        id,
        ts: "2026-11-21T06:46:30Z",
        nonce: "n1XC0SEOAJleLpaAR7f72A",
        seq: 1,
        payload: result.text
      }),
      sessionOf(ids),
      NOW
    )
    if (decoded instanceof FrameRefusal || decoded.type !== "command_result") {
      return assert.fail("the brain refuses the result")
    }
    const { deliveryClaimToken, error, result: outcome, status } = decoded.payload
    assert.deepStrictEqual(
      Json.canonicalize({ status, result: outcome, error, delivery_claim_token: deliveryClaimToken }),
      result.text
    )
  })
})

describe("secrets that the brain does not make so", () => {
  const secrets = readVectors<{
    readonly purge_confirm_token: ReadonlyArray<
      { readonly queue: string; readonly depth: number; readonly secret_hex: string }
    >
    readonly legacy_unkeyed_purge_token: ReadonlyArray<
      { readonly queue: string; readonly depth: number; readonly token: string }
    >
    readonly derive_project_secret: ReadonlyArray<{ readonly project_id: string; readonly derived_hex: string }>
  }>("secrets.json")

  // agents take these only where their options allow it, since anyone can compute them
  it.each(secrets.legacy_unkeyed_purge_token)(
    "a purge token is keyed: not the plain hash, $queue $depth",
    ({ depth, queue, token }) => {
      assert.strictEqual(createHash("sha256").update(`purge|${queue}|${depth}`).digest("hex"), token)
      const key =
        secrets.purge_confirm_token.find((keyed) => keyed.queue === queue && keyed.depth === depth)?.secret_hex ?? ""
      assert.notStrictEqual(makePurgeToken(Buffer.from(key, "hex"), queue, depth), token)
    }
  )

  // how a brain makes its secrets is its own affair: ours are random, one an agent; a derived one is a key like any other
  it.each(secrets.derive_project_secret)(
    "a secret derived for a project is a key that agents take, $project_id",
    ({ derived_hex }) => {
      const secret = Buffer.from(derived_hex, "hex").toString("base64url")
      assert.strictEqual(Either.getOrThrow(decodeSecret(secret)).toString("hex"), derived_hex)
    }
  )
})
