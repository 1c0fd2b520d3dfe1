import { FileSystem } from "@effect/platform"
import { Effect, Option, Schema } from "effect"
import { basename, dirname, join, sep } from "node:path"
import { NpmClient } from "../../kernel/NpmClient.ts"
import { Settings } from "../../kernel/Settings.ts"

export const packageName = "svc"

export const configTimeout = "30 seconds"

/** How this program came onto the machine. `svc upgrade --apply` changes only `global` and `project`. */
export type Installation =
  | { readonly kind: "global" }
  | { readonly kind: "project"; readonly folder: string }
  | { readonly kind: "container" | "clone" | "npx" | "other" }

const Manifest = Schema.parseJson(Schema.Struct({
  name: Schema.optional(Schema.String),
  version: Schema.optional(Schema.String),
  dependencies: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })),
  devDependencies: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String }))
}))

/** Finds out how a program was installed. */
export const makeDetection = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const npm = yield* NpmClient
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
        if (Option.exists(manifest, ({ name }) => name === packageName)) return folder
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
      Effect.flatMap((root) => fs.realPath(join(root.trim(), packageName))),
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
        ({ dependencies = {}, devDependencies = {} }) => packageName in { ...dependencies, ...devDependencies }
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

  /** The version of svc whose package contains `file`, and its folder; null where there is none. */
  const findInstalled = (file: string) =>
    Effect.gen(function*() {
      const real = yield* Effect.orElseSucceed(fs.realPath(file), () => file)
      const folder = yield* packageFolder(real)
      if (folder === null) return null
      return { folder, version: Option.getOrUndefined(yield* readManifest(folder))?.version }
    })

  return { detect, findInstalled } as const
})
