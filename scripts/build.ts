// Builds what the package ships, all of it or one part:
//   npm run build program        dist/cli, the programs: small entries, and chunks that load on demand; dist/web,
//                                the dashboard; and dist/sbom.cdx.json, the packages in them and beside them
//   npm run build cli [folder]   the programs alone
//   npm run build lib            dist/lib, the library: JavaScript and types, file for file
//   npm run build agent          dist/agent, the package `svc-agent`, ready for npm pack; needs dist/lib
//   npm run build workers        the worker threads' code for benchmarks, which run from the sources
//   npm run build soak <folder>  the programs, and the brain of bench/soak.ts beside them
//   npm run build test <folder>  what tests start: the worker threads' code; the program with its dashboard and
//                                the tests' own programs, in the folder
// The programs and the dashboard are built in a folder beside their own, which it replaces at the end: a build that fails
// changes nothing. What is built from the same sources already is left as it is, for a brain that runs from it.
import { build, type OnResolveArgs, type Plugin } from "esbuild"
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { dirname, isAbsolute, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { build as buildWithVite } from "vite"
import { buildAgentPackage } from "./agentPackage.ts"
import { bullmq5Programs, entries, options, programs, testPrograms, workersFolder } from "./bundle.ts"
import { writeSbom } from "./sbom.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const [part, folderArgument] = process.argv.slice(2)

/** Returns the files that are in the bundle. */
const buildCli = (outdir: string, others: Readonly<Record<string, string>> = {}) =>
  replaceFolder(outdir, async (outdir) => {
    const { metafile } = await build({
      ...options,
      entryPoints: { ...programs, ...entries(), ...others },
      outdir,
      metafile: true
    })
    for (const name of Object.keys(programs)) chmodSync(join(outdir, `${name}.js`), 0o755)
    return Object.keys(metafile.inputs)
  })

/** Builds into a folder beside this one, and puts it in this one's place when it is complete. */
const replaceFolder = async <A>(folder: string, buildInto: (folder: string) => Promise<A>): Promise<A> => {
  if (readLastBuild()?.outputs.includes(folder)) rmSync(lastBuild)
  const unfinished = `${folder}.new-${process.pid}`
  const former = `${folder}.old-${process.pid}`
  try {
    const files = await buildInto(unfinished)
    if (existsSync(folder)) renameSync(folder, former)
    renameSync(unfinished, folder)
    if (keepsChunks && existsSync(former)) keepChunks(former, folder)
    return files
  } finally {
    for (const rest of [unfinished, former]) rmSync(rest, { recursive: true, force: true })
  }
}

/** `npm start` beside a brain that runs: it and the pages that it has served load their own chunks later. Packages have none of them. */
const keepsChunks = part === "program"

const weekMillis = 7 * 24 * 3_600_000

/** Puts the files of the former folder that were built in the last week beside those of the new one; chunks have their hash in the name. */
const keepChunks = (former: string, folder: string) => {
  for (const name of readdirSync(former, { recursive: true, encoding: "utf8" })) {
    const from = join(former, name)
    const to = join(folder, name)
    const file = statSync(from)
    if (!file.isFile() || existsSync(to) || Date.now() - file.mtimeMs > weekMillis) continue
    mkdirSync(dirname(to), { recursive: true })
    linkSync(from, to)
  }
}

/** The files that the programs and the dashboard are built from; the lockfile represents those of the packages. */
const listSources = () =>
  ["src", "migrations", "proto", "web", "scripts"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => join(parentPath, name))
  ).concat(join(root, "package.json"), join(root, "package-lock.json"))

const digestSources = () => {
  const hash = createHash("sha256")
  for (const file of listSources().sort()) hash.update(`${relative(root, file)}\n`).update(readFileSync(file))
  return hash.digest("hex")
}

/** What was built last: the folders and files, the digest of their sources, and whether chunks of earlier builds are beside. */
const lastBuild = join(root, "node_modules/.cache/svc-build.json")

interface Build {
  readonly digest: string
  readonly outputs: ReadonlyArray<string>
  readonly hasOnlyItsOwn: boolean
}

const readLastBuild = (): Build | undefined =>
  // the cast: `rememberBuild` wrote it
  existsSync(lastBuild) ? (JSON.parse(readFileSync(lastBuild, "utf8")) as Build) : undefined

const isUpToDate = (outputs: ReadonlyArray<string>, digest: string): boolean => {
  const last = readLastBuild()
  return last?.digest === digest && String(last.outputs) === String(outputs) &&
    outputs.every((one) => existsSync(one)) &&
    (keepsChunks || last.hasOnlyItsOwn)
}

const rememberBuild = (outputs: ReadonlyArray<string>, digest: string) => {
  mkdirSync(dirname(lastBuild), { recursive: true })
  writeFileSync(lastBuild, JSON.stringify({ digest, outputs, hasOnlyItsOwn: !keepsChunks }))
}

/**
 * The library's tracer includes the modules of @effect/opentelemetry that it imports. They need effect and
 * @effect/platform alone; as a dependency the package would bring OpenTelemetry's SDK, 34 MB that they do not use.
 */
const includeTracer = async () => {
  const file = join(root, "dist/lib/src/layers/Traces.js")
  const isIncluded = ({ importer, kind, path }: OnResolveArgs): boolean =>
    kind === "entry-point" || path.startsWith("@effect/opentelemetry/") ||
    (path.startsWith(".") && importer.includes("/@effect/opentelemetry/"))
  const externalOthers: Plugin = {
    name: "external-others",
    setup: (plugin) =>
      plugin.onResolve({ filter: /.*/ }, (from) => (isIncluded(from) ? undefined : { path: from.path, external: true }))
  }
  await build({
    entryPoints: [file],
    outfile: file,
    allowOverwrite: true,
    bundle: true,
    format: "esm",
    platform: "node",
    plugins: [externalOthers],
    logLevel: "warning"
  })
}

/** Types are not checked here, but by `npm run lint`. */
const buildLib = async () => {
  rmSync(join(root, "dist/lib"), { recursive: true, force: true })
  const { status } = spawnSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.lib.json", "--noCheck"],
    { cwd: root, stdio: "inherit" }
  )
  if (status !== 0) process.exit(1) // the compiler has printed why
  await includeTracer()
}

/** Returns the files that are in the dashboard. */
const buildWeb = (outDir: string) =>
  replaceFolder(outDir, async (outDir) => {
    process.env.NODE_ENV = "production" // a test runner sets another one, with which React's bundle is half as large again
    const built = await buildWithVite({
      configFile: join(root, "web/vite.config.ts"),
      logLevel: "warn",
      build: { outDir }
    })
    if (!("output" in built)) throw new Error("vite was to build once")
    // Rollup's own helpers have ids that are no paths
    return built.output.flatMap((one) =>
      (one.type === "chunk" ? one.moduleIds : []).filter(isAbsolute).map((id) => relative(root, id))
    )
  })

const programIn = (folder: string) => ({
  cli: join(folder, "cli"),
  web: join(folder, "web"),
  sbom: join(folder, "sbom.cdx.json")
})

/** The program and its dashboard, side by side, and the bill of both beside them. */
const buildProgram = async (folder: string) => {
  const { cli, sbom, web } = programIn(folder)
  const bundled = await Promise.all([buildCli(cli), buildWeb(web)])
  writeSbom(bundled.flat(), sbom)
}

const buildProgramIfChanged = async (folder: string) => {
  const outputs = Object.values(programIn(folder))
  const digest = digestSources()
  if (isUpToDate(outputs, digest)) return
  console.error("Building the program and its dashboard; this takes about 10 seconds …")
  await buildProgram(folder)
  rememberBuild(outputs, digest)
}

const buildWorkers = () => build({ ...options, entryPoints: entries(), outdir: workersFolder })

/** Copies what `npm run build program` has built from the same sources. */
const copyOrBuildProgram = async (folder: string) => {
  const built = programIn(join(root, "dist"))
  if (!isUpToDate(Object.values(built), digestSources())) return buildProgram(folder)
  const copy = programIn(folder)
  cpSync(built.cli, copy.cli, { recursive: true })
  cpSync(built.web, copy.web, { recursive: true })
  cpSync(built.sbom, copy.sbom)
}

const buildForTests = (folder: string) =>
  Promise.all([
    buildWorkers(),
    copyOrBuildProgram(folder),
    build({ ...options, entryPoints: { ...testPrograms, ...entries() }, outdir: join(folder, "programs") }),
    build({
      ...options,
      alias: { bullmq: "bullmq-5" },
      entryPoints: bullmq5Programs,
      outdir: join(folder, "programs")
    })
  ])

const parts = ["program", "cli", "lib", "agent", "workers", "soak", "test"]
if (part !== undefined && !parts.includes(part)) {
  console.error(`build: there is no part "${part}"; the parts are ${parts.join(", ")}`)
  process.exit(1)
}
const folderOr = (usual: string): string => resolve(folderArgument ?? join(root, usual))
if (part === undefined || part === "program") await buildProgramIfChanged(folderOr("dist"))
if (part === "cli") await buildCli(folderOr("dist/cli"))
if (part === undefined || part === "lib") await buildLib()
if (part === undefined || part === "agent") await buildAgentPackage()
if (part === "workers") await buildWorkers()
if (part === "soak") await buildCli(folderOr("dist/soak"), { "soak-brain": "bench/soak/brain.ts" })
if (part === "test") await buildForTests(folderOr("dist/test"))
