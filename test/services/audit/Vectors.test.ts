import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { readFileSync } from "node:fs"
import { type ChainedRow, rowHash, rowHmac } from "../../../src/services/audit/Chain.ts"
import { chainKeyOf } from "../../../src/services/audit/ChainKeys.ts"
import {
  Checkpoint,
  Head,
  signStatement,
  type Statement,
  statementHash,
  verifyStatement,
  Watermark
} from "../../../src/services/audit/Statement.ts"
import { publicKeyOf, signingKeyOf } from "../../../src/services/kernel/keys/SigningKeys.ts"

interface Signed {
  readonly line: string
  readonly sha256: string
}

/** Made by another program, from the text of docs/audit.md. */
const vectors: {
  readonly chain_keys: ReadonlyArray<{ readonly key: string; readonly key_id: string }>
  readonly signing_keys: ReadonlyArray<{ readonly seed: string; readonly public_key: string; readonly key_id: string }>
  readonly rows: ReadonlyArray<{
    readonly row: ChainedRow
    readonly key_id: string
    readonly prev_row_hash: string
    readonly prev_row_hmac: string
    readonly row_hash: string
    readonly row_hmac: string
  }>
  readonly statements: {
    readonly checkpoints: ReadonlyArray<Signed>
    readonly head: Signed
    readonly watermark: Signed
  }
} = JSON.parse(readFileSync("docs/audit-vectors.json", "utf8"))

const keys = vectors.chain_keys.map(({ key }) => chainKeyOf(Buffer.from(key, "base64url")))
const signers = vectors.signing_keys.map(({ seed }) => signingKeyOf(Buffer.from(seed, "base64url")))
const trusted = new Map(signers.map((signer) => [signer.key_id, signer]))

describe("docs/audit-vectors.json", () => {
  it("has our key ids", () => {
    assert.deepStrictEqual(keys.map(({ key_id }) => key_id), vectors.chain_keys.map(({ key_id }) => key_id))
    assert.deepStrictEqual(
      signers.map(({ key_id, public_key }) => ({ key_id, public_key })),
      vectors.signing_keys.map(({ key_id, public_key }) => ({ key_id, public_key }))
    )
    assert.strictEqual(publicKeyOf(vectors.signing_keys[0]!.public_key)?.key_id, signers[0]!.key_id)
  })

  it("has our hashes and HMACs", () => {
    for (const { key_id, prev_row_hash, prev_row_hmac, row, row_hash, row_hmac } of vectors.rows) {
      assert.strictEqual(rowHash(row, prev_row_hash), row_hash)
      assert.strictEqual(rowHmac(keys.find((key) => key.key_id === key_id)!.key, row_hash, prev_row_hmac), row_hmac)
    }
  })

  const { checkpoints, head, watermark } = vectors.statements
  const verify = ({ line }: Signed): Either.Either<Statement, string> =>
    Either.orElse(
      verifyStatement(Checkpoint, line, trusted),
      () => Either.orElse(verifyStatement(Head, line, trusted), () => verifyStatement(Watermark, line, trusted))
    )

  it("has statements as we sign them", () => {
    for (const vector of [...checkpoints, head, watermark]) {
      const statement = Either.getOrThrow(verify(vector))
      const { key_id, signature: _, v: __, ...unsigned } = statement
      assert.strictEqual(signStatement(trusted.get(key_id)!, unsigned), vector.line)
      assert.strictEqual(statementHash(statement), vector.sha256)
    }
  })

  it("and none that says something else is taken", () => {
    const { line } = checkpoints[0]!
    const flaw = (text: string, keys = trusted) =>
      Either.flip(verifyStatement(Checkpoint, text, keys)).pipe(Either.getOrNull)
    assert.strictEqual(flaw(line), null)
    assert.strictEqual(flaw(JSON.stringify(JSON.parse(line), null, 2)), null)
    assert.strictEqual(flaw(line.replace(`"seq":2`, `"seq":3`)), "forged")
    assert.strictEqual(flaw(line.replace(`"v":1`, `"v":1,"w":1`)), "malformed")
    assert.strictEqual(flaw(line.replace(`"seq":2`, `"seq":"2"`)), "malformed")
    assert.strictEqual(flaw(head.line), "malformed")
    assert.strictEqual(flaw(line, new Map()), "key unknown")
  })
})
