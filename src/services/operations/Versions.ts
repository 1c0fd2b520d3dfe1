import { SqlClient } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { Conflict, Unavailable } from "../../domain/kernel/Errors.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { version } from "../../domain/kernel/Version.ts"
import type { VersionsSnapshot } from "../../domain/operations/Installation.ts"
import { isNewer } from "../../domain/operations/ReleaseVersion.ts"
import { Audit } from "../audit/Audit.ts"
import { orDieOnSql, Reader } from "../kernel/sql/Database.ts"
import { Releases } from "./Releases.ts"

const Stored = Schema.Struct({ fetched_at: Timestamp.Timestamp, program: Schema.String })

const checkDisabled = new Conflict({
  code: "version_check_disabled",
  detail: "SVC_RELEASES_URL of the brain is not set, so there is no release feed to read."
})

/** The versions of svc: installed, and in the release feed when someone last asked. */
export class Versions extends Effect.Service<Versions>()("svc/Versions", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const audit = yield* Audit
    const releases = yield* Releases
    const oneAtATime = yield* Effect.makeSemaphore(1)

    const makeSnapshot = Effect.fnUntraced(function*(stored: Option.Option<typeof Stored.Type>) {
      const found = Option.getOrNull(stored)
      return {
        schema_version: 1,
        generated_at: yield* Timestamp.now,
        generated_by: `svc ${version}`,
        canonical_url: releases.feed,
        packages: {
          svc: {
            installed: version,
            latest: found?.program ?? null,
            is_outdated: found === null ? null : isNewer(found.program, version)
          }
        },
        source: found === null ? "program" : "feed",
        fetched_at: found?.fetched_at ?? null,
        fetched_from: found === null ? null : releases.feed,
        check_for_updates_url: "/api/v1/admin/system/versions/check"
      } satisfies VersionsSnapshot
    })

    /** The stored result of this feed's last check, of any replica. Calls nothing outside. */
    const get = Effect.fn("Versions.get")(function*() {
      const [row] = yield* read`SELECT fetched_at, program FROM release_checks WHERE fetched_from = ${releases.feed}`
      return yield* makeSnapshot(Schema.decodeUnknownOption(Stored)(row))
    }, orDieOnSql)

    /** Reads the feed and stores its content for all replicas. Fails with `version_check_failed`, and then nothing changes. */
    const check = Effect.fn("Versions.check")(
      function*() {
        const release = yield* Effect.mapError(
          releases.latest,
          ({ message, reason }) =>
            reason === "no_feed" ? checkDisabled : new Unavailable({
              code: "version_check_failed",
              detail: `The versions could not be read (${reason}): ${message}.`
            })
        )
        const found = { fetched_at: yield* Timestamp.now, program: release.version }
        yield* sql.withTransaction(Effect.gen(function*() {
          yield* sql`DELETE FROM release_checks`
          yield* sql`INSERT INTO release_checks ${sql.insert({ id: 1, fetched_from: releases.feed, ...found })}`
          yield* audit.record({
            action: "system.versions_checked",
            target_type: "system",
            metadata: { fetched_from: releases.feed, latest: found.program }
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
