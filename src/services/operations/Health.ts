import { SqlClient } from "@effect/sql"
import { Clock, Duration, Effect, ModuleVersion, Option } from "effect"
import { release } from "node:os"
import type { Readiness } from "../../domain/kernel/Readiness.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { version } from "../../domain/kernel/Version.ts"
import type { DeepCheck, DeepHealth, SystemInfo } from "../../domain/operations/Health.ts"
import { packages } from "../../domain/operations/Packages.ts"
import { Audit } from "../audit/Audit.ts"
import { genesis } from "../audit/Chain.ts"
import { type ChainHead, isAuthenticHead } from "../audit/ChainWriter.ts"
import { Leader } from "../kernel/concurrency/Leader.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { readSecretKeyIds } from "../kernel/keys/Fingerprints.ts"
import { Keys } from "../kernel/keys/Keys.ts"
import { Settings } from "../kernel/Settings.ts"
import { Database, orDieOnSql, Reader } from "../kernel/sql/Database.ts"
import { Migrations } from "../kernel/sql/Migrations.ts"
import { readDatabaseInfo } from "./DatabaseInfo.ts"

const probeTimeout = Duration.seconds(2)

/** Without the ingest, no agent report is stored; the work of other loops is only delayed. */
const isIngestLoop = (loop: string): boolean => /^ingest( \d+)?$/.test(loop)

const makeCheck = (fields: Partial<DeepCheck> & Pick<DeepCheck, "status">): DeepCheck => ({
  detail: null,
  latency_ms: null,
  revision: null,
  expected: null,
  activated: null,
  scope: null,
  ...fields
})

interface LastVerification {
  readonly finished_at: string | null
  readonly outcome: string | null
  readonly rows: number | null
}

/** What the last scheduled verification of the audit log found (services/audit/Verifier.ts). */
const verificationCheck = (last: LastVerification | undefined): Pick<DeepCheck, "status" | "detail"> => {
  if (last === undefined || last.finished_at === null) return { status: "ok", detail: "no verification has ended yet" }
  const { finished_at, outcome, rows } = last
  if (outcome === "clean") return { status: "ok", detail: `all ${rows} rows were intact at ${finished_at}` }
  return outcome === "failed"
    ? {
      status: "failed",
      detail:
        `the verification at ${finished_at} found the log broken after ${rows} intact rows; run svc audit verify for details`
    }
    : { status: "degraded", detail: `the verification at ${finished_at} did not end; the program's log has the cause` }
}

export class Health extends Effect.Service<Health>()("svc/Health", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const database = yield* Database
    const migrations = yield* Migrations
    const loops = yield* Loops
    const leader = yield* Leader
    const { auditChain, secret } = yield* Keys
    const audit = yield* Audit
    const { auditChainVerifyEnabled } = yield* Settings

    /**
     * Runs a trivial query on reader and writer, each within two seconds; a hanging query is abandoned, not awaited.
     */
    const isDatabaseUp = Effect.all([read`SELECT 1`, sql`SELECT 1`], { concurrency: 2 }).pipe(
      Effect.disconnect,
      Effect.timeoutFail({ duration: probeTimeout, onTimeout: () => "timeout" as const }),
      Effect.option,
      Effect.map(Option.isSome)
    )

    /** Whether the schema is still one that this program works with: it may have been changed below a running brain. */
    const isSchemaUsable = read<{ revision: number | null; compatible_from: number | null }>`
      SELECT max(id) AS revision, max(CASE WHEN id > ${migrations.head} THEN compatible_from END) AS compatible_from
      FROM schema_migrations`.pipe(
      Effect.map(([found]) =>
        (found?.revision ?? 0) >= migrations.head && (found?.compatible_from ?? 0) <= migrations.head
      ),
      Effect.disconnect,
      Effect.timeoutOption(probeTimeout),
      Effect.map(Option.getOrElse(() => false)),
      Effect.orElseSucceed(() => false) // the database responds, so that table is gone
    )

    /** A brain that responds has started; before that the server responds with `starting` (layers/StartupResponses.ts). */
    const readiness: Effect.Effect<Readiness> = Effect.gen(function*() {
      if (!(yield* isDatabaseUp)) return { status: "unready", reason: "database" } as const
      if (!(yield* isSchemaUsable)) return { status: "unready", reason: "schema" } as const
      return (yield* audit.suspendReason) === null
        ? { status: "ready" } as const
        : { status: "unready", reason: "audit_log" } as const
    })

    const systemInfo = Effect.fn("Health.systemInfo")(function*() {
      const info = yield* Effect.provideService(readDatabaseInfo, Reader, read)
      return {
        version,
        runtime: { name: "node", version: process.version },
        os: { platform: process.platform, release: release(), arch: process.arch },
        database: {
          dialect: database.dialect,
          version: info.version,
          size_bytes: info.size,
          revision: yield* migrations.current
        },
        packages: { ...packages, effect: ModuleVersion.getCurrentVersion() } // an application brings its own
      } satisfies SystemInfo
    }, orDieOnSql)

    const runProbe = (name: string, probe: Effect.Effect<DeepCheck, unknown>) =>
      Effect.gen(function*() {
        const begin = yield* Clock.currentTimeMillis
        const result = yield* probe.pipe(
          Effect.disconnect,
          Effect.timeoutTo({
            duration: probeTimeout,
            onSuccess: (check) => check,
            onTimeout: () => makeCheck({ status: "failed", detail: "no answer within 2 seconds" })
          }),
          Effect.catchAllCause((cause) =>
            Effect.as(
              Effect.logWarning(`the health check ${name} failed`, cause),
              makeCheck({ status: "failed", detail: "the check failed; the log has the cause" })
            )
          )
        )
        return { ...result, latency_ms: (yield* Clock.currentTimeMillis) - begin }
      })

    const probes: Readonly<Record<string, Effect.Effect<DeepCheck, unknown>>> = {
      database: Effect.as(Effect.all([read`SELECT 1`, sql`SELECT 1`]), makeCheck({ status: "ok" })),
      migrations: Effect.map(migrations.current, (revision) =>
        makeCheck({
          status: revision === migrations.head ? "ok" : "degraded",
          detail: revision === migrations.head ? null : "the database is at another revision than this program",
          revision: String(revision),
          expected: String(migrations.head)
        })),
      leaders: Effect.map(leader.listLeases, (leases) =>
        makeCheck({
          status: "ok",
          detail: leases.length === 0 ? null : leases.map(({ holder, name }) => `${name}: ${holder}`).join(", ")
        })),
      mail: Effect.flatMap(Timestamp.now, (now) =>
        Effect.map(
          read<{ n: number; reason: string | null }>`SELECT count(*) AS n, max(last_error) AS reason FROM mail_outbox
            WHERE last_error IS NOT NULL AND expires_at > ${now}`,
          ([row]) =>
            row === undefined || row.n === 0
              ? makeCheck({ status: "ok" })
              : makeCheck({
                status: "degraded",
                detail: `${row.n} ${
                  row.n === 1 ? "mail" : "mails"
                } could not be delivered, to be retried: ${row.reason}`
              })
        )),
      secret_key: Effect.map(Effect.provideService(readSecretKeyIds, SqlClient.SqlClient, read), ({ active, ids }) => {
        const isHeld = active !== null && secret.find(active) !== undefined
        const next = secret.all().find(({ key_id }) => !ids.includes(key_id))
        const detail = !isHeld
          ? "this process does not hold the active encryption key; see SVC_SECRET_KEY"
          : next === undefined
          ? null
          : `an unused next key is available: ${next.key_id}`
        return makeCheck({ status: isHeld ? "ok" : "failed", detail })
      }),
      audit_verification: Effect.map(
        read<LastVerification>`
          SELECT finished_at, outcome, rows FROM audit_verification WHERE id = 1`,
        ([last]) => makeCheck({ ...verificationCheck(last), activated: auditChainVerifyEnabled, scope: "brain" })
      ),
      // verifies the head and the newest row only; `svc audit verify` reads all rows
      audit_chain: Effect.flatMap(
        read<ChainHead & { readonly newest: string | null; readonly newest_at: string | null }>`
          SELECT seq, row_hash, prev_row_hmac, row_hmac, key_id, occurred_at,
            (SELECT row_hmac FROM audit_log ORDER BY seq DESC LIMIT 1) AS newest,
            (SELECT occurred_at FROM audit_log ORDER BY seq DESC LIMIT 1) AS newest_at
          FROM audit_head WHERE id = 1`,
        ([head]) =>
          Effect.map(audit.suspendReason, (refusal) => {
            const activated = head !== undefined && auditChain.find(head.key_id) !== undefined
            const isNewest = head?.row_hmac === (head?.newest ?? genesis.row_hmac) &&
              head.occurred_at === head.newest_at
            const detail = head === undefined || !isNewest
              ? "the chain's head is not its newest row"
              : !activated
              ? "the key that signs the chain is not known here; see SVC_AUDIT_CHAIN_KEY"
              : !isAuthenticHead(auditChain, head)
              ? "the chain's head was not written by us, so that nothing is recorded after it; run svc audit verify for details"
              : refusal === null
              ? null
              : `${refusal.message}; nothing is changed until the right database is back, or svc audit fork-cleanup has accepted this one`
            return makeCheck({ status: detail === null ? "ok" : "failed", detail, activated, scope: "state-only" })
          })
      )
    }

    const deepHealth = Effect.fn("Health.deepHealth")(function*() {
      const checks: Record<string, DeepCheck> = yield* Effect.all(
        Object.fromEntries(Object.entries(probes).map(([name, probe]) => [name, runProbe(name, probe)])),
        { concurrency: "unbounded" }
      )
      for (const loop of yield* loops.state) {
        const failureStatus = isIngestLoop(loop.name) ? "failed" : "degraded"
        checks[`loop.${loop.name}`] = makeCheck({
          status: loop.error === null ? "ok" : failureStatus,
          detail: loop.error
        })
      }
      const statuses = Object.values(checks).map(({ status }) => status)
      return {
        status: statuses.includes("failed") ? "failed" : statuses.includes("degraded") ? "degraded" : "ok",
        coverage: {
          startup_equivalent: false,
          detail:
            "Database, schema revision, audit chain head, key of stored secrets and background loops of this process. Settings and keys were checked at start."
        },
        checks
      } satisfies DeepHealth
    })

    return { readiness, systemInfo, deepHealth } as const
  })
}) {
  static readonly layer = this.Default
}
