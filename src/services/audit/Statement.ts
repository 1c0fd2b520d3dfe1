import { Either, Schema } from "effect"
import { hash, sign as ed25519, verify } from "node:crypto"
import { Timestamp } from "../../domain/kernel/Timestamp.ts"
import type { PublicKey, SigningKey } from "../kernel/keys/SigningKeys.ts"

/** A signed statement about the log, kept outside of it. `docs/audit.md`, Signed statements, defines the bytes. */
const HexHash = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/))
const Count = Schema.Int.pipe(Schema.between(0, Number.MAX_SAFE_INTEGER))

const commonFields = {
  key_id: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{16}$/)),
  row_hash: HexHash,
  seq: Count,
  signature: Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9_-]{86}$/)),
  time: Timestamp,
  v: Schema.Literal(1)
}

/** The log's newest row at a time. Checkpoints of a `stream` are a chain of their own (`number`, `prev`). */
export const Checkpoint = Schema.Struct({
  ...commonFields,
  kind: Schema.Literal("checkpoint"),
  number: Count,
  prev: HexHash,
  rows: Count,
  stream: Schema.UUID
})
export type Checkpoint = typeof Checkpoint.Type

/** The newest row of the log, as `svc audit export-head` prints it. */
export const Head = Schema.Struct({ ...commonFields, kind: Schema.Literal("head"), row_hmac: HexHash, rows: Count })
export type Head = typeof Head.Type

/** The last row that was pruned. */
export const Watermark = Schema.Struct({ ...commonFields, kind: Schema.Literal("watermark"), row_hmac: HexHash })
export type Watermark = typeof Watermark.Type

export type Statement = Checkpoint | Head | Watermark

type SignatureField = "key_id" | "signature" | "v"
export type UnsignedStatement =
  | Omit<Checkpoint, SignatureField>
  | Omit<Head, SignatureField>
  | Omit<Watermark, SignatureField>

/** RFC 8785, for objects of strings and whole numbers whose keys are ASCII. */
const toCanonicalJson = (statement: object): string =>
  JSON.stringify(Object.fromEntries(Object.entries(statement).sort(([left], [right]) => (left < right ? -1 : 1))))

const signedBytes = (statement: object): Buffer => {
  const unsigned = Object.fromEntries(Object.entries(statement).filter(([name]) => name !== "signature"))
  return Buffer.from(`svc audit statement 1\n${toCanonicalJson(unsigned)}`, "utf8")
}

/** The statement as one line, without a line feed. */
export const signStatement = (key: SigningKey, statement: UnsignedStatement): string => {
  const unsigned = { ...statement, key_id: key.key_id, v: 1 }
  return toCanonicalJson({
    ...unsigned,
    signature: ed25519(null, signedBytes(unsigned), key.private).toString("base64url")
  })
}

/** The hash that the next checkpoint has as `prev`. */
export const statementHash = (statement: Statement): string => hash("sha256", toCanonicalJson(statement), "hex")

/** Why a text is not a valid statement. `key unknown`: it may be genuine. */
export type StatementFlaw = "malformed" | "key unknown" | "forged"

/** The statement of this kind in a text, if a trusted key signed it. */
export const verifyStatement = <A extends Statement, I>(
  kind: Schema.Schema<A, I>,
  text: string,
  trusted: ReadonlyMap<string, PublicKey>
): Either.Either<A, StatementFlaw> => {
  const parsed = Schema.decodeUnknownEither(Schema.parseJson(kind), { onExcessProperty: "error" })(text)
  if (Either.isLeft(parsed)) return Either.left("malformed")
  const statement = parsed.right
  const key = trusted.get(statement.key_id)
  if (key === undefined) return Either.left("key unknown")
  return verify(null, signedBytes(statement), key.key, Buffer.from(statement.signature, "base64url"))
    ? Either.right(statement)
    : Either.left("forged")
}
