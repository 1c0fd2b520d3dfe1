import { AgentId } from "../../../../src/domain/kernel/Id.ts"
/** The recorded event streams of the published agents (agents' protocol, "Vectors"), task by task. */
import { readdirSync, readFileSync } from "node:fs"
import { isTaskEventKind } from "../../../../src/domain/kernel/TaskState.ts"
import { parse, type Timestamp } from "../../../../src/domain/kernel/Timestamp.ts"
import { addEvent, emptyHistory, type History, type TaskEvent } from "../../../../src/domain/tasks/TaskHistory.ts"

const SEQUENCES = new URL("../../../protocol/vectors/sequences/", import.meta.url)

export interface RecordedTask {
  readonly sequence: string
  readonly taskId: string
  readonly events: ReadonlyArray<TaskEvent>
}

interface Recorded {
  /** The agent process that sent it, where several were recorded. */
  readonly process?: string
  readonly event: {
    readonly id: string
    readonly kind: string
    readonly engine: string
    readonly task_id: string
    readonly occurred_at: string
    readonly data: Record<string, unknown>
  }
}

export const AGENT = AgentId.make("00000000-0000-4000-8000-000000000001")

export const timestamp = (text: string): Timestamp => {
  const parsed = parse(text)
  if (parsed === undefined) throw new Error(`not a timestamp: ${text}`)
  return parsed
}

export const dataOf = (data: Record<string, unknown>): ReadonlyMap<string, string> =>
  new Map(Object.entries(data).map(([field, value]) => [field, JSON.stringify(value)]))

const load = (file: string): ReadonlyArray<RecordedTask> => {
  const stream: ReadonlyArray<Recorded> = JSON.parse(readFileSync(new URL(file, SEQUENCES), "utf8"))
  const tasks = new Map<string, Array<TaskEvent>>()
  for (const { event, process = "" } of stream) {
    if (!isTaskEventKind(event.kind) || event.task_id === "") continue
    const events = tasks.get(event.task_id) ?? []
    tasks.set(event.task_id, events)
    events.push({
      id: event.id,
      kind: event.kind,
      engine: event.engine,
      taskId: event.task_id,
      occurredAt: timestamp(event.occurred_at),
      agentId: AGENT,
      reporter: process,
      data: dataOf(event.data)
    })
  }
  return [...tasks].map(([taskId, events]) => ({ sequence: file.replace(".json", ""), taskId, events }))
}

export const recorded: ReadonlyArray<RecordedTask> = readdirSync(SEQUENCES).sort().flatMap(load)

/** The recorded task whose id begins so. */
export const task = (sequence: string, id: string): RecordedTask => {
  const found = recorded.find((one) => one.sequence === sequence && one.taskId.startsWith(id))
  if (found === undefined) throw new Error(`no task ${id} in ${sequence}`)
  return found
}

export const fold = (events: ReadonlyArray<TaskEvent>): History => {
  const history = emptyHistory()
  for (const event of events) addEvent(history, event)
  return history
}
