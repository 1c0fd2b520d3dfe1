import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import * as Timestamp from "../../domain/Timestamp.ts"
import type { Link } from "./Chain.ts"
import type { SigningKeys } from "./SigningKeys.ts"
import { signed } from "./Statement.ts"

/** Signs `link` as that of the last row that was pruned, in the caller's transaction. */
export const sealWatermark = ({ signer }: SigningKeys, { row_hash, row_hmac, seq }: Link) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const statement = signed(signer, { kind: "watermark", row_hash, row_hmac, seq, time: yield* Timestamp.now })
    yield* sql`INSERT INTO audit_watermark ${sql.insert({ id: 1, seq, statement })}
      ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, statement = excluded.statement`
  })
