import { SqlClient } from "@effect/sql"
import { Data, Effect, Either, Option } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { chainStart, readChainState } from "./ChainState.ts"
import { isAuthenticHead } from "./ChainWriter.ts"
import { signStatement } from "./Statement.ts"
import type { VerificationKeys } from "./Verify.ts"

/** There is no head that could be signed. */
export class HeadMissing extends Data.TaggedError("HeadMissing")<{ readonly message: string }> {}

/** The newest row as a signed statement, to keep elsewhere for a later `svc audit verify --known-head`. */
export const exportHead = ({ auditChain, auditSigning }: VerificationKeys) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const state = yield* readChainState(sql)
    if (Option.isNone(state)) return yield* new HeadMissing({ message: "no brain has served this database yet" })
    const { head } = state.value
    const begin = chainStart(state.value, auditSigning)
    if (Either.isLeft(begin)) {
      return yield* new HeadMissing({ message: "the watermark does not verify; run svc audit verify for details" })
    }
    if (!isAuthenticHead(auditChain, head)) {
      return yield* new HeadMissing({
        message: `row ${head.seq}, the newest one, was not written by us; run svc audit verify for details`
      })
    }
    const { row_hash, row_hmac, seq } = head
    return signStatement(auditSigning.signer, {
      kind: "head",
      row_hash,
      row_hmac,
      rows: seq - begin.right.seq,
      seq,
      time: yield* Timestamp.now
    })
  })
