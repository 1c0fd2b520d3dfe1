// An app with a BullMQ worker and the agent beside it: `paced.ts <jobs> <jobs a second> <brain url> <token> <hmac
// secret> <home>`. Prints `begun`, and ends when the brain has all.
import { bullmq } from "../../src/agent/engines/bullmq/BullMQ.ts"
import { startAgent } from "../../src/agent/runtime/startAgent.ts"
import { mail } from "./mail.ts"

const [jobs = "", rate = "", brainUrl = "", token = "", hmacSecret = "", home = ""] = process.argv.slice(2)
const { queue, worker } = mail({ autorun: true })
const agent = await startAgent({ brainUrl, token, hmacSecret, home, engines: [bullmq({ workers: [worker] })] })
while (agent.status().state !== "online") await new Promise((resolve) => setTimeout(resolve, 20))
console.log("begun")

const begun = performance.now()
for (let added = 0; added < Number(jobs);) {
  const due = Math.min(Number(jobs), Math.ceil((performance.now() - begun) / 1000 * Number(rate)))
  while (added < due) await queue.add("send_receipt", { to: `customer-${added++}`, lines: [{ sku: "A-1", count: 2 }] })
  await new Promise((resolve) => setTimeout(resolve, 2))
}
while ((await queue.getJobCountByTypes("waiting", "active")) > 0 || agent.status().buffer.events > 0) {
  await new Promise((resolve) => setTimeout(resolve, 20))
}
await agent.close()
await worker.close()
await queue.obliterate({ force: true })
process.exit(0)
