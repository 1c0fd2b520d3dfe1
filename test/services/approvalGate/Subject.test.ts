import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { findDifference, makeQueueSelection, makeTaskSelection } from "../../../src/services/approvalGate/Subject.ts"

const differs = (then: Readonly<Record<string, number | null>>, now: Readonly<Record<string, number | null>>) =>
  Option.getOrNull(findDifference(makeQueueSelection("slow", then), makeQueueSelection("slow", now)))

describe("what an approved purge takes", () => {
  it("is at most what was there at the request", () => {
    assert.isNull(differs({ celery: 12 }, { celery: 12 }))
    assert.isNull(differs({ celery: 12 }, { celery: 3 }))
    assert.include(differs({ celery: 12 }, { celery: 13 }), "celery: 12 then, 13 now")
  })

  it("is nothing of which the person who decides could not read how much it is", () => {
    assert.include(differs({}, { celery: 1200 }), "celery: unknown then, 1200 now")
    assert.include(differs({ celery: null }, { celery: 1200 }), "celery: unknown then, 1200 now")
    assert.include(differs({ celery: 5 }, { celery: 5, rq: 8 }), "rq: unknown then, 8 now")
    assert.isNull(differs({}, { celery: 0 }))
  })

  it("may be a queue whose depth is unknown then and now: nothing says that it is more", () => {
    assert.isNull(differs({ celery: null }, { celery: null }))
    assert.isNull(differs({ celery: 12 }, {}))
    assert.include(differs({ celery: 12 }, { celery: null }), "celery: 12 then, unknown now")
  })
})

describe("what an approved action on tasks takes", () => {
  it("is at most as many as there were; if they were too many to count, they still are", () => {
    assert.isTrue(Option.isNone(findDifference(makeTaskSelection(null), makeTaskSelection(9000))))
    assert.isTrue(Option.isNone(findDifference(makeTaskSelection(null), makeTaskSelection(null))))
    assert.include(
      Option.getOrNull(findDifference(makeTaskSelection(40), makeTaskSelection(null))),
      "40 then, too many to count now"
    )
  })
})
