/**
 * An application with an agent in it, for tests that kill it. Options as JSON in the first argument: the agent's, and
 * `tasks` to run at once, `after` what comes then: `end` of the program, `stay`, or `work` for another task every few milliseconds, until its
 * input ends.
 */
import { startAgent } from "../../../src/agent/runtime/startAgent.ts"
import { MemoryEngine } from "../../agent/engines/memory.ts"

const { after, tasks, ...options } = JSON.parse(process.argv[2] ?? "{}")
const shop = new MemoryEngine()
const agent = await startAgent({ ...options, engines: [shop.engine] })
for (let n = 0; n < tasks; n++) shop.work(shop.enqueue({ args: [n] }))
if (after === "work") {
  let done = 0
  const timer = setInterval(() => {
    shop.work(shop.enqueue({ args: [done] }))
    console.log(`done ${++done}, lost ${agent.status().lostEvents}`)
  }, 5)
  process.stdin.on("end", () => clearInterval(timer)).resume()
  setInterval(() => {}, 1000)
}
if (after === "stay") {
  setInterval(() => {
    if (agent.status().buffer.unwritten === 0) console.log(`written ${agent.status().state}`)
  }, 20)
}
