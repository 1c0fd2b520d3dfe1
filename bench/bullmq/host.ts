// An app with a BullMQ worker that does next to nothing, with the agent beside it and without, turn and turn about in
// one process: `host.ts <jobs> <rounds> <brain url> <token> <hmac secret> <home>`. Prints the CPU microseconds a job of
// each round.
import { bullmq } from "../../src/agent/engines/bullmq/BullMQ.ts"
import { startAgent } from "../../src/agent/runtime/startAgent.ts"
import { mail } from "./mail.ts"

const [jobs = "", rounds = "", brainUrl = "", token = "", hmacSecret = "", home = ""] = process.argv.slice(2)
const count = Number(jobs)
const { queue, worker } = mail({ autorun: false })
await worker.pause()

const job = (n: number) => ({
  name: "send_receipt",
  data: { to: `customer-${n}`, subject: "Your receipt", lines: [{ sku: "A-1", count: 2 }, { sku: "B-7", count: n }] }
})

/**
 * CPU of the whole process, its threads too, while the worker does the jobs, until the agent has nothing left to send.
 */
const microsAJob = async (sent: () => boolean) => {
  for (let at = 0; at < count; at += 1000) {
    await queue.addBulk(Array.from({ length: Math.min(1000, count - at) }, (_, n) => job(at + n)))
  }
  let left = count
  const done = new Promise<void>((resolve) =>
    worker.on("completed", function ended() {
      if (--left > 0) return
      worker.off("completed", ended)
      resolve()
    })
  )
  const before = process.cpuUsage()
  await worker.resume()
  await done
  while (!sent()) await new Promise((resolve) => setTimeout(resolve, 20))
  const { system, user } = process.cpuUsage(before)
  await worker.pause()
  return (user + system) / count
}

const withAgent = async () => {
  const agent = await startAgent({ brainUrl, token, hmacSecret, home, engines: [bullmq({ workers: [worker] })] })
  const micros = await microsAJob(() => agent.status().buffer.events === 0)
  await agent.close()
  return micros
}

await microsAJob(() => true) // warms up
await withAgent()
const measured = []
for (let round = 0; round < Number(rounds); round++) {
  measured.push({ without: await microsAJob(() => true), with: await withAgent() })
}
console.log(JSON.stringify(measured))
await worker.close()
await queue.obliterate({ force: true })
process.exit(0)
