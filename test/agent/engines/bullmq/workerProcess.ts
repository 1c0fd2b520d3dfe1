// A worker in a process of its own, with the engine beside it: `workerProcess.ts <prefix> <queue>`. Each event it reports is
// a line of JSON on its output; so is `{"ready": <the worker's name>}`. Jobs named `wait` run until they are aborted and then
// throw, those named `calm` until they are aborted and then return, `stick` for ever, others are done at once.
import { Worker } from "bullmq"
import { Effect } from "effect"
import { bullmq } from "../../../../src/agent/engines/bullmq/BullMQ.ts"

const [prefix = "", queue = ""] = process.argv.slice(2)
const print = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`)

const worker = new Worker(
  queue,
  (job, _token, signal) => {
    if (job.name === "wait") {
      return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted"))))
    }
    if (job.name === "calm") {
      return new Promise((resolve) => signal?.addEventListener("abort", () => resolve("calm")))
    }
    return job.name === "stick" ? new Promise(() => undefined) : Promise.resolve(process.pid)
  },
  { connection: { host: "127.0.0.1", port: 6379 }, prefix, concurrency: 2, lockDuration: 1000, stalledInterval: 500 }
)

const engine = bullmq({ workers: [worker] })
await Effect.runPromise(
  Effect.scoped(Effect.gen(function*() {
    yield* engine.start(print)
    const { workers } = yield* engine.inventory
    print({ ready: workers[0]?.name })
    yield* Effect.never
  }))
)
