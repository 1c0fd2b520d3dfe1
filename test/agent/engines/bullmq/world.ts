import { type ConnectionOptions, type Job, type JobsOptions, Queue, Worker, type WorkerOptions } from "bullmq"
import { Effect } from "effect"
import { Redis } from "ioredis"
import { randomBytes } from "node:crypto"
import type { Engine, EngineEvent } from "../../../../src/agent/runtime/Engine.ts"
import { until } from "../../../until.ts"

export const connection = { host: "127.0.0.1", port: 6379 }

type Processor = (job: Job, token?: string, signal?: AbortSignal) => Promise<unknown>

/** Queues and workers under a prefix of their own, which is wiped with the scope. */
export const bull = Effect.gen(function*() {
  const prefix = `test-${randomBytes(6).toString("hex")}`
  const redis = yield* Effect.acquireRelease(
    Effect.sync(() => new Redis(connection)),
    (redis) =>
      Effect.promise(async () => {
        const keys = await redis.keys(`${prefix}:*`)
        if (keys.length > 0) await redis.del(...keys)
        redis.disconnect()
      })
  )
  const queue = (name: string, connectionOptions: ConnectionOptions = connection) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const created = new Queue(name, { connection: connectionOptions, prefix })
        created.on("error", () => undefined)
        return created
      }),
      (queue) => Effect.promise(() => queue.close())
    )
  const worker = (name: string, processor: Processor, options: Partial<WorkerOptions> = {}) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const created = new Worker(name, processor, { connection, prefix, ...options })
        created.on("error", () => undefined)
        return created
      }),
      (worker) => Effect.promise(() => worker.close(true))
    )
  return { prefix, redis, queue, worker }
})

/** Starts the engine and collects what it reports. */
export const listening = (engine: Engine) =>
  Effect.gen(function*() {
    const events: Array<EngineEvent> = []
    yield* engine.start((event) => events.push(event))
    return {
      events,
      of: (taskId: string) => events.filter((event) => event.taskId === taskId),
      /** Waits for an event of the task, and returns its events. */
      awaitEvents: (taskId: string, kind: EngineEvent["kind"], times = 1) =>
        until(
          Effect.sync(() => events.filter((event) => event.taskId === taskId)),
          (eventsOfTask) => eventsOfTask.filter((event) => event.kind === kind).length >= times
        )
    }
  })

export const kinds = (events: ReadonlyArray<EngineEvent>) => events.map((event) => event.kind)

export const add = (queue: Queue, name: string, data: unknown, options?: JobsOptions) =>
  Effect.promise(() => queue.add(name, data, options))

/** A promise that a test keeps open until it lets it go. */
export const gate = () => {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open: () => open() }
}
