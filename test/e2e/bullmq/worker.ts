// A plain Node app with a BullMQ worker and the agent beside it: `worker.ts <prefix> <brain url> <token> <hmac secret> <home>`.
import { Worker } from "bullmq"
import { bullmq } from "../../../src/agents/engines/bullmq/BullMQ.ts"
import { startAgent } from "../../../src/agents/runtime/startAgent.ts"

const [prefix = "", brainUrl = "", token = "", hmacSecret = "", home = ""] = process.argv.slice(2)

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
      default:
        return job.data
    }
  },
  { connection: { host: "127.0.0.1", port: 6379 }, prefix, concurrency: 2, lockDuration: 1000, stalledInterval: 500 }
)

await startAgent({ brainUrl, token, hmacSecret, home, engines: [bullmq({ workers: [worker] })] })
