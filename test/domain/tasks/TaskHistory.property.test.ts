import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { AgentId } from "../../../src/domain/kernel/Id.ts"
import { TaskEventKind } from "../../../src/domain/kernel/TaskState.ts"
import { addSeconds } from "../../../src/domain/kernel/Timestamp.ts"
import {
  addEvent,
  analyse,
  computeTaskFields,
  countEnds,
  decode,
  emptyHistory,
  encode,
  type History,
  listFailedAttempts,
  type TaskEvent
} from "../../../src/domain/tasks/TaskHistory.ts"
import { idOf } from "../../ids.ts"
import { runs } from "../../properties.ts"
import { fold, recorded, timestamp } from "./TaskHistory/Recorded.ts"

const NOON = timestamp("2026-11-21T12:00:00Z")

/** What the row and the counters of a set of events are, as text: equal means byte-equal. */
const outcome = (events: ReadonlyArray<TaskEvent>): string => outcomeOf(fold(events))

const outcomeOf = (history: History): string =>
  JSON.stringify([computeTaskFields(history), countEnds(history), listFailedAttempts(history, analyse(history))])

/** As the writer does it: some events, stored; read back, some more. */
const foldInBatches = (events: ReadonlyArray<TaskEvent>, batch: number): string => {
  let text = encode(emptyHistory())
  for (let index = 0; index < events.length; index += batch) {
    const history = decode(text)
    for (const event of events.slice(index, index + batch)) addEvent(history, event)
    text = encode(history)
  }
  return text
}

const NULLED = ["queue", "worker", "args", "kwargs", "result", "runtime_ms", "exception", "exception_message", "reason"]

/** The same transition as another path reports it: another id, no name, a little earlier or later, hardly any fields. */
const secondPath = (event: TaskEvent, id: string, shiftMillis: number): TaskEvent => ({
  ...event,
  id,
  occurredAt: addSeconds(event.occurredAt, shiftMillis / 1000),
  data: new Map([
    ["task_name", JSON.stringify(`<unknown:${event.taskId.slice(0, 8)}>`)],
    ...NULLED.map((field) => [field, "null"] as const)
  ])
})

const isNamed = (event: TaskEvent): boolean => {
  let named = true
  event.data.forEach((json) => {
    if (json.startsWith("\"<unknown:")) named = false
  })
  return named
}

/**
 * Whether a transition that only the second path reports comes after the event. A copy may not change places with it: the
 * second path reports in order.
 */
const isOvertaken = (event: TaskEvent, events: ReadonlyArray<TaskEvent>): boolean =>
  events.some((other) =>
    other.occurredAt > event.occurredAt && !isNamed(other) &&
    !events.some((one) => one.kind === other.kind && isNamed(one))
  )

/** Reports of events again: re-sent, by another agent, on the second path. */
const echoes = (events: ReadonlyArray<TaskEvent>): fc.Arbitrary<ReadonlyArray<TaskEvent>> => {
  const some = fc.subarray([...events])
  const resent = some
  const copied = fc.array(fc.tuple(fc.constantFrom(...events), fc.uuid(), fc.uuid()), { maxLength: 6 }).map((copies) =>
    copies.map(([event, id, agentId]) => ({ ...event, id, agentId: AgentId.make(agentId), reporter: agentId }))
  )
  const named = events.filter((event) => isNamed(event) && !isOvertaken(event, events))
  const second = fc.subarray(named).chain((chosen) =>
    fc.tuple(
      ...chosen.map((event) =>
        fc.tuple(fc.uuid(), fc.oneof(fc.constant(0), fc.integer({ min: -40, max: 40 }))).map(([id, shift]) =>
          secondPath(event, id, shift)
        )
      )
    )
  )
  return fc.tuple(resent, copied, second).map((parts) => parts.flat())
}

const shuffle = <A>(values: ReadonlyArray<A>): fc.Arbitrary<ReadonlyArray<A>> =>
  fc.shuffledSubarray([...values], { minLength: values.length, maxLength: values.length })

const distinct = (
  events: ReadonlyArray<TaskEvent>
): ReadonlyArray<TaskEvent> => [...new Map(events.map((event) => [event.id, event])).values()]

/** One task of each form a stream takes; the rest repeat them. */
const tasks = [...new Map(
  recorded.map((task) => [
    `${task.sequence} ${task.events.map((event) => `${event.kind}${isNamed(event)}`).join()}`,
    { ...task, events: distinct(task.events) }
  ])
).values()]

/** Few moments, names, workers and values, so that events tie in every way they can. */
const anyEvent: fc.Arbitrary<TaskEvent> = fc.record({
  id: fc.uuid(),
  kind: fc.constantFrom(...TaskEventKind.literals),
  engine: fc.constant("celery"),
  taskId: fc.constant("t"),
  occurredAt: fc.integer({ min: 0, max: 3 }).map((seconds) => addSeconds(NOON, seconds)),
  agentId: fc.constantFrom(idOf(AgentId, "a"), idOf(AgentId, "b")),
  reporter: fc.constantFrom("", "p", "q"),
  data: fc.dictionary(
    fc.constantFrom("queue", "args", "result", "exception", "traceback", "runtime_ms", "priority", "parent_task_id"),
    fc.constantFrom("1", "2", "\"x\"", "\"high\"", "\"t\"", "null")
  ).chain((data) =>
    fc.constantFrom("\"n\"", "\"m\"", "\"<unknown:t>\"").map((name) =>
      new Map([...Object.entries(data), ["task_name", name]] as const)
    )
  )
})

describe("any set of events", () => {
  it("gives one text, whatever the order and the batches", () => {
    const run = fc.uniqueArray(anyEvent, { minLength: 1, maxLength: 12, selector: ({ id }) => id }).chain((events) =>
      fc.tuple(fc.constant(events), shuffle([...events, ...events]), fc.integer({ min: 1, max: 5 }))
    )
    fc.assert(
      fc.property(run, ([events, order, batch]) => {
        const text = encode(fold(events))
        assert.strictEqual(foldInBatches(order, batch), text)
        assert.strictEqual(
          JSON.stringify(computeTaskFields(decode(text))),
          JSON.stringify(computeTaskFields(fold(events)))
        )
      }),
      { numRuns: runs(300) }
    )
  })
})

describe.each(tasks)("$sequence $taskId", ({ events }) => {
  it("gives one row, one set of counters and one text, whatever the order and the batches", () => {
    const text = encode(fold(events))
    fc.assert(fc.property(shuffle(events), fc.integer({ min: 1, max: events.length }), (order, batch) => {
      assert.strictEqual(foldInBatches(order, batch), text)
      assert.strictEqual(outcome(order), outcome(events))
    }))
  })

  it("is not changed by repeated events, at any point of the stream", () => {
    const run = fc.integer({ min: 1, max: events.length }).map((length) => events.slice(0, length)).chain((part) =>
      fc.tuple(
        fc.constant(part),
        echoes(part).chain((again) => shuffle([...part, ...again])),
        fc.integer({ min: 1, max: 4 })
      )
    )
    fc.assert(
      fc.property(run, ([part, order, batch]) => {
        const history = decode(foldInBatches(order, batch))
        assert.strictEqual(outcomeOf(history), outcome(part))
      }),
      { numRuns: runs(100) }
    )
  })

  it("never counts more ends on the way than at the end", () => {
    fc.assert(fc.property(shuffle(events), fc.nat(events.length), (order, length) => {
      const final = countEnds(fold(events))
      Object.entries(countEnds(fold(order.slice(0, length)))).forEach(([kind, count]) =>
        assert.isAtMost(count, Object.entries(final).find(([other]) => other === kind)?.[1] ?? 0)
      )
    }))
  })
})
