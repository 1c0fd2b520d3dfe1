// How the program is bundled; shared by the build, the benchmarks and the tests.
import type { BuildOptions, Plugin } from "esbuild"
import { readdirSync, readFileSync } from "node:fs"
import { basename } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../", import.meta.url))

/**
 * Packages that are not bundled: native modules, which are files of their own, and optional packages. Everything else goes into
 * the bundle, because one file loads ten times faster than hundreds.
 */
const external = ["better-sqlite3", "argon2", "pg-native", "@parcel/watcher", "msgpackr-extract", "@sentry/node"]

/**
 * Imports of packages that would load megabytes into every process that never uses them: the index of
 * @effect/platform brings the API page's 3 MB script (which is imported on its own, when the page is opened),
 * the Node server brings the undici HTTP client for its own tests, and @effect/cli brings parsers of YAML and TOML for
 * options that name a file, which svc has none of.
 */
const lighter: Plugin = {
  name: "lighter",
  setup(build) {
    build.onLoad({ filter: /@effect\/platform\/dist\/esm\/index\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(/^export \* as HttpApiScalar .*$/m, "")
    }))
    build.onResolve(
      { filter: /^undici$/ },
      ({ importer }) =>
        importer.includes("@effect/platform-node/") ? { path: "undici", namespace: "left-out" } : undefined
    )
    build.onResolve(
      { filter: /^(yaml|toml)$/ },
      ({ importer, path }) => importer.includes("@effect/cli/") ? { path, namespace: "left-out" } : undefined
    )
    build.onLoad({ filter: /.*/, namespace: "left-out" }, () => ({ contents: "module.exports = {}" }))
  }
}

export const options = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  external,
  plugins: [lighter],
  entryNames: "[name]",
  chunkNames: "[name]-[hash]", // flat, beside the entries: workers are found by their name (src/services/kernel/concurrency/WorkerFile.ts)
  minifySyntax: true,
  minifyWhitespace: true, // names stay: they are in stack traces
  legalComments: "none",
  logLevel: "warning",
  // CommonJS packages in the bundle call require for Node's own modules.
  banner: {
    js:
      `import { createRequire as svcCreateRequire } from "node:module"; const require = svcCreateRequire(import.meta.url);`
  }
} satisfies BuildOptions

/** The programs of the package. */
export const programs = { svc: "src/cli/main.ts", "svc-scheduler": "src/cli/scheduler/main.ts" }

/** The programs of their own that tests start beside the brain (`inject("programs")`). */
export const testPrograms = {
  "fault-agent": "test/e2e/faults/agent.ts",
  "agent-host": "test/e2e/agent/host.ts",
  demo: "test/e2e/dashboard/demo.ts",
  "next-svc": "test/e2e/nextProgram.ts",
  "leader-replica": "test/e2e/leader/process.ts",
  "bullmq-app": "test/e2e/bullmq/worker.ts",
  "bullmq-worker": "test/agent/engines/bullmq/workerProcess.ts",
  "agent-closing": "test/agent/runtime/closingProcess.ts",
  "sqlite-checks": "test/sqlite/checksProgram.ts"
}

/** The same with BullMQ 5. */
export const bullmq5Programs = { "bullmq-5-worker": testPrograms["bullmq-worker"] }

/** Where tests and benchmarks, which run from the sources, find the bundled worker threads. */
export const workersFolder = `${root}node_modules/.cache/svc-workers`

/** Every `*.worker.ts` under src, by its name without `.ts`: each is an entry of its own beside the program. */
export const entries = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(`${root}src`, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".worker.ts"))
      .map((file) => [basename(file, ".ts"), `src/${file}`])
  )
