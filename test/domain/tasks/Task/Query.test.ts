import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import fc from "fast-check"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import { negate, type TaskExpression, termsOf } from "../../../../src/domain/tasks/Task/Expression.ts"
import { addQuery, everyTask } from "../../../../src/domain/tasks/Task/Filter.ts"
import { maxQueryCharacters, parseQuery } from "../../../../src/domain/tasks/Task/Query.ts"
import { queryTerms } from "../../../../src/domain/tasks/Task/QueryTerms.ts"

const now = Timestamp.parse("2026-11-24T12:00:00Z")!

const read = (text: string): TaskExpression | null => Either.getOrThrow(parseQuery(text, now))
const lift = (text: string) =>
  Object.fromEntries(Object.entries(addQuery(everyTask, read(text))).filter(([, term]) => term !== null))

const state = (...values: ReadonlyArray<"failure" | "retry" | "success">) => ({ kind: "state", values })
const word = (text: string) => ({ kind: "word", text })
const not = (term: object) => ({ kind: "not", term })

describe("the query language of tasks", () => {
  it("has terms, lists of values, words, negations, alternatives and groups", () => {
    assert.deepStrictEqual<unknown>(read("state:failure,retry card \"timed  out\""), {
      kind: "and",
      members: [state("failure", "retry"), word("card"), word("timed  out")]
    })
    assert.deepStrictEqual<unknown>(read("-state:success"), not(state("success")))
    assert.deepStrictEqual<unknown>(read("NOT NOT card"), word("card"))
    assert.deepStrictEqual<unknown>(read("a OR b c AND d"), {
      kind: "or",
      members: [word("a"), { kind: "and", members: [word("b"), word("c"), word("d")] }]
    })
    assert.deepStrictEqual<unknown>(read("-(a state:failure) b"), {
      kind: "and",
      members: [{ kind: "or", members: [not(word("a")), not(state("failure"))] }, word("b")]
    })
    assert.deepStrictEqual<unknown>(read("or and not-x ORDER 10:30"), {
      kind: "and",
      members: [word("or"), word("and"), word("not-x"), word("ORDER"), word("10:30")]
    })
    assert.isNull(read("  "))
  })

  it("has patterns, durations, numbers and moments", () => {
    const patterns = (column: string, ...patterns: ReadonlyArray<object>) => ({ kind: "pattern", column, patterns })
    assert.deepStrictEqual<unknown>(
      read("name:mail.*,=mail.send,send"),
      patterns("name", { match: "glob", text: "mail.*" }, { match: "whole", text: "mail.send" }, {
        match: "part",
        text: "send"
      })
    )
    assert.deepStrictEqual<unknown>(
      read("queue:\"a*, \\\"b\",c"),
      patterns("queue", { match: "whole", text: "a*, \"b" }, { match: "whole", text: "c" })
    )
    assert.deepStrictEqual<unknown>(
      read("name:=\"a b*\""),
      patterns("name", { match: "whole", text: "a b*" })
    )
    const number = (column: string, comparison: string, value: number) => ({
      kind: "number",
      column,
      comparison,
      value
    })
    assert.deepStrictEqual<unknown>(read("runtime:>5s"), number("runtime_ms", ">", 5000))
    assert.deepStrictEqual<unknown>(read("runtime:<=1.5h"), number("runtime_ms", "<=", 5_400_000))
    assert.deepStrictEqual<unknown>(read("retries:>=2"), number("retry_count", ">=", 2))
    assert.deepStrictEqual<unknown>(read("retries:2"), number("retry_count", "=", 2))
    assert.deepStrictEqual<unknown>(read("since:90s"), { kind: "since", moment: "2026-11-24T11:58:30.000000Z" })
    assert.deepStrictEqual<unknown>(read("until:2026-11-22"), { kind: "until", moment: "2026-11-22T00:00:00.000000Z" })
    assert.deepStrictEqual<unknown>(read("finished:1h"), { kind: "finished", moment: "2026-11-24T11:00:00.000000Z" })
    assert.deepStrictEqual<unknown>(read("since:2026-11-22T10:00Z"), {
      kind: "since",
      moment: "2026-11-22T10:00:00.000000Z"
    })
    assert.deepStrictEqual<unknown>(read("since:2026-11-22T10:00:01+02:00"), {
      kind: "since",
      moment: "2026-11-22T08:00:01.000000Z"
    })
    assert.deepStrictEqual<unknown>(read("since:999999w"), { kind: "since", moment: "0000-01-01T00:00:00.000000Z" })
  })

  it("has places in arguments and results, and tags", () => {
    const payload = (column: string, path: ReadonlyArray<string | number>, ...patterns: ReadonlyArray<object>) => ({
      kind: "payload",
      column,
      path,
      patterns
    })
    const whole = (text: string) => ({ match: "whole", text })
    assert.deepStrictEqual<unknown>(
      read("kwargs.order:7835610,x"),
      payload("kwargs", ["order"], whole("7835610"), whole("x"))
    )
    assert.deepStrictEqual<unknown>(read("args.customer:1598"), payload("args", [0, "customer"], whole("1598")))
    assert.deepStrictEqual<unknown>(read("args.1.the-id:\"a b\""), payload("args", [1, "the-id"], whole("a b")))
    assert.deepStrictEqual<unknown>(
      read("-result.items.0.sku:A*"),
      not(payload("result", ["items", 0, "sku"], { match: "glob", text: "A*" }))
    )
    assert.deepStrictEqual<unknown>(read("tag:eu,us"), { kind: "tag", values: ["eu", "us"] })
    // no place: as before these are words
    assert.deepStrictEqual<unknown>(read("mail.send:now"), word("mail.send:now"))
  })

  it.each([
    ["args:1598", 0, "has an unknown term"],
    ["kwargs.a..b:1", 0, "has a name that no term can have"],
    ["kwargs.order:", 0, "has the term kwargs.order, which needs a value"],
    [`result${".a".repeat(9)}:1`, 0, "has more than 8 names"],
    ["stat:failure", 0, "has an unknown term"],
    ["x state:failed", 2, "has the term state, which takes pending, received"],
    ["state:", 0, "has the term state, which needs a value"],
    ["name:=", 0, "has the term name, which needs a value"],
    ["priority:high,urgent", 0, "which takes critical"],
    ["runtime:5s", 0, "takes a comparison with a duration"],
    ["retries:many", 0, "takes a number"],
    ["since:yesterday", 0, "takes an age"],
    ["since:1h,2h", 0, "takes one value"],
    ["a \"b", 2, "has a quotation mark that is not closed"],
    ["queue:\"b", 6, "has a quotation mark that is not closed"],
    ["(a", 0, "has a parenthesis that is not closed"],
    ["a)", 1, "has a closing parenthesis without an opening one"],
    ["a OR", 4, "ends where a term is missing"],
    ["OR a", 0, "lacks a term"],
    ["a AND OR b", 6, "lacks a term"],
    ["()", 1, "lacks a term"],
    ["\" \"", 0, "has an empty text"],
    ["(".repeat(30), 20, "nested parentheses"],
    ["a ".repeat(51), 100, "more than 50 terms"]
  ])("refuses %s, and says where and why", (text, index, message) => {
    const problem = Either.match(parseQuery(text, now), { onLeft: (problem) => problem, onRight: () => undefined })
    assert.strictEqual(problem?.position, index)
    assert.include(problem?.message, message)
  })

  it("reads terms that must hold as the list's own parameters, and keeps the rest", () => {
    assert.deepStrictEqual(lift("state:failure name:mail queue:slow worker:w engine:rq since:1h \"timed out\""), {
      state: "failure",
      name: "mail",
      queue: "slow",
      worker: "w",
      engine: "rq",
      since: "2026-11-24T11:00:00.000000Z",
      search: "timed out",
      search_exceptions: true
    })
    assert.deepStrictEqual(lift("state:failure state:retry"), {
      state: "failure",
      search_exceptions: false,
      query: state("retry")
    })
    for (const text of ["state:failure,retry", "-state:failure", "name:a*", "name:=a", "state:failure OR x"]) {
      assert.deepStrictEqual(lift(text), { search_exceptions: false, query: read(text) })
    }
  })

  it("never throws, and names a place within the text", () => {
    const piece = fc.oneof(
      fc.constantFrom(...queryTerms).map((term) => `${term}:`),
      fc.constantFrom("(", ")", "-", "OR", "AND", "NOT", "\"", "\\", ",", " ", "*", ">5s", "1h", "failure", "=", ":"),
      fc.fullUnicodeString({ maxLength: 4 })
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join("").slice(0, maxQueryCharacters)
        Either.match(parseQuery(text, now), {
          onLeft: ({ position }) => assert.isTrue(position >= 0 && position <= text.length),
          onRight: (expression) => {
            // negation is its own inverse, and no term is lost
            assert.strictEqual(
              termsOf(expression).length,
              termsOf(expression === null ? null : negate(expression)).length
            )
          }
        })
      }),
      { numRuns: 2000 }
    )
  })
})
