import { assert, describe, it } from "@effect/vitest"
import { LosslessNumber } from "lossless-json"
import { execFileSync } from "node:child_process"
import { findMembers, membersOf } from "../../web/src/tasks/jsonMembers.ts"
import { fieldsText, parseLogs } from "../../web/src/tasks/logs.ts"
import { shellQuote } from "../../web/src/tasks/shellQuote.ts"
import { readTraceback } from "../../web/src/tasks/tracebackLines.ts"

describe("the search in the values of a task", () => {
  const value = {
    customer: { id: new LosslessNumber("9007199254740993"), city: "Porto" },
    lines: [{ sku: "A-1" }, { sku: "B-2" }],
    note: null
  }
  const found = (sought: string) => findMembers(membersOf(value) ?? [], sought)

  it("shows the whole value of a member whose name matches", () => {
    assert.deepStrictEqual(found("custom"), [{ name: "customer", value: value.customer, isByName: true }])
  })

  it("continues in a value that contains the text, with all digits of its numbers", () => {
    assert.deepStrictEqual(found("740993").map(({ isByName, name }) => [name, isByName]), [["customer", false]])
    assert.deepStrictEqual(found("b-2").map(({ isByName, name }) => [name, isByName]), [["lines", false]])
    assert.deepStrictEqual(found("sku").map(({ isByName, name }) => [name, isByName]), [["lines", false]])
  })

  it("finds all members without a text, and none without a match", () => {
    assert.deepStrictEqual(found("").map(({ isByName, name }) => [name, isByName]), [
      ["customer", false],
      ["lines", false],
      ["note", false]
    ])
    assert.deepStrictEqual(found("nothing of the kind"), [])
  })
})

describe("the logs of a task", () => {
  it("keep all digits of the numbers in their fields", () => {
    const line = (fields: string) =>
      `{"seq":1,"at":"2026-11-28T10:00:00Z","level":"info","attempt":1,"message":"m","fields":${fields}}`
    const { items, next_after } = parseLogs(
      `{"items":[${line("{\"id\":9007199254740993,\"rate\":1.0}")},${line("null")}],"next_after":2}`
    )
    assert.deepStrictEqual(items.map(fieldsText), [" {\"id\":9007199254740993,\"rate\":1.0}", ""])
    assert.strictEqual(items[0]?.seq, 1)
    assert.strictEqual(next_after, 2)
  })
})

describe("the frames of libraries in a traceback", () => {
  const foreign = (text: string) => readTraceback(text).filter(({ isForeign }) => isForeign).map(({ text }) => text)

  it("are muted with their lines of code, and one's own are not", () => {
    const text = [
      "Traceback (most recent call last):",
      "  File \"/app/shop/tasks.py\", line 12, in pay",
      "    charge(order)",
      "    ~~~~~~^^^^^^^",
      "  File \"/venv/lib/python3.12/site-packages/stripe/charge.py\", line 40, in create",
      "    return request(order)",
      "           ^^^^^^^^^^^^^^",
      "  File \"/app/shop/cards.py\", line 3, in request",
      "    raise ValueError(order)",
      "ValueError: no such card"
    ].join("\n")
    assert.deepStrictEqual(foreign(text), [
      "  File \"/venv/lib/python3.12/site-packages/stripe/charge.py\", line 40, in create",
      "    return request(order)",
      "           ^^^^^^^^^^^^^^"
    ])
  })

  it("are muted within a group of exceptions, and in Node", () => {
    const group = [
      "  | Traceback (most recent call last):",
      "  |   File \"/usr/lib/python3.12/asyncio/tasks.py\", line 1, in run",
      "  |     result = coro.send(None)",
      "  | ValueError: x"
    ]
    assert.deepStrictEqual(foreign(group.join("\n")), group.slice(1, 3))
    const node = [
      "Error: x",
      "    at Job.run (/app/node_modules/bullmq/job.js:1:1)",
      "    at pay (/app/src/pay.ts:2:2)",
      "    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)"
    ]
    assert.deepStrictEqual(foreign(node.join("\n")), [node[1], node[3]])
  })
})

describe("a word of a line for the shell", () => {
  it.each(["plain", "it's", "'; echo x; '", "a b\"$HOME`\\"])("keeps %s as it is", (text) => {
    assert.strictEqual(execFileSync("sh", ["-c", `printf %s ${shellQuote(text)}`], { encoding: "utf8" }), text)
  })
})
