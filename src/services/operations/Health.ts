import { SqlClient } from "@effect/sql"
import { Clock, Duration, Effect, ModuleVersion, Option } from "effect"
import { release } from "node:os"
import type { Readiness } from "../../domain/kernel/Readiness.ts"
import { version } from "../../domain/kernel/Version.ts"
import type { DeepCheck, DeepHealth, SystemInfo } from "../../domain/operations/Health.ts"
import { packages } from "../../domain/operations/Packages.ts"
import { Audit } from "../audit/Audit.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { Database, orDieOnSql, Reader } from "../kernel/sql/Database.ts"
import { Migrations } from "../kernel/sql/Migrations.ts"
import { readDatabaseInfo } from "./DatabaseInfo.ts"
import { makeCheck, makeProbes } from "./Health/Probes.ts"

const probeTimeout = Duration.seconds(2)
const noAnswer = "no answer within 2 seconds"

/** Without the ingest, no agent report is stored; the work of other loops is only delayed. */
const isIngestLoop = (loop: string): boolean => /^ingest( \d+)?$/.test(loop)

export class Health extends Effect.Service<Health>()("svc/Health", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const database = yield* Database
    const migrations = yield* Migrations
    const loops = yield* Loops
    const audit = yield* Audit
    const probes = yield* makeProbes

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
        const begin = yield* Clock.currentTimeNanos
        const result = yield* probe.pipe(
          Effect.disconnect,
          Effect.timeoutTo({
            duration: probeTimeout,
            onSuccess: (check) => check,
            onTimeout: () => makeCheck({ status: "failed", detail: noAnswer })
          }),
          Effect.catchAllCause((cause) =>
            Effect.as(
              Effect.logWarning(`the health check ${name} failed`, cause),
              makeCheck({ status: "failed", detail: "the check failed; the log has the cause" })
            )
          )
        )
        const micros = Math.round(Number((yield* Clock.currentTimeNanos) - begin) / 1000)
        return { ...result, latency_ms: micros / 1000 }
      })

    /**
     * One after the other: side by side each would be timed together with the work of all others. All of them read the
     * database, so after its silence none is run.
     */
    const runProbes = Effect.gen(function*() {
      const checks: Record<string, DeepCheck> = {}
      for (const [name, probe] of Object.entries(probes)) {
        checks[name] = checks["database"]?.detail === noAnswer
          ? makeCheck({ status: "failed", detail: "not checked: the database gave no answer" })
          : yield* runProbe(name, probe)
      }
      return checks
    })

    const deepHealth = Effect.fn("Health.deepHealth")(function*() {
      const checks = yield* runProbes
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
