// A plain Node app with a BullMQ worker and the agent beside it:
// `worker.ts <prefix> <brain url> <token> <hmac secret> <home> <port of Redis>`.
import { Worker } from "bullmq"
import { bullmq } from "../../../src/agent/engines/bullmq/BullMQ.ts"
import { startAgent } from "../../../src/agent/runtime/startAgent.ts"

const [prefix = "", brainUrl = "", token = "", hmacSecret = "", home = "", port = ""] = process.argv.slice(2)

const worker = new Worker(
  "shop",
  async (job, _token, signal) => {
    switch (job.name) {
      case "long":
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("told to stop"))))
      case "crash": // the first time the process is killed meanwhile
        return job.attemptsStarted > 1 ? "survived" : new Promise(() => undefined)
      case "charge": // the first run finds the till closed
        if (job.data.closed !== true) return "charged"
        await job.updateData({ ...job.data, closed: false })
        throw new RangeError("the till is closed")
      case "nap":
        return new Promise((resolve) => setTimeout(() => resolve("awake"), 20))
      default:
        return job.data
    }
  },
  {
    // comes back, checks for stalled jobs, and checks again after a limit sooner than it would by itself
    connection: { host: "127.0.0.1", port: Number(port), retryStrategy: () => 50 },
    runRetryDelay: 100,
    lockDuration: 1000,
    stalledInterval: 500,
    maximumRateLimitDelay: 100,
    prefix,
    concurrency: 2
  }
)

worker.on("error", () => undefined) // Redis away: it comes back by itself
await startAgent({ brainUrl, token, hmacSecret, home, engines: [bullmq({ workers: [worker] })] })
