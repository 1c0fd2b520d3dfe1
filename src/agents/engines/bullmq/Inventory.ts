import type { JobSchedulerJson, Queue } from "bullmq"
import { Effect } from "effect"
import type { ActionFailed, Inventory, ScheduleInventory, WorkerInventory } from "../../runtime/Engine.ts"
import { read, refuse } from "./Broker.ts"
import { argumentsOf } from "./Data.ts"
import { depthOf } from "./QueueActions.ts"
import type { Site } from "./Site.ts"

/** Asked at each heartbeat: two questions a queue. A store that is away is told, not waited for. */
export const inventoryOf = (
  site: Site,
  workers: Effect.Effect<ReadonlyArray<WorkerInventory>, ActionFailed>
): Effect.Effect<Inventory> => {
  const there = Effect.gen(function*() {
    const queues = yield* Effect.forEach([...site.queues.values()], (queue) =>
      Effect.all({ name: Effect.succeed(queue.name), depth: depthOf(queue), schedules: schedulesOf(queue) }), {
      concurrency: "unbounded"
    })
    return {
      brokerType,
      brokerConnected: true,
      queueDepths: Object.fromEntries(queues.map(({ depth, name }) => [name, depth])),
      workers: yield* workers,
      schedules: queues.flatMap(({ schedules }) => schedules)
    }
  })
  const known = Effect.timeout(whileUp(site, workers), "2 seconds")
  const away = Effect.map(Effect.orElseSucceed(known, () => []), (workers) => ({
    brokerType,
    brokerConnected: false,
    queueDepths: {},
    workers,
    schedules: []
  }))
  return Effect.catchAll(Effect.timeoutFail(whileUp(site, there), { duration: "5 seconds", onTimeout: () => "away" }), () => away)
}

const brokerType = "redis"

/**
 * Fails once a connection is down, where the question would wait until it is back. `wait`: the first question makes
 * the connection.
 */
const whileUp = <A>(site: Site, question: Effect.Effect<A, ActionFailed>): Effect.Effect<A, ActionFailed> => {
  const look = Effect.suspend(() =>
    Effect.forEach([...site.queues.values()], (queue) =>
      Effect.flatMap(read(() => queue.getBackend().client), ({ status }) =>
        status === "ready" || status === "wait" ? Effect.void : refuse(`the connection to Redis is ${status}`)), {
      discard: true
    })
  )
  return Effect.raceFirst(question, Effect.forever(Effect.zipRight(look, Effect.sleep("100 millis"))))
}

const mostSchedules = 1000

const schedulesOf = (queue: Queue) =>
  Effect.map(read(() => queue.getJobSchedulers(0, mostSchedules - 1, true)), (schedulers) =>
    schedulers.map((scheduler) => scheduleOf(queue.name, scheduler)))

/** A job scheduler runs the jobs of its own name unless its template has another. Whether it ever ran is not kept. */
const scheduleOf = (queue: string, scheduler: JobSchedulerJson): ScheduleInventory => ({
  name: `${queue}:${scheduler.key}`,
  task_name: scheduler.name,
  kind: scheduler.every === undefined ? "cron" : "interval",
  expression: scheduler.every === undefined ? scheduler.pattern ?? "" : secondsText(Number(scheduler.every) / 1000),
  timezone: scheduler.tz ?? "UTC",
  queue,
  ...argumentsOf(scheduler.template?.data),
  next_run_at: scheduler.next ?? null,
  last_run_at: null,
  total_runs: Math.max(Number(scheduler.iterationCount ?? 0), 0)
})

/** As the agents' protocol writes an interval: `30.0`. */
const secondsText = (seconds: number): string => Number.isInteger(seconds) ? seconds.toFixed(1) : String(seconds)
