import { FetchHttpClient } from "@effect/platform"
import { Console, Effect, Layer } from "effect"
import { fileURLToPath } from "node:url"
import { version } from "../../../domain/kernel/Version.ts"
import * as NpmClient from "../../../layers/NpmClient.ts"
import { Releases } from "../../../services/operations/Releases.ts"
import { adviceFor, Upgrade } from "../../../services/operations/Upgrade.ts"
import { confirm } from "../../io/Confirm.ts"
import { CliError } from "../../program/Explain.ts"
import { type HandlersOf, handleWith } from "../../program/Group.ts"
import { settings } from "../../program/Settings.ts"
import type { definitions } from "../upgrade.ts"

const layerUpgrade = Upgrade.layer.pipe(
  Layer.provide(Releases.layer),
  Layer.provide(Layer.merge(NpmClient.layer, FetchHttpClient.layer)),
  Layer.provide(settings())
)

/** A file of this program: the package around it is the one to upgrade. */
const ownFile = fileURLToPath(import.meta.url)

const next =
  "Restart every brain of this installation: the running ones still have the old version. Migrations run at their start"

const withoutFeed =
  "No release feed is configured (SVC_RELEASES_URL), so svc does not know whether there is a newer version"

export const handlers: HandlersOf<typeof definitions> = {
  upgrade: handleWith(layerUpgrade)(function*({ apply, json, yes }) {
    const service = yield* Upgrade
    const { installation, is_outdated, release } = yield* service.check(ownFile)
    const found = { installed: version, latest: release?.version ?? null, is_outdated, installation: installation.kind }
    if (release === null && apply) return yield* new CliError({ message: `nothing was changed: ${withoutFeed}` })
    if (release === null || is_outdated !== true || !apply) {
      if (json) return yield* Console.log(JSON.stringify({ ...found, applied: false }))
      return yield* Console.log(
        release === null
          ? `svc ${version} is installed. ${withoutFeed}`
          : is_outdated === true
          ? `svc ${release.version} is available; ${version} is installed. ${adviceFor(installation, release)}`
          : `svc ${version} is the newest version`
      )
    }
    const plan = yield* service.plan(installation, release).pipe(
      Effect.catchTag(
        "UpgradeRefused",
        ({ message }) =>
          new CliError({ message: `svc ${release.version} is available, and nothing was changed: ${message}` })
      )
    )
    yield* confirm(
      yes,
      `Install svc ${release.version} in place of ${version}? Its publisher is the release key ${plan.publisher}, which ` +
        `signed the package at ${release.tarball}. The packages that it depends on come from the registry ` +
        `${plan.registry}. Make a backup first: svc backup --output <path>.`
    )
    yield* Console.error(`installing svc ${release.version} with npm`)
    const { folder } = yield* service.apply(ownFile, plan)
    yield* Console.log(
      json
        ? JSON.stringify({ ...found, applied: true })
        : `installed svc ${release.version} in place of ${version}. ${next}. No install script ran; if svc says that ` +
          `a native package was not built: npm rebuild --prefix ${folder} better-sqlite3 argon2`
    )
  })
}
