import { Either } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { asString, JsonArray, JsonObject, parse } from "../../src/domain/kernel/CanonicalJson.ts"
import { WireSession } from "../../src/protocol/Frame.ts"
import { decodeSecret, type SignatureContext, signingKey } from "../../src/protocol/Signing.ts"

const folder = new URL("vectors/", import.meta.url)

export const vectorText = (name: string): string => readFileSync(new URL(name, folder), "utf8")

/** A file of recorded vectors. The caller names the shape, which the files' own description fixes. */
export const readVectors = <A>(name: string): A => JSON.parse(vectorText(name))

/** A frame as it stood on the wire, and what its signature was made with. */
export interface RecordedFrame {
  readonly name: string
  readonly direction: string
  readonly secret_b64url: string
  readonly secret_hex: string
  readonly agent_id: string
  readonly project_id: string
  readonly session_id: string | null
  readonly frame_json: string
}

export const recordedFrames: ReadonlyArray<RecordedFrame> = readdirSync(new URL("frames/", folder))
  .filter((file) => file !== "index.json")
  .sort()
  .map((file) => readVectors(`frames/${file}`))

export const signedFrames = recordedFrames.filter((vector) => vector.frame_json.includes("\"hmac\""))

/** A command as the agent received it, and its result; both with the digits of the recording. */
export interface RecordedResult {
  readonly run: string
  readonly id: string
  readonly command: JsonObject
  readonly result: JsonObject
}

const records = parse(vectorText("command-results.json"))

export const recordedResults: ReadonlyArray<RecordedResult> = (records instanceof JsonArray ? records.items : []).map(
  (item) => {
    const entry = item instanceof JsonObject ? item : undefined
    const [command, result] = [entry?.get("command"), entry?.get("result")]
    if (!(command instanceof JsonObject) || !(result instanceof JsonObject)) throw new Error("no command and result")
    return { run: asString(entry?.get("run")) ?? "", id: asString(entry?.get("id")) ?? "", command, result }
  }
)

type Ids = Pick<RecordedFrame, "agent_id" | "project_id" | "session_id" | "secret_b64url">

export const idsOf = (vector: Ids): SignatureContext => ({
  agentId: vector.agent_id,
  projectId: vector.project_id,
  sessionId: vector.session_id ?? ""
})

export const keyOf = (vector: Ids) => signingKey(Either.getOrThrow(decodeSecret(vector.secret_b64url)))

export const sessionOf = (vector: Ids): WireSession => new WireSession(keyOf(vector), idsOf(vector))
