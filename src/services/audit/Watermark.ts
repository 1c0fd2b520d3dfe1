import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { SigningKeys } from "../kernel/keys/SigningKeys.ts"
import type { Link } from "./Chain.ts"
import { signStatement } from "./Statement.ts"

/** Signs `link` as the link of the last pruned row, in the caller's transaction. */
export const signWatermark = ({ signer }: SigningKeys, { row_hash, row_hmac, seq }: Link) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const statement = signStatement(signer, { kind: "watermark", row_hash, row_hmac, seq, time: yield* Timestamp.now })
    yield* sql`INSERT INTO audit_watermark ${sql.insert({ id: 1, seq, statement })}
      ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, statement = excluded.statement`
  })

const PrunedMetadata = Schema.parseJson(
  Schema.Struct({ last_seq: Schema.Int, last_row_hash: Schema.String, last_row_hmac: Schema.String })
)

/** The watermark that a row `audit.pruned` with this metadata records. */
export const watermarkFromMetadata = (metadata: string): Link | null => {
  const pruned = Option.getOrNull(Schema.decodeUnknownOption(PrunedMetadata)(metadata))
  return pruned === null
    ? null
    : { seq: pruned.last_seq, row_hash: pruned.last_row_hash, row_hmac: pruned.last_row_hmac }
}
