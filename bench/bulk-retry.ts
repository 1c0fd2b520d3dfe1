import { Effect } from "effect"
import { connected, event, type TestAgent } from "../test/agent.ts"
import { adminKey } from "../test/e2e/brainProcess.ts"
import { builtProgram, runningBrain } from "./brain.ts"
import { measureBare } from "./bulk-retry/bare.ts"
import { type Client, clientOf } from "./command/client.ts"
import { type Database, databaseAndNumbersOf, report } from "./run.ts"

/**
 * A durable bulk retry without a rate, with one agent on a real signed WebSocket that answers at once; brain and client in
 * processes of their own. `freezeMillis`: from the POST to its 202. `perSecond`: tasks a second from the 202 to the end.
 * Beside them `bare`: the same rows by the driver alone (`bulk-retry/bare.ts`), and `singlePerSecond`: 2 000 retries, each
 * a POST, 16 under way.
 * Prints one line of JSON. `npx vite-node bench/bulk-retry.ts sqlite|postgresql [tasks=10000]`
 */
const project = "/projects/bench"
const eventsAtOnce = 500
const singles = 2000

const sendFailures = async (agent: TestAgent, count: number) => {
  const data = { exception: "TimeoutError: 5 s", task_name: "shop.pay", queue: "celery", worker: null }
  for (let at = 0; at < count; at += eventsAtOnce) {
    await agent.sendEvents(
      Array.from(
        { length: Math.min(eventsAtOnce, count - at) },
        (_, index) => event({ kind: "task.failed", task_id: `t${at + index}`, data })
      )
    )
  }
}

const retryAll = async (client: Client, count: number) => {
  const began = performance.now()
  const { json, status } = await client.ask("POST", `${project}/bulk-retry-requests`, {
    idempotency_key: "bench",
    max: count
  })
  if (status !== 202 || json.counts.total !== count) throw new Error(`${status} ${JSON.stringify(json)}`)
  const frozen = performance.now()
  let request = json
  while (request.finished_at === null) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    request = (await client.ask("GET", `${project}/bulk-retry-requests/${json.id}`)).json
  }
  if (request.counts.succeeded !== count) throw new Error(JSON.stringify(request.counts))
  const seconds = (performance.now() - frozen) / 1000
  return { freezeMillis: Math.round(frozen - began), perSecond: Math.round(count / seconds) }
}

const retryOneByOne = async (client: Client, agent_id: string, count: number) => {
  const began = performance.now()
  let next = 0
  await Promise.all(Array.from({ length: 16 }, async () => {
    for (let at = next++; at < count; at = next++) {
      const body = { agent_id, engine: "celery", task_id: `t${at}` }
      const { status } = await client.ask("POST", `${project}/commands/retry-task`, body)
      if (status !== 202) throw new Error(String(status))
    }
  }))
  for (const status of ["pending", "dispatched"]) {
    while ((await client.ask("GET", `${project}/commands?status=${status}&limit=1`)).json.items.length > 0);
  }
  return Math.round(count / ((performance.now() - began) / 1000))
}

const measure = (database: Database, count: number) =>
  Effect.gen(function*() {
    const program = yield* builtProgram
    const bare = yield* measureBare(database, count)
    const { brain, credentials } = yield* runningBrain(program, database, 1)
    const [given] = credentials
    if (given === undefined) return yield* Effect.dieMessage("the brain has no agent")
    const token = yield* adminKey(brain)
    const hello = { worker_role: "task" }
    const agent = yield* connected({ base: brain.url, token: given.token, hmac_secret: given.hmacSecret, hello })
    agent.onCommand = (command) =>
      agent.answer(command, { status: "success", result: { new_task_id: `new ${String(command.parameters.task_id)}` } })
    const client = clientOf(brain.url, token, 64)
    const result = yield* Effect.promise(async () => {
      await sendFailures(agent, count)
      const retried = await retryAll(client, count)
      return {
        bench: "bulk-retry",
        database,
        tasks: count,
        ...retried,
        bare,
        share: Number((retried.perSecond / bare.perSecond).toFixed(2)),
        singlePerSecond: await retryOneByOne(client, given.agentId, Math.min(count, singles))
      }
    })
    client.close()
    return result
  })

const { database, tasks } = databaseAndNumbersOf("bulk-retry", { tasks: 10_000 })
report(measure(database, tasks))
