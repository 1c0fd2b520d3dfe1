import type { SqlClient } from "@effect/sql"
import { Effect, Either, Option } from "effect"
import { genesis, type Link } from "./Chain.ts"
import type { SigningKeys } from "./SigningKeys.ts"
import { type Flaw, opened, Watermark } from "./Statement.ts"

/** What the tables beside the log say of it, of one moment. */
export interface ChainState {
  readonly head: Link & { readonly key_id: string }
  /** Lowest and highest `seq` in the log; null when it is empty. */
  readonly oldest: number | null
  readonly newest: number | null
  /** The signed statement of what was pruned last. */
  readonly watermark: string | null
  readonly retired: ReadonlySet<string>
}

interface Row extends Link {
  readonly key_id: string
  readonly oldest: number | null
  readonly newest: number | null
  readonly watermark: string | null
}

/** None: no brain has served this database yet. */
export const chainState = (sql: SqlClient.SqlClient) =>
  Effect.gen(function*() {
    const [row] = yield* sql<Row>`
      SELECT seq, row_hash, row_hmac, key_id,
        (SELECT min(seq) FROM audit_log) AS oldest, (SELECT max(seq) FROM audit_log) AS newest,
        (SELECT statement FROM audit_watermark WHERE id = 1) AS watermark
      FROM audit_head WHERE id = 1`
    if (row === undefined) return Option.none<ChainState>()
    const retired = yield* sql<{ key_id: string }>`SELECT key_id FROM audit_keys WHERE state = 'retired'`
    const { newest, oldest, watermark, ...head } = row
    return Option.some<ChainState>({ head, newest, oldest, watermark, retired: new Set(retired.map(({ key_id }) => key_id)) })
  })

/** The link that the log begins after. */
export const beginning = (
  { watermark }: Pick<ChainState, "watermark">,
  { trusted }: SigningKeys
): Either.Either<Link, Flaw> => (watermark === null ? Either.right(genesis) : opened(Watermark, watermark, trusted))
