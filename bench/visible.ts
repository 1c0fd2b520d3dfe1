import { Effect } from "effect"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { builtProgram, runningBrain } from "./brain.ts"
import { builtHost } from "./bullmq/builtHost.ts"
import { percentile } from "./percentile.ts"
import { type Database, databaseAndNumbersOf, report } from "./run.ts"

/**
 * How long after its end a BullMQ job is to be seen in the API as done: milliseconds from `finished_at` to the answer
 * of `GET /tasks?state=success` that shows it first, asked again and again, so that the time of an answer is in it.
 * Worker and agent, brain, and this client are processes of their own. Needs Redis at 127.0.0.1:6379. Prints one line
 * of JSON. `npx vite-node bench/visible.ts sqlite|postgresql [jobs=10000] [rate=500], so many a second`
 */
const measure = (database: Database, jobs: number, rate: number) =>
  Effect.gen(function*() {
    const program = yield* builtProgram
    const folder = yield* builtHost("paced")
    const { brain, call, credentials: [agent] } = yield* runningBrain(program, database, 1)
    const given = [jobs, rate, brain.url, agent?.token, agent?.hmacSecret, join(folder, "home")].map(String)
    const host = spawn(process.execPath, [join(folder, "paced.js"), ...given], { stdio: ["ignore", "pipe", "inherit"] })
    yield* Effect.addFinalizer(() => Effect.sync(() => host.kill("SIGKILL")))
    yield* Effect.async<void>((resume) => void host.stdout.once("data", () => resume(Effect.void)))

    const seen = new Set<string>()
    const waits: Array<number> = []
    const begun = performance.now()
    for (let last = false; !last;) {
      last = host.exitCode !== null // one more read, for jobs that ended since the last
      const { json } = yield* call("GET", "/projects/bench/tasks?state=success&limit=500")
      const now = Date.now()
      for (const { finished_at, task_id } of json.items) {
        if (seen.has(task_id)) continue
        seen.add(task_id)
        waits.push(now - Date.parse(finished_at))
      }
    }
    const { json: all } = yield* call("GET", "/projects/bench/tasks?state=success&limit=1&include_total=true")
    if (seen.size !== jobs || all.total_count !== jobs) {
      throw new Error(`of ${jobs} jobs ${seen.size} were seen, and ${all.total_count} are there`)
    }
    const measured = waits.slice(rate) // the first second warms up
    return {
      bench: "visible",
      database,
      jobsPerSecond: Math.round(seen.size / ((performance.now() - begun) / 1000)),
      seen: seen.size,
      p50: percentile(measured, 50),
      p99: percentile(measured, 99)
    }
  })

const { database, jobs, rate } = databaseAndNumbersOf("visible", { jobs: 10_000, rate: 500 })
report(measure(database, jobs, rate))
