import { Effect } from "effect"
import { build } from "esbuild"
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"

export const root = new URL("../../", import.meta.url).pathname
export const source = join(root, "examples/embedding/main.ts")
export const shortest = join(root, "examples/library/main.ts")

/** The examples as programs: `svc` is this package's entry point. Returns their folder. */
export const examplePrograms = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => {
      mkdirSync(join(root, "node_modules/.cache"), { recursive: true })
      return mkdtempSync(join(root, "node_modules/.cache/svc-example-"))
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  yield* Effect.promise(() =>
    build({
      entryPoints: { main: source, shortest },
      alias: { svc: join(root, "src/index.ts") },
      outdir: folder,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20.19",
      external: ["better-sqlite3", "argon2", "pg-native", "@sentry/node", "@parcel/watcher", "msgpackr-extract"],
      logLevel: "error",
      banner: {
        js: `import { createRequire as appRequire } from "node:module"; const require = appRequire(import.meta.url);`
      }
    })
  )
  return folder
})

/** An example at work, ended with the scope. `node`: the program that runs it. */
export const running = (file: string, env: Readonly<Record<string, string>>, node: string = process.execPath) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child: ChildProcess = spawn(node, [file], {
        env: { ...env, SVC_PORT: "0" },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let output = ""
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += String(chunk)))
      const exit = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)))
      const stop = Effect.promise(() => {
        child.kill("SIGTERM")
        return exit
      })
      return { child, output: () => output, exit: Effect.promise(() => exit), stop }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )
