import type { SqlClient } from "@effect/sql"
import { Effect, Either, Option } from "effect"
import type { SigningKeys } from "../kernel/keys/SigningKeys.ts"
import { genesis, type Link } from "./Chain.ts"
import type { ChainHead } from "./ChainWriter.ts"
import { type StatementFlaw, verifyStatement, Watermark } from "./Statement.ts"

/** The tables that describe the log, read in one statement. */
export interface ChainState {
  readonly head: ChainHead
  /** Lowest and highest `seq` in the log; null when it is empty. */
  readonly oldest: number | null
  readonly newest: number | null
  /** The signed statement of the row that was pruned last. */
  readonly watermark: string | null
  readonly retired: ReadonlySet<string>
}

/** The head of a log whose head row was deleted: no row has such a link. */
const missingHead: ChainHead = { seq: 0, row_hash: "", prev_row_hmac: "", row_hmac: "", key_id: "", occurred_at: null }

interface Row extends Omit<ChainHead, "seq"> {
  readonly seq: number | null
  readonly oldest: number | null
  readonly newest: number | null
  readonly watermark: string | null
}

/** None: no brain has served this database yet. */
export const readChainState = (sql: SqlClient.SqlClient) =>
  Effect.gen(function*() {
    const [row] = yield* sql<Row>`
      SELECT seq, row_hash, prev_row_hmac, row_hmac, key_id, occurred_at,
        (SELECT min(seq) FROM audit_log) AS oldest, (SELECT max(seq) FROM audit_log) AS newest,
        (SELECT statement FROM audit_watermark WHERE id = 1) AS watermark
      FROM (SELECT 1 AS id) AS one LEFT JOIN audit_head USING (id)`
    if (row === undefined || (row.seq === null && row.newest === null)) return Option.none<ChainState>()
    const retired = yield* sql<{ key_id: string }>`SELECT key_id FROM audit_keys WHERE state = 'retired'`
    const { newest, oldest, seq, watermark, ...rest } = row
    const head = seq === null ? missingHead : { ...rest, seq }
    return Option.some<ChainState>({
      head,
      newest,
      oldest,
      watermark,
      retired: new Set(retired.map(({ key_id }) => key_id))
    })
  })

/** The link that the log begins after. */
export const chainStart = (
  { watermark }: Pick<ChainState, "watermark">,
  { trusted }: Pick<SigningKeys, "trusted">
): Either.Either<
  Link,
  StatementFlaw
> => (watermark === null ? Either.right(genesis) : verifyStatement(Watermark, watermark, trusted))

/** The watermark, if it is beyond `seq` now. The signed statement counts, not the column beside it. */
export const findPrunedSince = (sql: SqlClient.SqlClient, keys: Pick<SigningKeys, "trusted">, seq: number) =>
  Effect.map(sql<{ statement: string }>`SELECT statement FROM audit_watermark WHERE id = 1`, ([row]) => {
    const link = row === undefined ? null : Either.getOrNull(chainStart({ watermark: row.statement }, keys))
    return link !== null && link.seq > seq ? link : null
  })
