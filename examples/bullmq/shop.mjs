/**
 * A shop on BullMQ that svc shows and operates. Its bank declines each order once, so there is something to retry.
 *
 *   npm ci && npm run build          # in a clone of svc, once: builds svc/agent
 *   svc agents create shop-node      # prints the three SVC_AGENT_ variables to export here
 *   node examples/bullmq/shop.mjs    # needs Redis at 127.0.0.1:6379, or REDIS_URL
 *
 * svc is not on npm yet. In an application of your own, import svc-agent and svc-agent/bullmq: npm pack ./dist/agent in
 * the clone, then npm install ../svc/svc-agent-0.1.0.tgz bullmq ioredis (docs/agent.md).
 */
import { Queue, Worker } from "bullmq"
import { Redis } from "ioredis"
import { setTimeout as sleep } from "node:timers/promises"
import { fromEnvironment, startAgent } from "svc/agent"
import { bullmq } from "svc/agent/bullmq"

const connection = new Redis(process.env.REDIS_URL ?? "redis://127.0.0.1:6379", { maxRetriesPerRequest: null })
const payments = new Queue("payments", { connection })
const mail = new Queue("mail", { connection })

const declined = new Set()

const charge = async ({ data: { amount, order } }) => {
  if (!declined.has(order)) {
    declined.add(order)
    throw new Error(`the bank declined order ${order}`)
  }
  await mail.add("receipt", { order })
  return { order, charged: amount }
}

// The third parameter lets svc cancel a job while it runs: the signal aborts the pause.
const send = async ({ data: { order } }, _token, signal) => {
  await sleep(200, undefined, { signal })
  return `sent the receipt of order ${order}`
}

const workers = [
  new Worker("payments", charge, { connection }),
  new Worker("mail", send, { connection, concurrency: 2 })
]

// Address, token and signing secret come from SVC_AGENT_BRAIN_URL, SVC_AGENT_TOKEN and SVC_AGENT_HMAC_SECRET.
const agent = await startAgent({
  ...fromEnvironment(process.env),
  engines: [bullmq({ workers, queues: [payments, mail] })]
})

const order = Date.now()
const job = await payments.add("charge", { order, amount: 1999 })
process.stdout.write(
  `payments:${job.id} will be declined; run it again: svc commands retry payments:${job.id} --wait\n`
)

const stop = async () => {
  await Promise.all(workers.map((worker) => worker.close()))
  await agent.close()
  await Promise.all([payments.close(), mail.close()])
  connection.disconnect()
}
process.once("SIGINT", stop).once("SIGTERM", stop)
