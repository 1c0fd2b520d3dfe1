import { assert, describe, it } from "@effect/vitest"
import { describeDifference } from "../../../src/domain/tasks/Difference.ts"
import { readLeaves } from "../../../src/domain/tasks/Difference/Leaves.ts"
import {
  compareTasks,
  pickSample,
  PropertyCounter,
  type TaskProperties
} from "../../../src/domain/tasks/Difference/Properties.ts"
import { type PropertyCount, rankDifferences } from "../../../src/domain/tasks/Difference/Rank.ts"
import { uuidv7 } from "../../../src/services/kernel/Ids.ts"

const task = (fields: Partial<TaskProperties> = {}): TaskProperties => ({
  worker_name: "worker-1",
  queue: "pay",
  started: "2026-03-10T12:00:00.000000Z",
  version: "1.0",
  runtime_ms: 100,
  args: "[]",
  kwargs: "{}",
  ...fields
})

describe("differences of tasks", () => {
  it("arguments are compared by their place, without masked, deep, long and further ones", () => {
    const leaves = readLeaves({
      args: `["eu",{"id":7},[1.0]]`,
      kwargs: `{"a.b":null,"card":"[REDACTED]","is":true,"q":"a\\"b"}`
    })
    assert.deepStrictEqual([...leaves], [
      ["args.0", "eu"],
      ["args.1.id", "7"],
      ["args.2.0", "1.0"],
      ["kwargs.a.b", "null"],
      ["kwargs.is", "true"],
      ["kwargs.q", "a\"b"]
    ])
    assert.strictEqual(readLeaves({ args: `"text"`, kwargs: "{" }).size, 0)
    assert.strictEqual(readLeaves({ args: "[".repeat(9) + "1" + "]".repeat(9) }).size, 0)
    assert.strictEqual(readLeaves({ args: JSON.stringify(Array.from({ length: 300 }, (_, index) => index)) }).size, 200)
    assert.strictEqual(readLeaves({ args: JSON.stringify(["x".repeat(300)]) }).get("args.0")?.length, 201)
  })

  it("what is more frequent among failures is ranked, and coincidences are left out", () => {
    const count = (value: string, failures: number, successes: number): PropertyCount => ({
      field: "worker",
      path: null,
      value,
      failures,
      successes
    })
    const cases: ReadonlyArray<readonly [PropertyCount, boolean]> = [
      [count("clear", 46, 55), true],
      [count("clearer", 50, 10), true],
      [count("as frequent", 25, 250), false],
      [count("rarer", 5, 400), false],
      [count("a little", 29, 250), false],
      [count("two failures", 2, 0), false],
      [count("all", 50, 500), false]
    ]
    const ranked = rankDifferences(cases.map(([property]) => property), 50, 500)
    assert.deepStrictEqual(ranked.map(({ value }) => value), ["clearer", "clear"])
    assert.deepStrictEqual(rankDifferences([count("clear", 46, 0)], 50, 0), [])
    const many = Array.from({ length: 30 }, (_, index) => count(`w${index}`, 50, 10))
    assert.lengthOf(rankDifferences(many, 50, 500), 20)
  })

  it("each is a sentence", () => {
    const shares = { failure_share: 0.9167, success_share: 0.11 }
    const sentences = ([
      ["worker", null, "worker-3"],
      ["queue", null, "slow"],
      ["hour", null, "14:00"],
      ["version", null, "2.0"],
      ["run_time", null, "900"],
      ["run_time", null, "1840"],
      ["argument", "kwargs.region", "eu"],
      ["argument", "kwargs.coupon", null]
    ] as const).map(([field, path, value]) => describeDifference({ field, path, value, ...shares }))
    assert.deepStrictEqual(sentences, [
      "92 % of failures ran on worker-3, 11 % of successes.",
      "92 % of failures came from the queue slow, 11 % of successes.",
      "92 % of failures started in the hour from 14:00 UTC, 11 % of successes.",
      "92 % of failures ran with version 2.0, 11 % of successes.",
      "92 % of failures ran longer than 900 ms, 11 % of successes.",
      "92 % of failures ran longer than 1.8 s, 11 % of successes.",
      "92 % of failures had kwargs.region = eu, 11 % of successes.",
      "92 % of failures had kwargs.coupon, 11 % of successes."
    ])
  })

  it("properties are counted on both sides, times only of sides of the same time", () => {
    const countsOf = (comparesTimes: boolean) => {
      const counter = new PropertyCounter(comparesTimes)
      for (let index = 0; index < 4; index++) {
        counter.addTask("failures", task({ runtime_ms: 500, kwargs: `{"region":"eu"}` }))
      }
      for (let index = 0; index < 20; index++) {
        counter.addTask("successes", task({ worker_name: "worker-2", runtime_ms: index, kwargs: `{"region":"us"}` }))
      }
      return counter.list().map(({ failures, field, path, successes, value }) =>
        [field, path, value, failures, successes].join(" ")
      )
    }
    const timeless = [
      "worker  worker-1 4 0",
      "queue  pay 4 20",
      "argument kwargs.region eu 4 0",
      "argument kwargs.region  4 20",
      "run_time  19 4 0"
    ]
    assert.sameMembers(countsOf(false), timeless)
    assert.sameMembers(countsOf(true), [...timeless, "hour  12:00 4 20", "version  1.0 4 20"])
  })

  it("a sample has its share of what workers take in turn", () => {
    const ids = Array.from({ length: 600 }, (_, index) => uuidv7(index))
    assert.strictEqual(pickSample(ids, 600), ids)
    const sample = new Set(pickSample(ids, 500))
    assert.strictEqual(sample.size, 500)
    for (let worker = 0; worker < 6; worker++) {
      const taken = ids.filter((id, index) => index % 6 === worker && sample.has(id)).length
      assert.isAtLeast(taken, 60, `worker ${worker} took 100 of 600`)
    }
  })

  it("a task differs from a success by what is not the same", () => {
    const success = task()
    assert.deepStrictEqual(compareTasks(task({ runtime_ms: 199 }), success), [])
    const failed = task({
      worker_name: "worker-2",
      version: null,
      runtime_ms: 201,
      kwargs: `{"coupon":"x"}`,
      args: null
    })
    assert.deepStrictEqual(compareTasks(failed, success), [
      { field: "worker", path: null, task: "worker-2", success: "worker-1" },
      { field: "version", path: null, task: null, success: "1.0" },
      { field: "run_time", path: null, task: "201", success: "100" },
      { field: "argument", path: "kwargs.coupon", task: "x", success: null }
    ])
  })
})
