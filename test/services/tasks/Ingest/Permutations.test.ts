import type { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Runtime } from "effect"
import * as fc from "fast-check"
import { isLosslessNumber, parse as parseLossless } from "lossless-json"
import { randomUUID } from "node:crypto"
import { AgentId, type ProjectId } from "../../../../src/domain/kernel/Id.ts"
import type { AgentEvent } from "../../../../src/domain/kernel/TaskEvent.ts"
import { addSeconds } from "../../../../src/domain/kernel/Timestamp.ts"
import type { Projects } from "../../../../src/services/identity/Projects.ts"
import type { Ingest } from "../../../../src/services/tasks/Ingest.ts"
import type { RollupMerge } from "../../../../src/services/tasks/Rollups/Merge.ts"
import type { TriggerEvents } from "../../../../src/services/triggers/TriggerEvents.ts"
import { brainOn, freshProject } from "../../../brain.ts"
import { engines } from "../../../databases.ts"
import { runs } from "../../../properties.ts"
import { rollupsOfTasks, unlimitedRollups } from "../../../rollups.ts"
import { insertPath, readValues } from "../../../searchablePaths.ts"
import { recordedEvents, subscribe, watchOutbox } from "../../triggers/TriggerEvents/world.ts"
import { offerEvents, readHistories, readRecording, readState, sequences } from "./world.ts"

/** The same transition as another path reports it: another id, no name, a little later, hardly any fields. */
const secondPath = (event: AgentEvent, shiftMillis: number): AgentEvent => ({
  ...event,
  id: randomUUID(),
  occurredAt: addSeconds(event.occurredAt, shiftMillis / 1000),
  data: new Map([
    ["task_name", JSON.stringify(`<unknown:${event.taskId.slice(0, 8)}>`)],
    ["worker", "null"],
    ["args", "null"]
  ])
})

const isNamed = (event: AgentEvent): boolean => {
  let named = event.kind.startsWith("task.")
  event.data.forEach((json) => {
    if (json.startsWith("\"<unknown:")) named = false
  })
  return named
}

/** Whether a transition that only the second path reports comes after it: a copy may not change places with that one. */
const isOvertaken = (event: AgentEvent, events: ReadonlyArray<AgentEvent>): boolean => {
  const ofTask = events.filter(({ taskId }) => taskId === event.taskId)
  return ofTask.some((other) =>
    other.occurredAt > event.occurredAt && !isNamed(other) &&
    !ofTask.some((one) => one.kind === other.kind && isNamed(one))
  )
}

const shuffle = <A>(values: ReadonlyArray<A>) =>
  fc.shuffledSubarray([...values], { minLength: values.length, maxLength: values.length })

/** The events in some order, some of them again, split into frames. */
const deliveries = (events: ReadonlyArray<AgentEvent>, echoes: ReadonlyArray<AgentEvent>) =>
  fc.subarray([...events]).chain((again) => shuffle([...events, ...again, ...echoes])).chain((all) =>
    fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }).map((sizes) => {
      const frames: Array<ReadonlyArray<AgentEvent>> = []
      for (let position = 0, index = 0; position < all.length; index++) {
        const size = sizes[index % sizes.length]!
        frames.push(all.slice(position, position + size))
        position += size
      }
      return frames
    })
  )

/** A project that subscribes to every end of a task. */
const subscribedProject = Effect.gen(function*() {
  const project = yield* freshProject()
  for (const trigger of ["task.failed", "task.succeeded", "task.retried", "task.retries_exhausted"] as const) {
    yield* subscribe(project.id, trigger)
  }
  return project
})

/** Which ends of which tasks are in the outbox. */
const outbox = (projectId: ProjectId) =>
  Effect.map(
    recordedEvents(projectId),
    (events) =>
      events.flatMap(({ occurrences, trigger }) => occurrences.map(({ task_id }) => `${task_id} ${trigger}`)).sort()
  )

const paths = ["args.0", "args.1", "kwargs.b", "kwargs.email", "kwargs.pi", "result.big", "result.f", "result.token"]

/** The paths at the names of these tasks. The brain's loop finds none to fill. */
const makeSearchable = (projectId: ProjectId, tasks: Tasks) =>
  Effect.forEach(
    new Set(tasks.map(({ name }) => name)),
    (name) => Effect.forEach(paths, (path) => insertPath(projectId, String(name), path)),
    { discard: true }
  )

type Tasks = ReadonlyArray<Readonly<Record<string, unknown>>>

/** What the index of these rows has. The recordings have no texts with escapes at these places. */
const valuesOf = (tasks: Tasks) =>
  tasks.flatMap(({ name, task_id, ...task }) =>
    paths.flatMap((path) => {
      const [column = "", member = ""] = path.split(".")
      const whole = parseLossless(String(task[column] ?? "null"))
      const value: unknown = typeof whole === "object" && whole !== null
        ? Object.entries(whole).find(([key]) => key === member)?.[1]
        : undefined
      return value === undefined || (typeof value === "object" && value !== null && !isLosslessNumber(value)) ||
          value === "[REDACTED]" || value === ""
        ? []
        : [`${String(name)} ${path} ${String(value)} ${String(task_id)}`]
    })
  ).sort()

describe.each(engines)("any order, repetition, second path and batching on %s", (engine) => {
  const withWatch = Layer.effectDiscard(watchOutbox).pipe(
    Layer.provideMerge(brainOn(engine, { ingestBatchEvents: 25, ...unlimitedRollups }))
  )
  layer(withWatch, { excludeTestServices: true })((it) => {
    it.effect.each(sequences)(
      "of %s ends in the same rows, counts, facets, workers, queues, failure groups and trigger events",
      (name) =>
        Effect.gen(function*() {
          const runtime = yield* Effect.runtime<SqlClient.SqlClient | Ingest | Projects | RollupMerge | TriggerEvents>()
          const agentId = AgentId.make(randomUUID())
          const events = readRecording(name)
          const straight = yield* subscribedProject
          const outcome = yield* offerEvents({ projectId: straight.id, agentId }, events)
          assert.deepStrictEqual(outcome, { accepted: events.length, rejected: 0 })
          const expected = yield* readState(straight.id)
          assert.deepStrictEqual(expected.counts, expected.counted)
          assert.deepStrictEqual(expected.rollups, yield* rollupsOfTasks(straight.id))
          const expectedOutbox = yield* outbox(straight.id)
          yield* offerEvents({ projectId: straight.id, agentId }, events)
          assert.deepStrictEqual(yield* outbox(straight.id), expectedOutbox, "a repetition adds none")
          const expectedHistories = yield* readHistories(straight.id)

          const deliver = (frames: ReadonlyArray<ReadonlyArray<AgentEvent>>, withHistories: boolean) =>
            Effect.gen(function*() {
              const project = yield* subscribedProject
              yield* makeSearchable(project.id, expected.tasks)
              // a few at a time, so that some share a transaction and some do not
              const outcomes = yield* Effect.forEach(
                frames,
                (frame) => offerEvents({ projectId: project.id, agentId }, frame),
                { concurrency: 3 }
              )
              assert.isTrue(outcomes.every(({ rejected }) => rejected === 0))
              assert.deepStrictEqual(yield* readState(project.id), expected)
              assert.deepStrictEqual(yield* readValues(project.id), valuesOf(expected.tasks))
              const found = yield* outbox(project.id)
              if (withHistories || name.startsWith("celery")) assert.deepStrictEqual(found, expectedOutbox)
              // only Celery has a second path: elsewhere its copies can look like an end of their own
              else assert.deepStrictEqual([...new Set(found)], [...new Set(expectedOutbox)])
              if (withHistories) assert.deepStrictEqual(yield* readHistories(project.id), expectedHistories)
            })

          const run = Runtime.runPromise(runtime)
          const always = (frames: fc.Arbitrary<ReadonlyArray<ReadonlyArray<AgentEvent>>>, withHistories: boolean) =>
            Effect.promise(() =>
              fc.assert(
                fc.asyncProperty(frames, (frames) => run(Effect.orDie(deliver(frames, withHistories)))),
                { numRuns: runs(2), endOnFailure: true }
              )
            )
          yield* always(deliveries(events, []), true)
          const echoes = fc.subarray(events.filter((event) => isNamed(event) && !isOvertaken(event, events))).chain((
            chosen
          ) =>
            fc.array(fc.integer({ min: 0, max: 40 }), { minLength: chosen.length, maxLength: chosen.length })
              .map((shifts) => chosen.map((event, index) => secondPath(event, shifts[index]!)))
          )
          yield* always(echoes.chain((copies) => deliveries(events, copies)), false)
        })
    )
  })
})
