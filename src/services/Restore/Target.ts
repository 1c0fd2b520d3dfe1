import { SqlClient } from "@effect/sql"
import { Data, Effect, Option } from "effect"
import type { Manifest, TableColumns } from "../Backup/Archive.ts"
import { verifyLog } from "../Audit/Verify.ts"
import { Keys } from "../Keys.ts"
import { Migrations } from "../Migrations.ts"

/** The archive cannot be restored here; nothing was changed. `message` is a sentence for the user. */
export class RestoreRefused extends Data.TaggedError("RestoreRefused")<{ readonly message: string }> {}

/** What a restore would replace. */
export interface TargetCounts {
  readonly users: number
  readonly projects: number
  readonly agents: number
  readonly tasks: number
  readonly audit_rows: number
}

export const countTarget = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const count = (table: string) =>
    Effect.map(sql<{ n: number }>`SELECT count(*) AS n FROM ${sql(table)}`, ([row]) => Number(row?.n ?? 0))
  return {
    users: yield* count("users"),
    projects: yield* count("projects"),
    agents: yield* count("agents"),
    tasks: yield* count("tasks"),
    audit_rows: yield* count("audit_log")
  } satisfies TargetCounts
})

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
      message: `the audit log of the database that would be replaced does not verify: ${verification.problem.detail}. ` +
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

interface OtherRow {
  readonly pid: number
  readonly client_addr: string | null
}

/**
 * On PostgreSQL: takes the lock of the migrations, for which a starting brain waits, and all tables, for which a running
 * statement waits; then requires that no other svc is connected. A brain keeps a connection for its hints. The SQLite file
 * is locked by `SqliteLock`.
 */
export const requireNoBrain = (tables: ReadonlyArray<TableColumns>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { lock } = yield* Migrations
    const isBusy = new RestoreRefused({
      message: "the database is in use: stop every brain and command of svc that uses it, then begin again"
    })
    const requireAlone = Effect.flatMap(
      sql<OtherRow>`SELECT pid, client_addr::text AS client_addr FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'svc%' AND pid <> pg_backend_pid()`,
      (others) =>
        others.length === 0 ? Effect.void : new RestoreRefused({
          message: `${others.length} connections of svc use the database (from ${
            [...new Set(others.map(({ client_addr }) => client_addr ?? "this machine"))].join(", ")
          }): stop every brain, then begin again`
        })
    )
    yield* sql.onDialectOrElse({
      pg: () =>
        Effect.gen(function*() {
          yield* sql`SET LOCAL idle_in_transaction_session_timeout = 0`
          yield* sql`SET LOCAL statement_timeout = 0`
          yield* requireAlone
          yield* sql`SET LOCAL lock_timeout = '5s'`
          yield* Effect.zipRight(
            lock,
            sql.unsafe(`LOCK TABLE ${tables.map(({ name }) => `"${name}"`).join(", ")} IN ACCESS EXCLUSIVE MODE`)
          ).pipe(Effect.mapError(() => isBusy))
          yield* sql`SET LOCAL lock_timeout = 0`
          yield* requireAlone
        }),
      orElse: () => Effect.void
    })
  })
