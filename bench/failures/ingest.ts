import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { ProjectId } from "../../src/domain/kernel/Id.ts"
import type { AgentEvent } from "../../src/domain/kernel/TaskEvent.ts"
import { Settings, type SettingsShape } from "../../src/services/kernel/Settings.ts"
import { Ingest } from "../../src/services/tasks/Ingest.ts"
import { eventsOfTask, inFrames, offerAll } from "../ingest/writer.ts"

const share = 0.1
const frame = 99
const inFlight = 32
const rounds = 8

/** Letters only: digits of a name do not tell groups apart. */
const wordOf = (place: number): string => place.toString(26).replace(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)]!)

/** A traceback of a Celery task: frames of the library, then two of its own code. */
const traceback = (place: number) =>
  [
    "Traceback (most recent call last):",
    `  File "/venv/lib/python3.12/site-packages/celery/app/trace.py", line 453, in trace_task`,
    "    R = retval = fun(*args, **kwargs)",
    `  File "/app/shop/tasks.py", line 41, in pay`,
    "    return charge(order)",
    `  File "/app/shop/steps.py", line 17, in charge_${wordOf(place)}`,
    `    raise ValueError("no such order")`,
    "ValueError: no such order"
  ].join("\n")

let places = 0

/** One task in ten fails; the failed ones are of `groups` groups in turns, or each of its own. */
const eventsOf = (number: number, groups: number): ReadonlyArray<AgentEvent> => {
  const event = eventsOfTask(number, randomUUID())
  const every = Math.round(1 / share)
  const common = { task_name: "\"shop.pay\"", queue: "\"celery\"", worker: `"w${number % 4}@host"` }
  return [
    event("task.received", 0, { ...common, args: `[${number},"order"]`, kwargs: `{"currency":"EUR"}`, worker: "null" }),
    event("task.started", 1500, common),
    number % every === 0
      ? event("task.failed", 9500, {
        ...common,
        exception: "\"ValueError\"",
        exception_message: "\"no such order\"",
        traceback: JSON.stringify(traceback(groups === Infinity ? places++ : (number / every) % groups))
      })
      : event("task.succeeded", 9500, { ...common, result: "\"'ok'\"", runtime_ms: "8" })
  ]
}

const framesOf = (count: number, groups: number) =>
  inFrames(Array.from({ length: count }, (_, at) => eventsOf(at, groups)).flat(), frame)

const megabytesInUse = (): number => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
  return Math.round(process.memoryUsage().heapUsed / 1e6)
}

/** Another writer, as of another replica. */
const anotherWriter = (settings: Partial<SettingsShape> = {}) =>
  Effect.gen(function*() {
    const given = Layer.succeed(Settings, { ...yield* Settings, ...settings })
    return Context.get(yield* Layer.build(Layer.fresh(Ingest.layer).pipe(Layer.provide(given))), Ingest)
  })

/** Events a second of two writers at once. */
const measureTwo = (
  writers: readonly [Ingest["Type"], Ingest["Type"]],
  tasks: number,
  projects: readonly [ProjectId, ProjectId],
  groups: number
) =>
  Effect.gen(function*() {
    const frames = writers.map(() => framesOf(Math.ceil(tasks / 2), groups))
    const begun = performance.now()
    yield* Effect.all(
      writers.map((writer, at) => offerAll(writer, projects[at]!, frames[at]!, inFlight)),
      { concurrency: "unbounded" }
    )
    return Math.round((tasks * 3) / ((performance.now() - begun) / 1000))
  })

/**
 * Events a second with 10 % failing tasks, in turns over one database: without the groups' writes (none is admitted),
 * with the failures in 600 groups, with all in one, and in a flood where each has a place of its own, most of them over
 * the cap. `heap`: MB in use before and after the flood. On PostgreSQL also two writers at once, as of two replicas: each
 * with 600 groups of its own, both with the same 600, both with the same one.
 */
export const measureIngest = (tasks: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const grouping = yield* Ingest
    const cases = [
      { name: "without", ingest: yield* anotherWriter({ failureGroupsPerProject: 0 }), groups: 600 },
      { name: "many", ingest: grouping, groups: 600 },
      { name: "one", ingest: grouping, groups: 1 },
      { name: "flood", ingest: yield* anotherWriter({ failureGroupsPerProject: 1000 }), groups: Infinity }
    ].map((one) => ({ ...one, projectId: ProjectId.make(randomUUID()), seconds: 0 }))
    let heap = { before: 0, after: 0 }
    for (let round = 0; round <= rounds; round++) {
      const first = round % cases.length // each is the first one in turns
      for (const one of [...cases.slice(first), ...cases.slice(0, first)]) {
        const frames = framesOf(Math.ceil(tasks / rounds), one.groups)
        const begun = performance.now()
        yield* offerAll(one.ingest, one.projectId, frames, inFlight)
        if (round > 0) one.seconds += (performance.now() - begun) / 1000 // the first round warms up
      }
      heap = { before: round === 1 ? megabytesInUse() : heap.before, after: megabytesInUse() }
    }
    const rates = Object.fromEntries(cases.map(({ name, seconds }) => [name, Math.round((tasks * 3) / seconds)]))
    const ofWithout = (name: string) => Number((rates[name]! / rates.without!).toFixed(2))
    const two = yield* sql.onDialectOrElse({
      orElse: () => Effect.succeed(null),
      pg: () =>
        Effect.gen(function*() {
          const writers = [grouping, yield* anotherWriter()] as const
          const [first, second] = [ProjectId.make(randomUUID()), ProjectId.make(randomUUID())]
          const apart = yield* measureTwo(writers, tasks, [first, second], 600)
          const many = yield* measureTwo(writers, tasks, [first, first], 600)
          const one = yield* measureTwo(writers, tasks, [second, second], 1)
          const [row] = yield* sql<{ n: number }>`SELECT deadlocks::int AS n FROM pg_stat_database
            WHERE datname = current_database()`
          return { apart, many, one, deadlocks: row?.n }
        })
    })
    return {
      tasks,
      share,
      eventsPerSecond: rates,
      manyOfWithout: ofWithout("many"),
      oneOfWithout: ofWithout("one"),
      floodOfWithout: ofWithout("flood"),
      heap,
      ...(two !== null && { two })
    }
  })
