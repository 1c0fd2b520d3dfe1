import { Clock, Effect } from "effect"
import { createHash, randomBytes, randomFillSync } from "node:crypto"

const randomPool = Buffer.allocUnsafe(16 * 256)
let poolOffset = randomPool.length

/**
 * A UUIDv7 (RFC 9562, section 5.7) for the millisecond `at`: 48 bits of time, then random bits; text, lower case.
 * Ids of the same millisecond are not ordered.
 */
export const uuidv7 = (at: number): string => {
  if (poolOffset === randomPool.length) {
    randomFillSync(randomPool)
    poolOffset = 0
  }
  const bytes = randomPool.subarray(poolOffset, poolOffset += 16)
  bytes.writeUIntBE(at, 0, 6)
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  const hex = bytes.toString("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The millisecond of a UUIDv7. */
export const millisOf = (id: string): number => parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** Sorts before every UUIDv7. */
export const minId = "00000000-0000-0000-0000-000000000000"

/** Sorts behind every UUIDv7. */
export const maxId = "ffffffff-ffff-ffff-ffff-ffffffffffff"

/** The bounds, both included, of the ids that begin with this part of an id; null where none can. */
export const boundsOfPart = (part: string): { readonly min: string; readonly max: string } | null => {
  const min = part + minId.slice(part.length)
  return isUuid(min) ? { min, max: part + maxId.slice(part.length) } : null
}

const boundaryId = (millis: number, rest: "0" | "f"): string => {
  const clamped = Math.min(Math.max(millis, 0), 2 ** 48 - 1)
  const hex = clamped.toString(16).padStart(12, "0")
  const tail = rest.repeat(20)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${tail.slice(0, 4)}-${tail.slice(4, 8)}-${tail.slice(8)}`
}

/** Sorts before every id of the millisecond and those after it. */
export const minIdAt = (millis: number): string => boundaryId(millis, "0")

/** Sorts behind every id of the millisecond and those before it. */
export const maxIdAt = (millis: number): string => boundaryId(millis, "f")

/** The next record id. */
export const next: Effect.Effect<string> = Effect.map(Clock.currentTimeMillis, uuidv7)

/** The next id of one kind, such as `nextOf(ProjectId)`. */
export const nextOf = <Id extends string>(
  kind: { readonly make: (id: string, options: { readonly disableValidation: true }) => Id }
): Effect.Effect<Id> => Effect.map(next, (id) => kind.make(id, { disableValidation: true }))

const requestIdPattern = /^[A-Za-z0-9._-]{1,64}$/

/** The id of a request that came at the millisecond `at`: its `X-Request-Id` when that is well-formed, else a new one. */
export const requestIdFrom = (sent: string | undefined, at: number): string =>
  sent !== undefined && requestIdPattern.test(sent) ? sent : uuidv7(at)

/** A secret of 32 random bytes as base64url (43 characters). */
export const secret: Effect.Effect<string> = Effect.sync(() => randomBytes(32).toString("base64url"))

/** How bearer secrets are stored: SHA-256, hex. They are random, so they need no salt and no slow hash. */
export const hashSecret = (secret: string): string => createHash("sha256").update(secret, "utf8").digest("hex")

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (text: string): boolean => uuidPattern.test(text)
