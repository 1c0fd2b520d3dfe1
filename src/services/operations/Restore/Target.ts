import { SqlClient } from "@effect/sql"
import { Data, Effect, Option } from "effect"
import { verifyLog } from "../../audit/Verify.ts"
import { Keys } from "../../kernel/keys/Keys.ts"
import { Migrations } from "../../kernel/sql/Migrations.ts"
import type { Manifest, TableColumns } from "../Backup/Archive.ts"
import type { VerifiedArchive } from "../Backup/ArchiveReader.ts"
import { listDependents } from "./Tables.ts"

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

/**
 * Requires that no object of another program keeps the restore from emptying the tables, or from replacing them where the
 * archive has an older revision. The restore drops no such object: svc could not create it again.
 */
export const requireNoDependents = (headTables: ReadonlyArray<TableColumns>, { revision }: Manifest) =>
  Effect.gen(function*() {
    const { head } = yield* Migrations
    const isOlder = revision < head
    const dependents = (yield* listDependents(headTables)).filter((one) => isOlder || one.is_constraint)
    if (dependents.length === 0) return
    const action = isOlder
      ? `A backup of an older revision (${revision}, not ${head}) replaces these tables`
      : "A restore empties these tables"
    return yield* new RestoreRefused({
      message: `other objects of the database depend on svc's tables: ${
        dependents.map(({ name }) => name).join(", ")
      }. ` +
        `${action}, and PostgreSQL refuses that while they exist. ` +
        "Keep their definitions, drop them, restore, and create them again"
    })
  })

/**
 * Why the archive is foreign: none of this machine's keys has signed it. Its digest proves that nothing was damaged, and
 * nothing about who wrote it: rows of another person could make an admin of them. Null: it is our own.
 */
export const foreignReason = ({ summary: { signature } }: VerifiedArchive) =>
  Effect.map(Keys, ({ auditSigning }) =>
    signature === null
      ? "the archive is not signed"
      : auditSigning.trusted.has(signature.key_id)
      ? null
      : `the archive is signed by the key ${signature.key_id}, which is not among this machine's SVC_AUDIT_SIGNING_KEY`)

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
