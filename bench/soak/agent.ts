import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { connectAgent, event, longPoll, type ReceivedCommand, type TestAgent } from "../../test/agent.ts"

/** What the brain gives out for an agent, and the id of its project. */
export interface AgentKeys {
  readonly agent_id: string
  readonly token: string
  readonly hmac_secret: string
  readonly project_id: string
}

type Events = Parameters<TestAgent["sendEvents"]>[0]

/** A frame of whole tasks, kept until it is acknowledged. */
export interface Batch {
  readonly id: string
  readonly events: Events
  /** Task ids with the state that they end in. */
  readonly tasks: ReadonlyMap<string, "success" | "failure">
}

const heartbeatMillis = 10_000
const tasksOfBatch = 3

let tasks = 0

/** Tasks that are received, started and ended; one of a hundred fails. */
export const nextBatch = (): Batch => {
  const outcomes = new Map<string, "success" | "failure">()
  const events: Array<Events[number]> = []
  for (let index = 0; index < tasksOfBatch; index++) {
    const task_id = randomUUID()
    const isFailed = ++tasks % 100 === 0
    outcomes.set(task_id, isFailed ? "failure" : "success")
    const common = { task_name: `shop.step${tasks % 20}`, queue: `q${tasks % 4}`, worker: `w${tasks % 6}@box` }
    const failure = { ...common, exception: "ValueError: no order", traceback: "at shop.step" }
    events.push(
      event({ kind: "task.received", task_id, data: { ...common, args: [tasks, "order"], kwargs: { retry: false } } }),
      event({ kind: "task.started", task_id, data: common }),
      isFailed
        ? event({ kind: "task.failed", task_id, data: failure })
        : event({ kind: "task.succeeded", task_id, data: { ...common, result: { sent: true }, runtime_ms: 12 } })
    )
  }
  return { id: `ev_${randomUUID().replaceAll("-", "")}`, events, tasks: outcomes }
}

/** By what agents recognise the repetition of a command (the agents' protocol, section 5.1). */
const keyOf = ({ action, id, parameters }: ReceivedCommand): string =>
  action === "schedule.fire" ? `fire:${String(parameters.fire_id)}` : `cmd:${id}`

/** What agents have done, over all of them. */
export class Journal {
  /** Tasks whose batch was acknowledged, with the time of the ack and the state that they end in. */
  readonly acked = new Map<string, { readonly at: number; readonly state: string }>()
  sentTasks = 0
  ackedTasks = 0
  failedTasks = 0
  connections = 0
  /** Repetitions that were recognised, and not executed. */
  repetitions = 0
  /** Executions by `keyOf`. */
  readonly commands = new Map<string, number>()
  readonly fires = new Map<string, number>()

  ack(batch: Batch): void {
    const at = Date.now()
    for (const [id, state] of batch.tasks) this.acked.set(id, { at, state })
    this.ackedTasks += batch.tasks.size
  }

  sent(batch: Batch): void {
    this.sentTasks += batch.tasks.size
    for (const state of batch.tasks.values()) if (state === "failure") this.failedTasks++
  }

  execute(command: ReceivedCommand): void {
    const counts = command.action === "schedule.fire" ? this.fires : this.commands
    const key = keyOf(command)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
}

/** An agent that batches are given to. It sends them again until they are acknowledged. */
export interface SoakAgent {
  readonly offer: (batch: Batch) => void
  readonly waiting: () => number
  readonly end: () => void
}

/**
 * An agent on a WebSocket with what the published agents do: what is not acknowledged is sent again on the next
 * connection; a command that succeeded is remembered, and its repetition only acknowledged. Connects to the brains in turn.
 */
export const socketAgent = (
  keys: AgentKeys,
  bases: ReadonlyArray<string>,
  journal: Journal,
  number: number
): SoakAgent => {
  const unacked = new Map<string, Batch>()
  const succeeded = new Set<string>()
  const results = new Map<string, string>()
  let agent: TestAgent | null = null
  let isOver = false

  const send = (batch: Batch) => {
    agent?.sendEvents(batch.events, batch.id).then(() => {
      if (unacked.delete(batch.id)) journal.ack(batch)
    }, () => {}) // sent again on the next connection
  }
  const sendResults = (to: TestAgent) => {
    for (const [id, taskId] of results) {
      if (to.ws.readyState !== to.ws.OPEN) return
      results.delete(id)
      to.send("command_result", {
        status: "success",
        result: { task_id: taskId },
        error: null,
        delivery_claim_token: null
      }, id)
    }
  }
  const run = async () => {
    for (let turn = number; !isOver; turn++) {
      const base = bases[turn % bases.length] ?? ""
      const hello = { worker_id: `soak-${number}`, worker_role: "task" }
      const connected = await connectAgent({ base, token: keys.token, hmac_secret: keys.hmac_secret, hello }).catch(
        () => null
      )
      if (connected === null) {
        await sleep(200)
        continue
      }
      agent = connected
      journal.connections++
      const take = (command: ReceivedCommand) => {
        connected.ack(command)
        if (succeeded.has(keyOf(command))) {
          journal.repetitions++
          results.set(command.id, randomUUID())
          return sendResults(connected)
        }
        succeeded.add(keyOf(command))
        journal.execute(command)
        results.set(command.id, randomUUID())
        sendResults(connected)
      }
      connected.commands.forEach(take) // that came together with hello_ack
      connected.onCommand = take
      sendResults(connected)
      for (const batch of unacked.values()) send(batch)
      const beat = setInterval(() => {
        connected.heartbeat({ "celery.broker_connected": "True" })
        connected.status()
      }, heartbeatMillis)
      await connected.closed
      clearInterval(beat)
      agent = null
    }
  }
  void run()
  return {
    offer: (batch) => {
      journal.sent(batch)
      unacked.set(batch.id, batch)
      send(batch)
    },
    waiting: () => unacked.size,
    end: () => {
      isOver = true
      agent?.ws.terminate()
    }
  }
}

/** An agent by long-poll that sends events and takes no commands. A session of its own for each brain that it reaches. */
export const pollAgent = (keys: AgentKeys, bases: ReadonlyArray<string>, journal: Journal): SoakAgent => {
  const unacked = new Map<string, Batch>()
  let isOver = false
  const run = async () => {
    for (let turn = 0; !isOver; turn++) {
      const agent = longPoll({ base: bases[turn % bases.length] ?? "", ...keys })
      try {
        let response = await agent.probe()
        journal.connections++
        while (!isOver && response.status < 300) {
          const batches = [...unacked.values()].slice(0, 20)
          if (batches.length === 0) {
            await agent.pull(1)
            continue
          }
          response = await agent.push(batches.map(({ events, id }) => agent.seal("event_batch", { events }, id)))
          if (response.status >= 300) break
          for (const batch of batches) if (unacked.delete(batch.id)) journal.ack(batch)
        }
      } catch {
        // the brain was killed
      }
      await sleep(200)
    }
  }
  void run()
  return {
    offer: (batch) => {
      journal.sent(batch)
      unacked.set(batch.id, batch)
    },
    waiting: () => unacked.size,
    end: () => void (isOver = true)
  }
}
