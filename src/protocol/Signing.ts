/**
 * Signatures of frames (agents' protocol, section 3): HMAC-SHA256 over the canonical text of a frame
 * together with three ids that both ends know and neither sends.
 */
import * as Either from "effect/Either"
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto"
import { canonicalize, canonicalTextOf, type JsonObject } from "../domain/kernel/CanonicalJson.ts"

/** Shortest decoded secret, in bytes. */
const MIN_SECRET_BYTES = 32

/**
 * The bytes of an `hmac_secret`: URL-safe base64, trimmed, padding optional (agents' protocol, section 3.1).
 * `invalid` for any other text, `too_short` for fewer than 32 bytes.
 */
export const decodeSecret = (secret: string): Either.Either<Buffer, "invalid" | "too_short"> => {
  const digits = /^([A-Za-z0-9_-]+)={0,2}$/.exec(secret.trim())?.[1]
  if (digits === undefined || digits.length % 4 === 1) return Either.left("invalid")
  const bytes = Buffer.from(digits, "base64url")
  return bytes.length < MIN_SECRET_BYTES ? Either.left("too_short") : Either.right(bytes)
}

/** The key of a secret's bytes. Create it once a session. */
export const signingKey = (secret: Uint8Array): KeyObject => createSecretKey(secret)

/** The ids that a session's signatures cover besides the frame: from `hello_ack`, or from long-poll's headers. */
export interface SignatureContext {
  readonly agentId: string
  readonly projectId: string
  /** On long-poll, the session nonce. */
  readonly sessionId: string
}

/** The members of a frame to be sent, without the signature. `payload` is canonical text. */
export interface UnsignedFrame {
  readonly type: string
  readonly id: string
  readonly ts: string
  readonly nonce: string
  readonly seq: number
  readonly payload: string
}

/** Signs and verifies the frames of one session. */
export class Signer {
  private readonly agent: string
  private readonly project: string
  private readonly session: string

  constructor(private readonly key: KeyObject, ids: SignatureContext) {
    this.agent = encodeMember("agent_id", ids.agentId)
    this.project = encodeMember("project_id", ids.projectId)
    this.session = encodeMember("session_id", ids.sessionId)
  }

  /** The text of a signed frame. Its members are sorted, so that the text is canonical. */
  sign(frame: UnsignedFrame): string {
    const head = `${encodeMember("id", frame.id)},${encodeMember("nonce", frame.nonce)},"payload":${frame.payload}`
    const tail = `${encodeMember("ts", frame.ts)},${encodeMember("type", frame.type)},"v":2}`
    const signed = `{${this.agent},${head},${this.project},"seq":${frame.seq},${this.session},${tail}`
    return `{"hmac":"${hmac(this.key, signed)}",${head},"seq":${frame.seq},${tail}`
  }

  /** Whether the frame's `hmac` is that of its other members, with the session's ids in place of any of its own. */
  verify(frame: JsonObject): boolean {
    const claimed = frame.get("hmac")
    if (claimed === undefined) return false
    const claimedBytes = Buffer.from(canonicalTextOf(claimed))
    const expected = Buffer.from(`"${hmac(this.key, this.signedText(frame))}"`)
    return claimedBytes.length === expected.length && timingSafeEqual(claimedBytes, expected)
  }

  /** The text that a received frame's signature covers: a merge of two sorted lists of members. */
  private signedText(frame: JsonObject): string {
    const own = [this.agent, this.project, this.session]
    let next = 0
    let text = "{"
    for (let index = 0; index < frame.keys.length; index++) {
      const key = frame.keys[index]!
      while (next < BOUND_KEYS.length && BOUND_KEYS[next]! <= key) text = appendMember(text, own[next++]!)
      if (key === "hmac" || key === BOUND_KEYS[next - 1]) continue
      text = appendMember(text, frame.memberText(index))
    }
    while (next < BOUND_KEYS.length) text = appendMember(text, own[next++]!)
    return `${text}}`
  }
}

const hmac = (key: KeyObject, text: string): string => createHmac("sha256", key).update(text).digest("hex")

/**
 * The members that are signed but not sent, sorted. Their names are ASCII, which sorts the same by unit and by code
 * point.
 */
const BOUND_KEYS = ["agent_id", "project_id", "session_id"]

const appendMember = (text: string, member: string): string => text === "{" ? text + member : text + "," + member

const encodeMember = (key: string, value: string): string => `"${key}":${canonicalize(value)}`
