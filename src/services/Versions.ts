import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { Conflict, Unavailable } from "../domain/Errors.ts"
import type { PackageVersions, VersionsSnapshot } from "../domain/Installation.ts"
import { isNewer } from "../domain/ReleaseVersion.ts"
import * as Timestamp from "../domain/Timestamp.ts"
import { version } from "../domain/Version.ts"
import { Audit } from "./Audit.ts"
import { orDieOnSql, Reader } from "./Database.ts"
import { packageNames, Releases } from "./Releases.ts"
import { Settings } from "./Settings.ts"

const publicRegistry = "https://registry.npmjs.org/"

const Stored = Schema.Struct({
  fetched_at: Timestamp.Timestamp,
  fetched_from: Schema.String,
  program: Schema.String,
  agent: Schema.NullOr(Schema.String)
})

const checkDisabled = new Conflict({
  code: "version_check_disabled",
  detail: "SVC_VERSION_CHECK_ENABLED of the brain is false, so it does not call the registry."
})

/** The versions of svc: installed, and in the registry when someone last asked. */
export class Versions extends Effect.Service<Versions>()("svc/Versions", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const audit = yield* Audit
    const releases = yield* Releases
    const settings = yield* Settings
    const oneAtATime = yield* Effect.makeSemaphore(1)

    const makeSnapshot = Effect.fnUntraced(function*(stored: Option.Option<typeof Stored.Type>) {
      const found = Option.getOrNull(stored)
      const packages: Record<string, PackageVersions> = {
        [packageNames.svc]: {
          installed: version,
          latest: found?.program ?? null,
          is_outdated: found === null ? null : isNewer(found.program, version)
        },
        [packageNames.agent]: { installed: null, latest: found?.agent ?? null, is_outdated: null }
      }
      return {
        schema_version: 1,
        generated_at: yield* Timestamp.now,
        generated_by: `svc ${version}`,
        canonical_url: new URL(
          packageNames.svc,
          found === null || !URL.canParse(found.fetched_from) ? publicRegistry : found.fetched_from
        ).toString(),
        packages,
        source: found === null ? "program" : "registry",
        fetched_at: found?.fetched_at ?? null,
        fetched_from: found?.fetched_from ?? null,
        check_for_updates_url: "/api/v1/admin/system/versions/check"
      } satisfies VersionsSnapshot
    })

    /** The stored answer of the last check, of any replica. Calls nothing outside. */
    const get = Effect.fn("Versions.get")(function*() {
      const [row] = yield* read`SELECT fetched_at, fetched_from, program, agent FROM release_checks WHERE id = 1`
      return yield* makeSnapshot(Schema.decodeUnknownOption(Stored)(row))
    }, orDieOnSql)

    const fetch = Effect.gen(function*() {
      const [program, agent, fetched_from] = yield* Effect.all(
        [releases.latestProgram(), releases.latestAgent, releases.registry()],
        { concurrency: 3 }
      )
      return { fetched_at: yield* Timestamp.now, fetched_from, program, agent: Option.getOrNull(agent) }
    })

    /** Reads the registry and stores its answer for all replicas. Fails with `version_check_failed`, and then nothing changes. */
    const check = Effect.fn("Versions.check")(
      function*() {
        if (!settings.versionCheckEnabled) return yield* checkDisabled
        const found = yield* Effect.mapError(fetch, ({ message, reason }) =>
          new Unavailable({
            code: "version_check_failed",
            detail: `The versions could not be read (${reason}): ${message}.`
          }))
        yield* sql.withTransaction(Effect.gen(function*() {
          yield* sql`DELETE FROM release_checks`
          yield* sql`INSERT INTO release_checks ${sql.insert({ id: 1, ...found })}`
          yield* audit.record({
            action: "system.versions_checked",
            target_type: "system",
            metadata: { fetched_from: found.fetched_from, latest: found.program }
          })
        }))
        return yield* makeSnapshot(Option.some(found))
      },
      oneAtATime.withPermits(1),
      orDieOnSql
    )

    return { get, check } as const
  })
}) {
  static readonly layer = this.Default
}
