/**
 * An agent as a program of its own, with what the published agents do around failures (the agents' protocol, sections
 * 1.3 and 5.1): it comes back with the same worker id; a command is executed within the connection that brought it;
 * a success is remembered and its repetition only acknowledged; a result is kept until it is written to a socket, and
 * forgotten then. `argv[2]` is a Job as JSON; any message of the parent opens the gate for good.
 */
import { appendFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { connectAgent, type ReceivedCommand, type TestAgent } from "../../agent.ts"
import type { Gate, Job, Report } from "./Protocol.ts"

const job = JSON.parse(process.argv[2] ?? "{}") as Job
const report = (message: Report) => process.send?.(message)

let hold: Gate | null = job.hold
let openGate = () => {}
const gateOpened = new Promise<void>((resolve) => {
  openGate = resolve
})
process.on("message", () => {
  hold = null
  openGate()
})

const succeeded = new Set<string>()
const unsent = new Set<string>()

const gate = (name: Gate, id: string): Promise<unknown> => {
  report({ report: name, id })
  return hold === name ? gateOpened : Promise.resolve()
}

const sendResults = async (agent: TestAgent) => {
  if (unsent.size > 0 && hold === "result") await Promise.race([gateOpened, agent.closed])
  for (const id of unsent) {
    if (agent.ws.readyState !== agent.ws.OPEN) return
    unsent.delete(id)
    agent.send(
      "command_result",
      { status: "success", result: { done: true }, error: null, delivery_claim_token: null },
      id
    )
    agent.ws.ping("", true, () => report({ report: "reported", id })) // called once what is before it was written
  }
}

const execute = async (agent: TestAgent, command: ReceivedCommand) => {
  const { id } = command
  const alive = () => agent.ws.readyState === agent.ws.OPEN
  if (succeeded.has(id)) return agent.ack(command)
  await Promise.race([gate("ack", id), agent.closed])
  if (!alive()) return
  agent.ack(command)
  await Promise.race([gate("execute", id), agent.closed])
  if (!alive()) return
  appendFileSync(job.journal, `${id} ${job.worker_id}\n`)
  succeeded.add(id)
  unsent.add(id)
  void gate("result", id)
  await sendResults(agent)
}

for (;;) {
  try {
    const agent = await connectAgent({
      base: job.base,
      token: job.token,
      hmac_secret: job.hmac_secret,
      hello: { worker_id: job.worker_id, worker_role: "task" }
    })
    let queue = sendResults(agent)
    const take = (command: ReceivedCommand) => {
      queue = queue.then(() => execute(agent, command)) // one after the other, as agents do
    }
    agent.commands.forEach(take) // that came together with hello_ack
    agent.onCommand = take
    report({ report: "connected" })
    await agent.closed
  } catch {
    // the brain is not there
  }
  await sleep(100)
}
