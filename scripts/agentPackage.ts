// Writes the package `svc-agent`: the agent without the brain. Needs a finished `npm run build lib`.
import { build, type Plugin } from "esbuild"
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"
import { options } from "./bundle.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const source = join(root, "packages/agent")
const target = join(root, "dist/agent")

interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>
}

// the cast: the manifests are ours
const readManifest = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Manifest

/** The manifest, with the version and the ranges of the package `svc` where it has none of its own. */
const manifest = () => {
  const whole = readManifest(join(root, "package.json"))
  const own = readManifest(join(source, "package.json"))
  const fill = (kind: "dependencies" | "peerDependencies") =>
    Object.fromEntries(
      Object.entries(own[kind]).map(([name, range]) => {
        const filled = range === "" ? whole[kind][name] : range
        if (filled === undefined) throw new Error(`packages/agent/package.json: svc has no range for ${name}`)
        return [name, filled]
      })
    )
  const { description, name, ...rest } = own
  return {
    name,
    description,
    ...rest,
    version: whole.version,
    dependencies: fill("dependencies"),
    peerDependencies: fill("peerDependencies")
  }
}

/**
 * `import { Effect } from "effect"` as an import of `effect/Effect`. Of a module that was imported as a namespace
 * esbuild includes only the members in use; of one that comes from the index, all: 770 KB instead of 380.
 */
const narrowImports: Plugin = {
  name: "narrow-imports",
  setup: (plugin) =>
    plugin.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => ({
      loader: "ts",
      contents: readFileSync(path, "utf8").replace(
        /^import (type )?\{([^}]*)\} from "effect"$/gm,
        (_, isType: string | undefined, names: string) =>
          names.split(",").map((name) => name.trim())
            .filter((name) => isType === undefined && name !== "" && !name.startsWith("type "))
            .map((name) => {
              const [module = name, alias = module] = name.split(" as ")
              return /^[a-z]/.test(module)
                ? `import { ${name} } from "effect/Function"`
                : `import * as ${alias} from "effect/${module}"`
            })
            .join("; ")
      )
    }))
}

/**
 * The entries for applications without Effect include the parts of Effect that the agent uses: 65 ms to load instead of
 * 450, and nothing to install. They share chunks, so an engine and its agent have one Effect.
 */
const bundle = () =>
  build({
    ...options,
    plugins: [narrowImports],
    banner: {},
    entryPoints: { agent: "src/agent/standalone/Agent.ts", bullmq: "src/agent/standalone/BullMQ.ts" },
    external: ["better-sqlite3", "bullmq", "ioredis", "ws"],
    outdir: target
  })

/** The files of the library that an entry reaches, as `node` and as TypeScript follow its imports. */
const copyLibrary = (entries: ReadonlyArray<string>) => {
  const pending = [...entries]
  const seen = new Set<string>()
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    const text = readFileSync(join(root, "dist", file), "utf8")
    mkdirSync(dirname(join(target, file)), { recursive: true })
    writeFileSync(join(target, file), text)
    const ending = file.endsWith(".d.ts") ? ".d.ts" : ".js"
    for (const [, specifier] of text.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
      pending.push(normalize(join(dirname(file), specifier ?? "")).replace(/\.[jt]s$/, ending))
    }
  }
}

export const buildAgentPackage = async () => {
  rmSync(target, { recursive: true, force: true })
  await bundle()
  const content = manifest()
  copyLibrary(
    Object.values(content.exports).flatMap((entry) => Object.values(entry)).filter((file) => file.startsWith("./lib/"))
      .map((file) => normalize(file))
  )
  writeFileSync(join(target, "package.json"), `${JSON.stringify(content, null, 2)}\n`)
  cpSync(join(source, "README.md"), join(target, "README.md"))
  cpSync(join(root, "LICENSE"), join(target, "LICENSE"))
  cpSync(join(root, "node_modules/effect/LICENSE"), join(target, "LICENSE-effect")) // it is in the bundle
}
