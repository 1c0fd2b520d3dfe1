import { Effect } from "effect"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { builtProgram, runningBrain } from "./brain.ts"
import { builtHost } from "./bullmq/builtHost.ts"
import { median } from "./percentile.ts"
import { type Database, databaseAndNumbersOf, report } from "./run.ts"

/**
 * What the agent costs a BullMQ worker: CPU microseconds a job of its process (sending to a real brain included, the
 * brain's own not), with the agent and without in the same process, turn and turn about; medians. The job does nothing,
 * so `without` is BullMQ's own price. Needs Redis at 127.0.0.1:6379. Prints one line of JSON.
 * `npx vite-node bench/bullmq.ts sqlite|postgresql [jobs=20000] [rounds=5]`
 */
interface Round {
  readonly without: number
  readonly with: number
}

const measure = (database: Database, jobs: number, rounds: number) =>
  Effect.gen(function*() {
    const program = yield* builtProgram
    const folder = yield* builtHost("host")
    const { brain, credentials: [agent] } = yield* runningBrain(program, database, 1)
    const given = [jobs, rounds, brain.url, agent?.token, agent?.hmacSecret, join(folder, "home")].map(String)
    const measured = yield* Effect.async<ReadonlyArray<Round>, Error>((resume) => {
      execFile(process.execPath, [join(folder, "host.js"), ...given], (error, stdout) =>
        resume(error === null ? Effect.succeed(JSON.parse(stdout)) : Effect.fail(error)))
    })
    return {
      bench: "bullmq",
      database,
      jobs,
      rounds,
      without: Number(
        median(measured.map((round) =>
          round.without
        )).toFixed(1)
      ),
      with: Number(median(measured.map((round) => round.with)).toFixed(1)),
      agentMicrosAJob: Number(median(measured.map((round) => round.with - round.without)).toFixed(1))
    }
  })

const { database, jobs, rounds } = databaseAndNumbersOf("bullmq", { jobs: 20_000, rounds: 5 })
report(measure(database, jobs, rounds))
