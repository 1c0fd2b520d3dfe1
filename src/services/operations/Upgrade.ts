import { FileSystem } from "@effect/platform"
import { Data, Effect } from "effect"
import { hash, verify } from "node:crypto"
import { join } from "node:path"
import { maskCredentials } from "../../domain/kernel/net/UrlCredentials.ts"
import { version } from "../../domain/kernel/Version.ts"
import { type Release, releaseStatement } from "../../domain/operations/Release.ts"
import { isNewer } from "../../domain/operations/ReleaseVersion.ts"
import { publicKeyOf } from "../kernel/keys/SigningKeys.ts"
import { NpmClient } from "../kernel/NpmClient.ts"
import { Settings } from "../kernel/Settings.ts"
import { Releases } from "./Releases.ts"
import { configTimeout, type Installation, makeDetection, packageName } from "./Upgrade/Detection.ts"

/** The program does not install this release: nothing proves who made it, or svc was installed in another way. */
export class UpgradeRefused extends Data.TaggedError("UpgradeRefused")<{ readonly message: string }> {}

/** npm downloads the packages that svc depends on. */
const installTimeout = "15 minutes"

/** Finds out how the program was installed, and has npm install a newer version where it can. */
export class Upgrade extends Effect.Service<Upgrade>()("svc/Upgrade", {
  effect: Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const npm = yield* NpmClient
    const releases = yield* Releases
    const { releaseKey } = yield* Settings
    const { detect, findInstalled } = yield* makeDetection

    /** What runs, and what the release feed has; null without a feed. Changes nothing. */
    const check = (file: string) =>
      Effect.gen(function*() {
        const installation = yield* detect(file)
        const release = releases.feed === "" ? null : yield* releases.latest
        return { installation, release, is_outdated: release === null ? null : isNewer(release.version, version) }
      })

    /** The key that signed the release; nothing but its signature proves the publisher. Downloads nothing. */
    const findPublisher = (release: Release) =>
      Effect.gen(function*() {
        const publisher = publicKeyOf(releaseKey)
        if (publisher === undefined) {
          return yield* new UpgradeRefused({
            message:
              `no release key is built in or configured (SVC_RELEASE_KEY), so nothing proves who made ${release.tarball}`
          })
        }
        const signature = Buffer.from(release.signature ?? "", "base64url")
        if (verify(null, Buffer.from(releaseStatement(release)), publisher.key, signature)) return publisher.public_key
        return yield* new UpgradeRefused({
          message:
            `${releases.feed} has no signature of svc ${release.version} by the release key ${publisher.public_key}`
        })
      })

    /** Where npm gets the packages that svc depends on. npm does not print an address that has credentials. */
    const dependencyRegistry = (cwd: string | undefined) =>
      npm.run(["config", "get", "registry"], { timeout: configTimeout, ...(cwd !== undefined && { cwd }) }).pipe(
        Effect.map((output) => maskCredentials(output.trim())),
        Effect.catchIf(
          ({ reason }) => reason === "npm_failed",
          () => Effect.succeed("of npm's configuration, whose address has credentials")
        )
      )

    /** What a person agrees to: who signed the release, and where each part of it comes from. */
    const plan = (installation: Installation, release: Release) =>
      Effect.gen(function*() {
        if (installation.kind !== "project" && installation.kind !== "global") {
          return yield* new UpgradeRefused({ message: adviceFor(installation, release) })
        }
        const folder = installation.kind === "project" ? installation.folder : undefined
        const publisher = yield* findPublisher(release)
        return { folder, release, publisher, registry: yield* dependencyRegistry(folder) }
      })

    /**
     * Downloads the package, and has npm install it if its digest is the signed one. No install script runs. A project
     * keeps the package beside its package.json, which names it.
     */
    const apply = (file: string, { folder, release }: Effect.Effect.Success<ReturnType<typeof plan>>) =>
      Effect.gen(function*() {
        const bytes = yield* releases.download(release.tarball)
        if (hash("sha512", bytes, "hex") !== release.sha512) {
          return yield* new UpgradeRefused({
            message: `the package at ${release.tarball} is not the one that was signed; nothing of it has run`
          })
        }
        const place = folder ?? (yield* fs.makeTempDirectoryScoped({ prefix: "svc-upgrade-" }))
        const tarball = join(place, `${packageName}-${release.version}.tgz`)
        yield* fs.writeFile(tarball, bytes)
        yield* npm.run(["install", "--ignore-scripts", ...(folder === undefined ? ["--global"] : []), tarball], {
          timeout: installTimeout,
          ...(folder !== undefined && { cwd: folder })
        })
        const found = yield* findInstalled(file)
        if (found?.version === release.version) return { folder: folder ?? found.folder }
        return yield* new UpgradeRefused({
          message: `npm installed svc ${release.version}, but ${
            found?.version ?? "nothing"
          } is where this program was; check npm's prefix`
        })
      }).pipe(Effect.scoped)

    return { check, plan, apply } as const
  })
}) {
  static readonly layer = this.Default
}

/** How a person installs the release. */
export const adviceFor = ({ kind }: Installation, { tarball }: Release): string => {
  switch (kind) {
    case "container":
      return "svc runs in a container, whose files end with it: start the image of the new version instead"
    case "clone":
      return "svc runs from a clone: git pull && npm ci && npm run build"
    case "npx":
      return `svc runs from npx's cache: npx ${tarball} runs the new version`
    case "other":
      return "svc was not installed by npm, or another package manager owns the folder: upgrade it the way it was installed"
    case "global":
      return `To install it: npm install --global ${tarball}`
    case "project":
      return `To install it: npm install ${tarball}`
  }
}
