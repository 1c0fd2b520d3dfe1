import { FileSystem } from "@effect/platform"
import { Data, Effect, Option, Schema } from "effect"
import { basename, dirname, join, sep } from "node:path"
import { isNewer } from "../domain/ReleaseVersion.ts"
import { version } from "../domain/Version.ts"
import { NpmClient } from "./NpmClient.ts"
import { packageNames, Releases } from "./Releases.ts"
import { Settings } from "./Settings.ts"

/** How this program came onto the machine. `svc upgrade --apply` changes only `global` and `project`. */
export type Installation =
  | { readonly kind: "global" }
  | { readonly kind: "project"; readonly folder: string }
  | { readonly kind: "container" | "clone" | "npx" | "other" }

/** The program was not installed in a way that it can update, or npm installed something else. */
export class UpgradeRefused extends Data.TaggedError("UpgradeRefused")<{ readonly message: string }> {}

/** Downloads, and compiles better-sqlite3 where its prebuilt binary cannot be fetched. */
const installTimeout = "15 minutes"
const configTimeout = "30 seconds"

const Manifest = Schema.parseJson(Schema.Struct({
  name: Schema.optional(Schema.String),
  version: Schema.optional(Schema.String),
  dependencies: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })),
  devDependencies: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String }))
}))

/** Finds out how the program was installed, and has npm install a newer version where it can. */
export class Upgrade extends Effect.Service<Upgrade>()("svc/Upgrade", {
  effect: Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const npm = yield* NpmClient
    const releases = yield* Releases
    const { inContainer } = yield* Settings

    const exists = (path: string) => Effect.orElseSucceed(fs.exists(path), () => false)
    const readManifest = (folder: string) =>
      fs.readFileString(join(folder, "package.json")).pipe(
        Effect.flatMap(Schema.decodeUnknown(Manifest)),
        Effect.option
      )

    /** The folder of the package that the file belongs to; null where there is none above it. */
    const packageFolder = (file: string): Effect.Effect<string | null> =>
      Effect.gen(function*() {
        for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
          const manifest = yield* readManifest(folder)
          if (Option.exists(manifest, ({ name }) => name === packageNames.svc)) return folder
        }
        return null
      })

    /** In an image the first process is svc. A container that people work in like a machine has another one. */
    const isFirstProcess = Effect.map(
      Effect.orElseSucceed(fs.readFileString("/proc/1/cmdline"), () => ""),
      (line) => /(^|[/\0])svc(\.js)?\0(.*\0)?serve\0/.test(line)
    )

    const isGlobal = (folder: string) =>
      npm.run(["root", "--global"], { timeout: configTimeout }).pipe(
        Effect.flatMap((root) => fs.realPath(join(root.trim(), packageNames.svc))),
        Effect.map((found) => found === folder),
        Effect.orElseSucceed(() => false)
      )

    /** How the package that contains `file` was installed. */
    const detect = (file: string): Effect.Effect<Installation> =>
      Effect.gen(function*() {
        if (inContainer || (yield* isFirstProcess)) return { kind: "container" } as const
        const real = yield* Effect.orElseSucceed(fs.realPath(file), () => file)
        const folder = yield* packageFolder(real)
        if (folder === null) return { kind: "other" } as const
        if (folder.includes(`${sep}_npx${sep}`)) return { kind: "npx" } as const
        if (basename(dirname(folder)) !== "node_modules") {
          return (yield* exists(join(folder, ".git"))) ? { kind: "clone" } as const : { kind: "other" } as const
        }
        if (yield* isGlobal(folder)) return { kind: "global" } as const
        const project = dirname(dirname(folder))
        const manifest = yield* readManifest(project)
        const isDependency = Option.exists(
          manifest,
          ({ dependencies = {}, devDependencies = {} }) => packageNames.svc in { ...dependencies, ...devDependencies }
        )
        // another package manager would lose what npm changes beside its own lockfile
        const others = yield* Effect.forEach(
          ["pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"],
          (name) => exists(join(project, name))
        )
        return isDependency && !others.includes(true)
          ? { kind: "project", folder: project } as const
          : { kind: "other" } as const
      })

    /** The folder whose npm configuration applies. */
    const folderOf = (installation: Installation) => installation.kind === "project" ? installation.folder : undefined

    /** What runs, and what the registry has. Changes nothing. */
    const check = (file: string) =>
      Effect.gen(function*() {
        const installation = yield* detect(file)
        const latest = yield* releases.latestProgram(folderOf(installation))
        return { installation, installed: version, latest, is_outdated: isNewer(latest, version) } as const
      })

    /** Has npm install exactly this version, and proves that it is the one in place. */
    const apply = (file: string, installation: Installation, wanted: string) =>
      Effect.gen(function*() {
        const isProject = installation.kind === "project"
        const folder = folderOf(installation)
        if (!isProject && installation.kind !== "global") {
          return yield* new UpgradeRefused({ message: adviceFor(installation) })
        }
        yield* npm.run(["install", ...(isProject ? [] : ["--global"]), `${packageNames.svc}@${wanted}`], {
          timeout: installTimeout,
          ...(folder !== undefined && { cwd: folder })
        })
        const real = yield* Effect.orElseSucceed(fs.realPath(file), () => file)
        const placed = yield* Effect.flatMap(packageFolder(real), (found) =>
          found === null ? Effect.succeedNone : readManifest(found))
        const now = Option.getOrUndefined(placed)?.version
        if (now === wanted) {
          return
        }
        return yield* new UpgradeRefused({
          message: `npm installed svc ${wanted}, but ${now ?? "nothing"} is where this program was; check npm's prefix`
        })
      })

    return { check, apply } as const
  })
}) {
  static readonly layer = this.Default
}

/** What a person does where svc cannot upgrade itself. */
export const adviceFor = ({ kind }: Installation): string => {
  switch (kind) {
    case "container":
      return "svc runs in a container, whose files end with it: start the image of the new version instead"
    case "clone":
      return "svc runs from a clone: git pull && npm ci && npm run build"
    case "npx":
      return `svc runs from npx's cache: npx ${packageNames.svc}@latest runs the new version`
    case "other":
      return "svc was not installed by npm, or another package manager owns the folder: upgrade it the way it was installed"
    case "global":
    case "project":
      return "svc upgrade --apply installs it"
  }
}
