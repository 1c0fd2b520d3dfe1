import { Console, Effect, Layer } from "effect"
import { fileURLToPath } from "node:url"
import * as NpmClient from "../../layers/NpmClient.ts"
import { Releases } from "../../services/Releases.ts"
import { adviceFor, Upgrade } from "../../services/Upgrade.ts"
import { CliError } from "../Explain.ts"
import { settings } from "../Settings.ts"

const layerUpgrade = Upgrade.layer.pipe(
  Layer.provide(Releases.layer),
  Layer.provide(NpmClient.layer),
  Layer.provide(settings())
)

/** A file of this program: the package around it is the one to upgrade. */
const ownFile = fileURLToPath(import.meta.url)

const next =
  "Restart every brain of this installation: the running ones still have the old version. Migrations run at their start"

export const upgrade = ({ apply, json }: { readonly apply: boolean; readonly json: boolean }) =>
  Effect.gen(function*() {
    const service = yield* Upgrade
    const { installation, installed, is_outdated, latest } = yield* service.check(ownFile)
    const found = { installed, latest, is_outdated, installation: installation.kind }
    if (!apply || !is_outdated) {
      if (json) return yield* Console.log(JSON.stringify({ ...found, applied: false }))
      yield* Console.log(
        is_outdated
          ? `svc ${latest} is available; ${installed} is installed. ${adviceFor(installation)}`
          : `svc ${installed} is the newest version`
      )
      return
    }
    if (installation.kind !== "global" && installation.kind !== "project") {
      return yield* new CliError({
        message: `svc ${latest} is available, and nothing was changed: ${adviceFor(installation)}`
      })
    }
    yield* Console.error(
      `installing svc ${latest} with npm; a backup first lets you go back: svc backup --output <path>`
    )
    yield* service.apply(ownFile, installation, latest)
    yield* Console.log(
      json ? JSON.stringify({ ...found, applied: true }) : `installed svc ${latest} in place of ${installed}. ${next}`
    )
  }).pipe(Effect.provide(layerUpgrade))
