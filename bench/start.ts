/**
 * From starting the process to ready, and the memory at rest, of the built program on both databases: `first_ready_s`
 * with all migrations, the others as medians of several starts after that; and how long `svc version` takes. Prints
 * one line of JSON. Run: npx vite-node bench/start.ts (PostgreSQL at SVC_TEST_POSTGRES_URL or 127.0.0.1:5432)
 */
import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { builtProgram, freshPostgres } from "./brain.ts"
import { median } from "./percentile.ts"
import { report } from "./run.ts"

const RUNS = 5
const REST_SECONDS = 5

const versionSeconds = (program: string): number => {
  const begin = performance.now()
  spawnSync(process.execPath, [program, "version"])
  return (performance.now() - begin) / 1000
}

/** Resident memory of the process in MiB, as Linux counts it. */
const residentMib = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? NaN) / 1024

const once = async (program: string, settings: Readonly<Record<string, string>>) => {
  const begin = performance.now()
  const brain = spawn(process.execPath, [program, "serve", "--port", "0"], {
    env: { PATH: process.env.PATH ?? "", ...settings },
    stdio: ["ignore", "ignore", "pipe"]
  })
  const ended = new Promise((resolve) => brain.on("exit", resolve))
  let output = ""
  await new Promise<void>((resolve, reject) => {
    brain.stderr.on("data", (text) => {
      output += String(text)
      if (output.includes("is ready")) resolve()
    })
    void ended.then(() => reject(new Error(`it did not start: ${output}`)))
  })
  const readySeconds = (performance.now() - begin) / 1000
  await sleep(REST_SECONDS * 1000)
  const restMib = residentMib(brain.pid ?? 0)
  brain.kill("SIGTERM")
  await ended
  return { readySeconds, restMib }
}

const rounded = (value: number): number => Number(value.toPrecision(3))

const measured = async (program: string, settings: Readonly<Record<string, string>>) => {
  const home = mkdtempSync(join(tmpdir(), "svc-bench-"))
  const first = await once(program, { SVC_HOME: home, ...settings })
  const runs = []
  for (let run = 0; run < RUNS; run++) runs.push(await once(program, { SVC_HOME: home, ...settings }))
  rmSync(home, { recursive: true, force: true })
  return {
    first_ready_s: rounded(first.readySeconds),
    ready_s: rounded(median(runs.map(({ readySeconds }) => readySeconds))),
    rest_mib: rounded(median(runs.map(({ restMib }) => restMib)))
  }
}

report(Effect.gen(function*() {
  const program = yield* builtProgram
  const version_s = rounded(median(Array.from({ length: RUNS }, () => versionSeconds(program))))
  const sqlite = yield* Effect.promise(() => measured(program, {}))
  const postgresql = yield* Effect.flatMap(
    freshPostgres,
    ({ url }) => Effect.promise(() => measured(program, { SVC_DATABASE_URL: url }))
  )
  return { bench: "start", version_s, sqlite, postgresql }
}))
