/**
 * From starting `svc serve --demo` in an empty home to ready, and to its last day filled in with the shop open; medians
 * of several starts, of the built program. Prints one line of JSON. Run: npx vite-node bench/demo.ts
 */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { builtProgram } from "./brain.ts"
import { median } from "./percentile.ts"
import { report } from "./run.ts"

const RUNS = 5

const once = async (program: string) => {
  const home = mkdtempSync(join(tmpdir(), "svc-bench-"))
  const begin = performance.now()
  const demo = spawn(process.execPath, [program, "serve", "--demo", "--port", "0"], {
    env: { PATH: process.env.PATH ?? "", HOME: home },
    stdio: ["ignore", "ignore", "pipe"]
  })
  const ended = new Promise((resolve) => demo.on("exit", resolve))
  let said = ""
  let ready_s = NaN
  await new Promise<void>((resolve, reject) => {
    demo.stderr.on("data", (text) => {
      said += String(text)
      if (Number.isNaN(ready_s) && said.includes("is ready")) ready_s = (performance.now() - begin) / 1000
      if (said.includes("the shop is open")) resolve()
    })
    void ended.then(() => reject(new Error(`it did not start: ${said}`)))
  })
  const filled_s = (performance.now() - begin) / 1000
  const stopping = performance.now()
  demo.kill("SIGTERM")
  await ended
  rmSync(home, { recursive: true, force: true })
  return {
    ready_s,
    filled_s,
    stop_s: (performance.now() - stopping) / 1000,
    events: Number(/(\d+) events/.exec(said)?.[1])
  }
}

const rounded = (value: number): number => Number(value.toPrecision(3))

report(Effect.gen(function*() {
  const program = yield* builtProgram
  const runs: Array<Awaited<ReturnType<typeof once>>> = []
  for (let run = 0; run < RUNS; run++) runs.push(yield* Effect.promise(() => once(program)))
  return {
    bench: "demo",
    ready_s: rounded(median(runs.map(({ ready_s }) => ready_s))),
    filled_s: rounded(median(runs.map(({ filled_s }) => filled_s))),
    stop_s: rounded(median(runs.map(({ stop_s }) => stop_s))),
    events: runs[0]?.events
  }
}))
