import { Effect } from "effect"
import { setTimeout } from "node:timers/promises"
import { connected, type TestAgent } from "../test/agent.ts"
import { adminKey } from "../test/e2e/brainProcess.ts"
import { builtProgram, runningBrain } from "./brain.ts"
import { type Client, clientOf } from "./command/client.ts"
import { measureDriver } from "./command/driver.ts"
import { percentile } from "./percentile.ts"
import { type Database, databaseAndNumbersOf, report } from "./run.ts"

/**
 * From the POST of a command to its `completed`, with an agent on a real signed WebSocket that sends the result at once;
 * brain and client in processes of their own. `oneByOne`: milliseconds until a caller sees the end who polls 2 ms after each
 * response (without that pause polling is most of what the brain does); `recorded`: from issued to completed as recorded.
 * `together`: commands a second with that many POSTs under way, and milliseconds from issued to completed as recorded.
 * Beside it, what the bare driver does of the same three commits one by one, alone and with a hop over a WebSocket.
 * Prints one line of JSON. `npx vite-node bench/command.ts sqlite|postgresql [commands=5000]`
 */
const commands = "/projects/bench/commands"

const echo = (agent: TestAgent) => {
  agent.onCommand = (command) => agent.sendResult(command, { status: "success", result: { echoed: true } })
}

const issue = async (client: Client, agent_id: string) => {
  const { json, status } = await client.send("POST", `${commands}/cancel-task`, {
    agent_id,
    engine: "celery",
    task_id: "bench"
  })
  if (status !== 202) throw new Error(`${status} ${JSON.stringify(json)}`)
  return String(json.id)
}

/** Of a time with six decimals, of which `Date` drops three. */
const millisOf = (timestamp: string): number => Date.parse(timestamp) + Number(timestamp.slice(23, 26)) / 1000

const oneByOne = async (client: Client, agentId: string, count: number) => {
  const times: Array<number> = []
  const recorded: Array<number> = []
  for (let index = -50; index < count; index++) { // the first ones warm up
    const began = performance.now()
    const id = await issue(client, agentId)
    let command = await client.send("GET", `${commands}/${id}`)
    while (command.json.status !== "completed") {
      await setTimeout(2)
      command = await client.send("GET", `${commands}/${id}`)
    }
    if (index < 0) continue
    times.push(performance.now() - began)
    recorded.push(millisOf(command.json.completed_at) - millisOf(command.json.issued_at))
  }
  return {
    p50: percentile(times, 50),
    p99: percentile(times, 99),
    recorded: { p50: percentile(recorded, 50), p99: percentile(recorded, 99) }
  }
}

const together = async (client: Client, agentIds: ReadonlyArray<string>, count: number, underWay: number) => {
  const began = performance.now()
  let next = 0
  const ids = new Set<string>()
  await Promise.all(Array.from({ length: underWay }, async () => {
    for (let index = next++; index < count; index = next++) {
      ids.add(await issue(client, agentIds[index % agentIds.length] ?? ""))
    }
  }))
  for (const status of ["pending", "dispatched"]) {
    while ((await client.send("GET", `${commands}?status=${status}&limit=1`)).json.items.length > 0);
  }
  const seconds = (performance.now() - began) / 1000
  const times: Array<number> = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const { json } = await client.send(
      "GET",
      `${commands}?status=completed&limit=500&cursor=${cursor}`.replace(/&cursor=$/, "")
    )
    for (const { completed_at, id, issued_at } of json.items) {
      if (ids.has(id)) times.push(millisOf(completed_at) - millisOf(issued_at))
    }
    cursor = times.length < count ? json.next_cursor : null
  }
  if (times.length !== count) throw new Error(`${count - times.length} of ${count} commands did not complete`)
  return { underWay, perSecond: Math.round(count / seconds), p50: percentile(times, 50), p99: percentile(times, 99) }
}

const measure = (database: Database, count: number) =>
  Effect.gen(function*() {
    const program = yield* builtProgram
    const driver = yield* measureDriver(database, 2000)
    const { brain, credentials } = yield* runningBrain(program, database, 10)
    const token = yield* adminKey(brain)
    const agents = yield* Effect.forEach(credentials, (credential) =>
      connected({
        base: brain.url,
        token: credential.token,
        hmac_secret: credential.hmacSecret,
        hello: { worker_role: "task" }
      }))
    for (const agent of agents) {
      echo(agent)
    }
    const client = clientOf(brain.url, token, 64)
    const agentIds = credentials.map(({ agentId }) => agentId)
    const first = agentIds.slice(0, 1)
    const result = yield* Effect.promise(async () => ({
      bench: "command",
      database,
      commands: count,
      driver,
      oneByOne: await oneByOne(client, first[0] ?? "", Math.min(500, count)),
      together16: await together(client, first, count, 16),
      together64: await together(client, first, count, 64),
      together64Agents10: await together(client, agentIds, count, 64)
    }))
    client.close()
    return result
  })

const { commands: count, database } = databaseAndNumbersOf("command", { commands: 5000 })
report(measure(database, count))
