import { AgentId } from "../src/domain/kernel/Id.ts"
/**
 * How fast events are folded: received, started and succeeded of many tasks, as the ingest writer does it.
 * Prints one line of JSON: events a second when the three arrive together and when each finds the stored text of those
 * before it, microseconds an event, and characters of stored history a task. Run: npx vite-node bench/history.ts
 */
import { randomUUID } from "node:crypto"
import { addSeconds, parse } from "../src/domain/kernel/Timestamp.ts"
import {
  addEvent,
  computeTaskFields,
  decode,
  emptyHistory,
  encode,
  type History,
  type TaskEvent
} from "../src/domain/tasks/TaskHistory.ts"

const TASKS = 20_000
const ROUNDS = 5
const START = parse("2026-11-21T06:00:00.000000Z")!
const AGENT = AgentId.make(randomUUID())

type Triple = readonly [TaskEvent, TaskEvent, TaskEvent]

const triple = (index: number): Triple => {
  const taskId = randomUUID()
  const event = (
    kind: TaskEvent["kind"],
    millis: number,
    data: ReadonlyArray<readonly [string, string]>
  ): TaskEvent => ({
    id: randomUUID(),
    kind,
    engine: "celery",
    taskId,
    occurredAt: addSeconds(START, index + millis / 1000),
    agentId: AGENT,
    reporter: "",
    data: new Map([...data].sort())
  })
  const unknown = ["task_name", `"<unknown:${taskId.slice(0, 8)}>"`] as const
  const broker = [unknown, ["queue", "null"], ["worker", "\"celery@host-a\""]] as const
  return [
    event("task.received", 0, [
      ["task_name", "\"shop.mail.send\""],
      ["queue", "\"mail\""],
      ["worker", "null"],
      ["args", `[${index},"order"]`],
      ["kwargs", "{\"template\":\"thanks\",\"token\":\"[REDACTED]\"}"],
      ["root_task_id", `"${taskId}"`]
    ]),
    event("task.started", 5, [...broker, ["args", "null"], ["kwargs", "null"]]),
    event("task.succeeded", 20, [...broker, ["result", "\"'sent'\""], ["runtime_ms", "15"]])
  ]
}

const together = ([received, started, succeeded]: Triple): string => {
  const history = emptyHistory()
  addEvent(history, received)
  addEvent(history, started)
  addEvent(history, succeeded)
  computeTaskFields(history)
  return encode(history)
}

const oneByOne = (events: Triple): string => {
  let text: string | undefined
  for (const event of events) {
    const history: History = text === undefined ? emptyHistory() : decode(text)
    addEvent(history, event)
    computeTaskFields(history)
    text = encode(history)
  }
  return text!
}

/** The median of some rounds, in seconds; the first warms up. */
const seconds = (work: () => void): number => {
  const times: Array<number> = []
  for (let round = 0; round <= ROUNDS; round++) {
    const start = performance.now()
    work()
    if (round > 0) times.push((performance.now() - start) / 1000)
  }
  return times.sort((left, right) => left - right)[ROUNDS >> 1]!
}

const triples = Array.from({ length: TASKS }, (_, index) => triple(index))
const events = TASKS * 3
const a = seconds(() => triples.forEach(together))
const b = seconds(() => triples.forEach(oneByOne))
const characters = triples.slice(0, 100).reduce((sum, events) => sum + together(events).length, 0) / 100

console.log(JSON.stringify({
  bench: "history",
  together_events_per_s: Math.round(events / a),
  together_us_per_event: Number((a / events * 1e6).toFixed(2)),
  one_by_one_events_per_s: Math.round(events / b),
  one_by_one_us_per_event: Number((b / events * 1e6).toFixed(2)),
  history_chars_per_task: Math.round(characters)
}))
