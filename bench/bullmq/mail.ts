import { Queue, Worker } from "bullmq"
import { randomBytes } from "node:crypto"

/** A queue and a worker with almost no work; without `autorun` the worker waits until it is started. */
export const mail = ({ autorun }: { readonly autorun: boolean }) => {
  const connection = { host: "127.0.0.1", port: 6379 }
  const prefix = `bench-${randomBytes(6).toString("hex")}`
  const queue = new Queue("mail", { connection, prefix })
  const worker = new Worker("mail", async (job) => ({ sent: true, to: job.data.to }), {
    connection,
    prefix,
    autorun,
    concurrency: 50,
    removeOnComplete: { count: 100 }
  })
  return { queue, worker }
}
