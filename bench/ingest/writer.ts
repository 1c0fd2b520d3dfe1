import { Context, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { AgentId, type ProjectId } from "../../src/domain/kernel/Id.ts"
import type { AgentEvent } from "../../src/domain/kernel/TaskEvent.ts"
import { fromEpochMicros } from "../../src/domain/kernel/Timestamp.ts"
import { RowCaps } from "../../src/services/kernel/sql/RowCaps.ts"
import { Ingest } from "../../src/services/tasks/Ingest.ts"
import { CountsRollups } from "../../src/services/tasks/Rollups/CountsRollups.ts"
import { RollupMerge } from "../../src/services/tasks/Rollups/Merge.ts"
import { TaskChanges } from "../../src/services/tasks/TaskChanges.ts"
import { auditLog } from "../../test/services/audit/layer.ts"

/** The ingest's writer without sockets. */
export const writer = Ingest.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(TaskChanges.layer, RowCaps.layer, RollupMerge.layer)),
  Layer.provideMerge(auditLog)
)

/** A second writer to the same database, which counts no rollups. */
export const writerWithoutRollups = Effect.map(
  Layer.build(Layer.fresh(Ingest.layer).pipe(Layer.provide(Layer.succeed(CountsRollups, false)))),
  (context) => Context.get(context, Ingest)
)

/** When task 0 was received, in microseconds since 1970; each further one is received a millisecond later. */
export const begin = 1_795_243_586_000_000

/** Makes events of one new task; `offset` is in microseconds from its receipt, the texts in `data` are JSON. */
export const eventsOfTask =
  (number: number, taskId: string) =>
  (kind: AgentEvent["kind"], offset: number, data: Readonly<Record<string, string>>): AgentEvent => ({
    id: randomUUID(),
    kind,
    engine: "celery",
    taskId,
    occurredAt: fromEpochMicros(begin + number * 1000 + offset),
    data: new Map(Object.entries(data))
  })

/** The three events of a task that succeeds or fails. */
export const eventsOfEnd = (number: number, taskName: string, fails: boolean): ReadonlyArray<AgentEvent> => {
  const event = eventsOfTask(number, randomUUID())
  const worker = `"w${number % 4}@host"`
  const common = { task_name: JSON.stringify(taskName), queue: "\"celery\"" }
  return [
    event("task.received", 0, { ...common, args: `[${number},"order"]`, kwargs: `{"currency":"EUR"}`, worker: "null" }),
    event("task.started", 1500, { ...common, worker }),
    fails
      ? event("task.failed", 9500, {
        ...common,
        worker,
        exception: "\"ValueError\"",
        exception_message: "\"no such order\""
      })
      : event("task.succeeded", 9500, { ...common, worker, result: "\"'ok'\"", runtime_ms: "8" })
  ]
}

type Frames = ReadonlyArray<ReadonlyArray<AgentEvent>>

export const inFrames = (events: ReadonlyArray<AgentEvent>, size: number): Frames =>
  Array.from({ length: Math.ceil(events.length / size) }, (_, at) => events.slice(at * size, (at + 1) * size))

/** Offers every frame, `inFlight` at a time, until all are settled; adds the milliseconds that each waited. */
export const offerAll = (
  { offer }: Ingest["Type"],
  projectId: ProjectId,
  frames: Frames,
  inFlight: number,
  waits: Array<number> = []
) =>
  Effect.async<void>((resume) => {
    const agentId = AgentId.make(randomUUID())
    let next = 0
    let settled = 0
    const more = () => {
      while (next < frames.length && next - settled < inFlight) {
        const offered = performance.now()
        const onCommit = () => {
          waits.push(performance.now() - offered)
          if (++settled === frames.length) resume(Effect.void)
          else setImmediate(more)
        }
        const events = frames[next++]!
        const taken = offer({ projectId, agentId, reporter: "bench", events, size: events.length * 400, onCommit })
        if (!taken) throw new Error("the queue is full")
      }
    }
    more()
  })
