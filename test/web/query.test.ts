import { assert, describe, it } from "@effect/vitest"
import {
  formatQuery,
  matches,
  parseMoment,
  parseQuery,
  type QueryProblem,
  type TaskQuery,
  toParameters
} from "../../web/src/tasks/query.ts"

const now = Date.parse("2026-11-24T12:00:00Z")

describe("the query line of the tasks", () => {
  it("has terms and words, in any order", () => {
    const { problems, query } = parseQuery("card state:failure queue:\"slow mail\" since:1h \"timed out\"")
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(query, { state: "failure", queue: "slow mail", since: "1h", search: "card timed out" })
  })

  it("survives being written and read again", () => {
    const query: TaskQuery = {
      state: "retry",
      priority: "critical,high",
      name: "mail.send",
      queue: "a queue: slow",
      until: "2026-11-24T10:00:00Z",
      search: "card declined"
    }
    assert.deepStrictEqual(parseQuery(formatQuery(query)), { query, problems: [] })
    for (const text of ["http://x", "say \"no\" twice", "C:\\temp", "a \\\"b"]) {
      const odd: TaskQuery = { name: text, search: text }
      assert.deepStrictEqual(parseQuery(formatQuery(odd)), { query: odd, problems: [] }, text)
    }
  })

  it.each<readonly [string, QueryProblem]>([
    ["stat:failure x", { kind: "term", term: "stat" }],
    ["state:failed x", { kind: "value", term: "state", value: "failed" }],
    ["since:yesterday x", { kind: "value", term: "since", value: "yesterday" }],
    ["priority:high,urgent x", { kind: "value", term: "priority", value: "high,urgent" }]
  ])("says what is wrong with %s, and filters by the rest", (line, problem) => {
    assert.deepStrictEqual(parseQuery(line), { query: { search: "x" }, problems: [problem] })
  })

  it("names a quotation mark that is missing", () => {
    assert.deepStrictEqual(parseQuery("state:failure \"timed"), {
      query: { state: "failure" },
      problems: [{ kind: "quote" }]
    })
  })

  it("knows ages and moments", () => {
    assert.strictEqual(parseMoment("90s", now), now - 90_000)
    assert.strictEqual(parseMoment("2w", now), now - 14 * 864e5)
    assert.strictEqual(parseMoment("2026-11-24T10:00:00+02:00", now), Date.parse("2026-11-24T08:00:00Z"))
    assert.strictEqual(parseMoment("soon", now), null)
  })

  it("becomes parameters of the list; words are searched for in errors too", () => {
    assert.deepStrictEqual(toParameters({ state: "failure", since: "1h", search: "card" }, now), {
      state: "failure",
      search: "card",
      search_exceptions: true,
      since: "2026-11-24T11:00:00.000Z"
    })
  })

  it("tells whether a new task belongs to the list", () => {
    const task = {
      state: "failure",
      name: "mail.send",
      queue: "slow",
      engine: "celery",
      worker_name: null,
      priority: "normal",
      task_id: "A3F1"
    }
    for (const line of ["", "state:failure", "name:mail", "queue:slow engine:celery", "a3f1", "SEND", "since:1h"]) {
      assert.isTrue(matches(parseQuery(line).query, task), line)
    }
    for (const line of ["state:success", "name:Mail", "queue:slo", "worker:box", "priority:high", "card", "until:1h"]) {
      assert.isFalse(matches(parseQuery(line).query, task), line)
    }
  })
})
