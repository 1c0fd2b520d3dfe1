import { SqlClient } from "@effect/sql"
import { Data, Effect, Option } from "effect"
import { verifyLog } from "../Audit/Verify.ts"
import type { Manifest } from "../Backup/Archive.ts"
import { Keys } from "../Keys.ts"
import { Migrations } from "../Migrations.ts"

/** The archive cannot be restored here; nothing was changed. `message` is a sentence for the user. */
export class RestoreRefused extends Data.TaggedError("RestoreRefused")<{ readonly message: string }> {}

/** Requires the head of this program's migrations, and an audit log that is empty or verifies. */
export const requireTarget = Effect.gen(function*() {
  const { current, head } = yield* Migrations
  const revision = yield* current
  if (revision !== head) {
    return yield* new RestoreRefused({
      message: revision === 0
        ? "the database is empty: create its tables first, with svc migrate upgrade"
        : `the database is at revision ${revision}, and a restore needs this program's head, ${head}: svc migrate upgrade`
    })
  }
  const verification = Option.getOrNull(yield* verifyLog(yield* SqlClient.SqlClient, yield* Keys))
  if (verification !== null && verification.problem !== null) {
    return yield* new RestoreRefused({
      message:
        `the audit log of the database that would be replaced does not verify: ${verification.problem.detail}. ` +
        "Restore into a new, empty database, and keep this one for the investigation"
    })
  }
})

/** Requires the keys that the archive's rows need. */
export const requireArchiveKeys = ({ keys }: Manifest) =>
  Effect.gen(function*() {
    const { auditChain, auditSigning, secret } = yield* Keys
    const missing = [
      ...keys.secret.filter((id) => secret.find(id) === undefined).map((id) => `SVC_SECRET_KEY ${id}`),
      ...[keys.audit_chain].filter((id) => id !== null && auditChain.find(id) === undefined)
        .map((id) => `SVC_AUDIT_CHAIN_KEY ${id}`),
      ...(keys.audit_signing.length > 0 && !keys.audit_signing.some((id) => auditSigning.trusted.has(id))
        ? [`SVC_AUDIT_SIGNING_KEY ${keys.audit_signing.join(" or ")}`]
        : [])
    ]
    if (missing.length === 0) return
    return yield* new RestoreRefused({
      message: `the archive needs keys that this machine does not have: ${missing.join(", ")}. ` +
        "Put the keys from where the backup was made beside those in SVC_HOME"
    })
  })
