import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { addSeconds } from "../../../../src/domain/kernel/Timestamp.ts"
import { type TaskEnds } from "../../../../src/domain/tasks/Fold.ts"
import * as TaskHistory from "../../../../src/domain/tasks/TaskHistory.ts"
import { countTaskEnds, findNewEnds, noTaskEnds } from "../../../../src/services/tasks/Ingest/TaskEnds.ts"
import { recorded, task } from "../../../domain/tasks/TaskHistory/Recorded.ts"

const endsOf = (history: TaskHistory.History): TaskEnds => {
  const analysis = TaskHistory.analyse(history)
  const failed = TaskHistory.listFailedAttempts(history, analysis)
  const ends = countTaskEnds(history, analysis, failed, TaskHistory.computeTaskFields(history, analysis).state)
  return { ...ends, lost: 0 } // a start that arrives before an earlier attempt's end looks like a lost worker
}

/** The ends that the outbox gets when the events arrive one by one. */
const recordEnds = (events: ReadonlyArray<TaskHistory.TaskEvent>): TaskEnds => {
  const history = TaskHistory.emptyHistory()
  let before = noTaskEnds
  let sum = noTaskEnds
  for (const event of events) {
    TaskHistory.addEvent(history, event)
    const after = endsOf(history)
    const found = findNewEnds(before, after) ?? noTaskEnds
    sum = {
      succeeded: sum.succeeded + found.succeeded,
      retried: sum.retried + found.retried,
      failed: sum.failed + found.failed,
      exhausted: sum.exhausted + found.exhausted,
      lost: 0
    }
    before = after
  }
  return sum
}

const shuffle = <A>(values: ReadonlyArray<A>) =>
  fc.shuffledSubarray([...values], { minLength: values.length, maxLength: values.length })

const isNamed = ({ data }: TaskHistory.TaskEvent): boolean => {
  let named = true
  data.forEach((json) => {
    if (json.startsWith("\"<unknown")) named = false
  })
  return named
}

describe("the ends of a task in the outbox", () => {
  it.each([...new Set(recorded.map(({ sequence }) => sequence))])("of %s are the same in any order", (sequence) => {
    for (const { events, taskId } of recorded.filter((one) => one.sequence === sequence)) {
      const expected = recordEnds(events)
      fc.assert(
        fc.property(shuffle(events), (order) => assert.deepStrictEqual(recordEnds(order), expected, taskId)),
        { numRuns: 30 }
      )
    }
  })

  it("are the same where copies of the second path come twice, and before their originals", () => {
    const { events, taskId } = task("celery-solo", "f90a4c")
    const named = events.filter(isNamed)
    const copies = named.map((event, index) => ({
      ...event,
      id: `${taskId}-${index}`,
      occurredAt: addSeconds(event.occurredAt, 0.03),
      data: new Map([["task_name", "\"<unknown:f90a4c>\""], ["worker", "null"]])
    }))
    const expected = recordEnds(events)
    assert.deepStrictEqual(expected, { succeeded: 0, retried: 1, failed: 1, exhausted: 1, lost: 0 })
    fc.assert(
      fc.property(shuffle([...events, ...copies]), (order) => assert.deepStrictEqual(recordEnds(order), expected)),
      { numRuns: 500 }
    )
  })
})
