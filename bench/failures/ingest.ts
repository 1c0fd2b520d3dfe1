import { Context, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { ProjectId } from "../../src/domain/Id.ts"
import type { AgentEvent } from "../../src/domain/TaskEvent.ts"
import { Ingest } from "../../src/services/Ingest.ts"
import { Settings } from "../../src/services/Settings.ts"
import { eventsOfTask, inFrames, offerAll } from "../ingest/writer.ts"

const share = 0.1
const frame = 99
const inFlight = 32
const rounds = 8

/** A traceback of a Celery task: frames of the library, then two of its own code. */
const traceback = (place: number) =>
  [
    "Traceback (most recent call last):",
    `  File "/venv/lib/python3.12/site-packages/celery/app/trace.py", line 453, in trace_task`,
    "    R = retval = fun(*args, **kwargs)",
    `  File "/app/shop/tasks.py", line 41, in pay`,
    "    return charge(order)",
    `  File "/app/shop/step${String.fromCharCode(97 + place % 26)}.py", line 17, in charge_${
      String.fromCharCode(97 + Math.floor(place / 26) % 26)
    }`,
    `    raise ValueError("no such order")`,
    "ValueError: no such order"
  ].join("\n")

/** One task in ten fails; the failed ones are of `groups` groups in turns. */
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
        traceback: JSON.stringify(traceback((number / every) % groups))
      })
      : event("task.succeeded", 9500, { ...common, result: "\"'ok'\"", runtime_ms: "8" })
  ]
}

/**
 * Events a second with 10 % failing tasks, in turns over one database: without the groups' writes (none is admitted),
 * with the failures in 600 groups, and with all in one, whose row each transaction waits for on PostgreSQL.
 */
export const measureIngest = (tasks: number) =>
  Effect.gen(function*() {
    const grouping = yield* Ingest
    const none = Layer.succeed(Settings, { ...yield* Settings, failureGroupsPerProject: 0 })
    const plain = Context.get(yield* Layer.build(Layer.fresh(Ingest.layer).pipe(Layer.provide(none))), Ingest)
    const cases = [
      { name: "without", ingest: plain, groups: 600 },
      { name: "many", ingest: grouping, groups: 600 },
      { name: "one", ingest: grouping, groups: 1 }
    ].map((one) => ({ ...one, projectId: ProjectId.make(randomUUID()), seconds: 0 }))
    for (let round = 0; round <= rounds; round++) {
      for (const one of cases) {
        const tasksOfRound = Array.from({ length: Math.ceil(tasks / rounds) }, (_, at) => eventsOf(at, one.groups))
        const frames = inFrames(tasksOfRound.flat(), frame)
        const begun = performance.now()
        yield* offerAll(one.ingest, one.projectId, frames, inFlight)
        if (round > 0) one.seconds += (performance.now() - begun) / 1000 // the first round warms up
      }
    }
    const rates = Object.fromEntries(cases.map(({ name, seconds }) => [name, Math.round((tasks * 3) / seconds)]))
    return {
      tasks,
      share,
      eventsPerSecond: rates,
      manyOfWithout: Number((rates.many! / rates.without!).toFixed(2)),
      oneOfWithout: Number((rates.one! / rates.without!).toFixed(2))
    }
  })
