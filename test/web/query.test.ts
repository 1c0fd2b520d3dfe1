import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { addQuery, everyTask } from "../../src/domain/tasks/Task/Filter.ts"
import { parseQuery } from "../../src/domain/tasks/Task/Query.ts"
import { queryTerms as termsOfBrain } from "../../src/domain/tasks/Task/QueryTerms.ts"
import { complete, moveChoice } from "../../web/src/tasks/completion.ts"
import { formatMoment, formatPlace, formatQuery, groupQuery, type TaskQuery } from "../../web/src/tasks/query.ts"
import {
  checkLine,
  hasValue,
  placePrefixes,
  queryExample,
  queryTerms,
  readTokens,
  replaceState,
  toggleValue,
  valuesOf
} from "../../web/src/tasks/queryTokens.ts"

const now = Timestamp.parse("2026-11-24T12:00:00Z")!

/** What the brain reads in a line. */
const read = (line: string) => {
  const filter = addQuery(everyTask, Either.getOrThrow(parseQuery(line, now)))
  return Object.fromEntries(Object.entries(filter).filter(([, term]) => term !== null && term !== false))
}

describe("the query line of the tasks", () => {
  it("knows the brain's terms", () => {
    assert.sameMembers([...queryTerms], [...termsOfBrain])
  })

  it("shows an example that the brain reads, with a place in each column of values", () => {
    assert.deepStrictEqual(checkLine(queryExample).problems, [])
    assert.isTrue(Either.isRight(parseQuery(queryExample, now)))
    const names = readTokens(queryExample).map(({ name }) => name)
    for (const prefix of placePrefixes) assert.isTrue(names.some((name) => name.startsWith(prefix)), prefix)
    assert.includeMembers(names, ["tag", "finished"])
  })

  it("is read by the brain as it was meant", () => {
    const query: TaskQuery = {
      state: "retry",
      priority: "critical,high",
      name: "mail.send",
      queue: "a queue: slow",
      worker: "w(1), 2*",
      until: "2026-11-24T10:00:00Z",
      search: "card declined"
    }
    assert.deepStrictEqual(read(formatQuery(query)), {
      ...query,
      priority: ["critical", "high"],
      until: "2026-11-24T10:00:00.000000Z",
      search_exceptions: true
    })
    for (
      const text of [
        "http://x",
        "say \"no\" twice",
        "C:\\temp",
        "a \\\"b",
        "-x",
        "OR",
        "=x",
        ">5s",
        "a,b",
        "*",
        "args.a:b"
      ]
    ) {
      const odd: TaskQuery = { name: text, queue: text, search: text }
      assert.deepStrictEqual(read(formatQuery(odd)), { ...odd, search_exceptions: true }, text)
    }
  })

  it("leads from a value to the tasks that have it at the same place", () => {
    const patternsAt = (path: ReadonlyArray<string | number>, value: string) => {
      const line = formatPlace("kwargs", path, value)
      const { query } = line === null ? { query: null } : read(line)
      return query
    }
    for (const value of ["7835610", "a b", "*", "say \"no\"", "=x", "a,b", "ä"]) {
      assert.deepStrictEqual<unknown>(patternsAt(["order", 0, "the-id"], value), {
        kind: "payload",
        column: "kwargs",
        path: ["order", 0, "the-id"],
        patterns: [{ match: "whole", text: value }]
      })
    }
    for (const path of [[], ["7"], ["a.b"], ["a b"], ["a:b"], ["\""], ["\\"], [""], Array(9).fill("a")]) {
      assert.isNull(patternsAt(path, "x"))
    }
    assert.isNull(patternsAt(["a"], ""))
    assert.isNull(patternsAt(["a"], "x".repeat(401)))
  })

  it("has the tasks of one name that ended between two moments, and ran for so long", () => {
    const line = formatQuery({
      exactName: "mail send*",
      finished: "2026-11-24T10:00Z",
      finishedBefore: formatMoment(Date.parse("2026-11-24T10:15:00Z")),
      runtime: [">100ms", "<=120ms"]
    })
    assert.strictEqual(
      line,
      "name:=\"mail send*\" finished:2026-11-24T10:00Z -finished:2026-11-24T10:15Z until:2026-11-24T10:15Z " +
        "runtime:>100ms runtime:<=120ms"
    )
    assert.isTrue(Either.isRight(parseQuery(line, now)))
    assert.deepStrictEqual(checkLine(line).problems, [])
    assert.strictEqual(formatMoment(Date.parse("2026-11-24T10:15:30Z")), "2026-11-24T10:15:30Z")
  })

  it("names wrong terms, leaves them out with those that are not finished, and keeps the rest", () => {
    const cases = [
      ["stat:failure x", [{ kind: "term", term: "stat" }], "x"],
      ["x state:failed", [{ kind: "value", term: "state", value: "failed" }], "x"],
      ["priority:high,urgent x", [{ kind: "value", term: "priority", value: "urgent" }], "x"],
      ["state:failure \"timed", [{ kind: "quote" }], "state:failure"],
      ["queue:\"slow ma", [{ kind: "quote" }], ""],
      ["state: x", [], "x"],
      ["x state:failure,", [], "x"],
      ["-state:success,", [], ""]
    ] as const
    for (const [line, problems, valid] of cases) {
      assert.deepStrictEqual(checkLine(line), { problems: [...problems], valid, isPartial: true }, line)
    }
    for (const valid of ["", "(a OR -queue:\"b c\") runtime:>5s", "a  \"b  c\"", "name:a OR", "NOT"]) {
      assert.deepStrictEqual(checkLine(` ${valid} `), { problems: [], valid, isPartial: false }, valid)
    }
  })

  it("leaves out the operators that only a term left out needed", () => {
    const cases = [
      ["NOT stat:failure name:mail", "name:mail"],
      ["NOT state: name:mail", "name:mail"],
      ["-NOT stat:failure name:mail", "name:mail"],
      ["a AND NOT NOT -stat:b c", "a AND c"],
      ["name:a OR stat:b queue:slow", "name:a OR queue:slow"],
      ["name:a OR stat:b", "name:a"],
      ["stat:b OR name:a", "name:a"],
      ["name:a OR NOT stat:b OR name:c", "name:a OR name:c"],
      ["name:a AND stat:b OR name:c", "name:a OR name:c"],
      ["name:a OR stat:b AND name:c", "name:a OR name:c"],
      ["stat:a stat:b OR state: AND name:c", "name:c"],
      ["name:a OR stat:b stat:c", "name:a"]
    ] as const
    for (const [line, valid] of cases) assert.strictEqual(checkLine(line).valid, valid, line)
    assert.deepStrictEqual(
      read(checkLine("(stat:b OR queue:a) (queue:b OR state:)").valid),
      read("(queue:a) (queue:b)")
    )
  })

  it("is read to its end, whatever is typed", () => {
    const parts = ["state:", "-", "(", "\"", "\\", ",", "\u00a0", "OR", "\ud83e"]
    const lines = parts.flatMap((one) => parts.flatMap((two) => parts.map((three) => one + two + three)))
    for (const line of [...lines, "\"".repeat(999), "(".repeat(999), "a:,".repeat(999), "- ".repeat(999)]) {
      const tokens = readTokens(line)
      const ends = [0, ...tokens.map(({ end }) => end)]
      const gaps = [...tokens.map(({ start }, index) => line.slice(ends[index], start)), line.slice(ends.at(-1))]
      assert.isTrue(tokens.every(({ end, start }) => end > start) && gaps.join("").trim() === "", line)
    }
  })

  it("leaves to the brain what cannot be repaired", () => {
    const lines = [
      "(stat:b) name:a",
      "NOT (stat:b) name:a",
      "-(state:) name:a",
      "OR stat:b name:a",
      "NOT OR stat:b name:a",
      "NOT AND stat:b",
      "name:( OR"
    ]
    for (const line of lines) {
      const { isPartial, valid } = checkLine(line)
      assert.isTrue(isPartial, line)
      assert.isTrue(Either.isLeft(parseQuery(valid, now)), `${line} became ${valid}`)
    }
  })

  it("gets and loses values", () => {
    assert.strictEqual(toggleValue("", "queue", "slow mail"), "queue:\"slow mail\"")
    assert.strictEqual(toggleValue("x queue:a y", "queue", "b,c"), "x queue:a,\"b,c\" y")
    assert.strictEqual(toggleValue("x queue:a,\"b,c\" y", "queue", "b,c"), "x queue:a y")
    assert.strictEqual(toggleValue("x queue:a y", "queue", "a"), "x y")
    assert.strictEqual(toggleValue("-queue:a", "queue", "a"), "-queue:a queue:a")
    assert.strictEqual(toggleValue("name:mail", "name", "mail"), "name:mail,=mail")
    assert.isTrue(hasValue("name:=\"a b\"", "name", "a b"))
    assert.isFalse(hasValue("name:mail", "name", "mail"))
    assert.deepStrictEqual(valuesOf("state:failure,retry -state:success", "state"), ["failure", "retry"])
    assert.strictEqual(replaceState("x state:failure,retry y", "success"), "state:success x y")
    assert.strictEqual(replaceState("state:failure y -state:retry", undefined), "y -state:retry")
    assert.strictEqual(groupQuery("a OR b"), "(a OR b)")
    assert.strictEqual(groupQuery("a ORDER"), "a ORDER")
    assert.strictEqual(groupQuery("\"a\"OR b"), "(\"a\"OR b)")
  })

  it("changes only terms that must match by themselves", () => {
    for (
      const line of [
        "NOT state:failure",
        "NOT (state:failure)",
        "-(state:failure)",
        "-NOT state:failure",
        "state:failure OR name:x",
        "name:x (state:failure OR queue:slow)"
      ]
    ) {
      assert.deepStrictEqual(valuesOf(line, "state"), [], line)
      assert.isFalse(hasValue(line, "state", "failure"), line)
      assert.strictEqual(replaceState(line, undefined), line)
    }
    assert.deepStrictEqual(valuesOf("(name:a OR name:b) state:failure", "state"), ["failure"])
    assert.strictEqual(replaceState("NOT state:failure", "retry"), "state:retry NOT state:failure")
    assert.strictEqual(replaceState("name:a OR name:b", "failure"), "state:failure (name:a OR name:b)")
    assert.strictEqual(replaceState("state:failure (name:a OR name:b)", "retry"), "state:retry (name:a OR name:b)")
    assert.strictEqual(replaceState("state:failure (name:a OR name:b)", undefined), "(name:a OR name:b)")
    assert.strictEqual(replaceState("state:failure AND name:x", undefined), "name:x")
    assert.strictEqual(toggleValue("name:a OR queue:b", "queue", "b"), "(name:a OR queue:b) queue:b")
    assert.strictEqual(toggleValue("(name:a OR queue:b) queue:b", "queue", "b"), "(name:a OR queue:b)")
    assert.strictEqual(toggleValue("NOT queue:a", "queue", "a"), "NOT queue:a queue:a")
    assert.strictEqual(toggleValue("queue:a AND name:x", "queue", "a"), "name:x")
  })

  it("keeps the spaces of the rest", () => {
    assert.strictEqual(replaceState("foo  state:failure state:retry", undefined), "foo")
    assert.strictEqual(replaceState("\"a  b\"  state:retry  \"c  d\"", undefined), "\"a  b\" \"c  d\"")
    assert.strictEqual(toggleValue("\"a  b\" queue:x,y", "queue", "x"), "\"a  b\" queue:y")
    assert.strictEqual(toggleValue("\"a  b\" ", "queue", "x"), "\"a  b\" queue:x")
  })

  it("gets a clicked value behind a quotation mark that is not closed", () => {
    const cases = [
      [toggleValue("\"card decl", "queue", "x"), "\"card decl\" queue:x"],
      [toggleValue("queue:\"slow ma", "queue", "x"), "queue:\"slow ma\",x"],
      [toggleValue("queue:x \"card", "queue", "x"), "\"card\""],
      [toggleValue("name:a OR \"card decl", "queue", "x"), "(name:a OR \"card decl\") queue:x"],
      [toggleValue("\"a\\", "queue", "x"), "\"a\"\\ queue:x"],
      [replaceState("name:a OR \"card decl", "failure"), "state:failure (name:a OR \"card decl\")"]
    ] as const
    for (const [line, expected] of cases) {
      assert.strictEqual(line, expected)
      assert.isFalse(checkLine(line).isPartial, line)
      read(line)
    }
  })

  it("is completed at the caret", () => {
    const known = { queue: ["slow mail", "fast", "slow"], name: ["mail.send", "shop.mail"] }
    const at = (line: string, caret = line.length) => {
      const found = complete(line, caret, known)
      return found?.options.map(({ insert }) => line.slice(0, found.from) + insert + line.slice(found.to))
    }
    assert.deepStrictEqual(at("x st"), ["x state:"])
    assert.deepStrictEqual(at("-re"), ["-retries:", "-result."])
    assert.deepStrictEqual(at("state:fai"), ["state:failure"])
    assert.deepStrictEqual(
      at("state:failure,re y", 16),
      ["received", "retry", "revoked", "rejected", "failure"].map((state) => `state:failure,${state} y`)
    )
    assert.deepStrictEqual(at("queue:slow"), ["queue:\"slow mail\""])
    assert.deepStrictEqual(at("(queue:\"slow m"), ["(queue:\"slow mail\""])
    assert.deepStrictEqual(at("name:mail"), ["name:=mail.send", "name:=shop.mail"])
    assert.deepStrictEqual(at("runtime:>5"), ["runtime:>5s"])
    assert.strictEqual(at("zzz"), undefined)
    assert.strictEqual(at("error:x"), undefined)
    assert.strictEqual(at("\"st"), undefined)
    assert.isAbove(at("")!.length, 5)

    // behind and within quotation marks
    assert.deepStrictEqual(at("\"connection refused\" st"), ["\"connection refused\" state:"])
    assert.deepStrictEqual(at("queue:\"slow mail\" sta"), ["queue:\"slow mail\" state:"])
    assert.deepStrictEqual(at("queue:\"slow mail\" state:fai"), ["queue:\"slow mail\" state:failure"])
    assert.deepStrictEqual(at("queue:\"a b\",fa x", 14), ["queue:\"a b\",fast x"])
    assert.deepStrictEqual(at("queue:\"sl mail\" x", 9), ["queue:\"slow mail\" x", "queue:slow x"])
    assert.deepStrictEqual(at("queue:\"slow mai x", 14), ["queue:\"slow mail\" x"])
    assert.strictEqual(at("\"connection refused\""), undefined)
    assert.strictEqual(at("\"a st b\"", 5), undefined)

    // at the edges of other parts
    assert.deepStrictEqual(at("(st)", 3), ["(state:)"])
    assert.isAbove(at("-")!.length, 5)
    assert.isAbove(at("x  y", 2)!.length, 5)
    assert.strictEqual(at("a OR"), undefined)
    assert.strictEqual(at("state:failure", 3), undefined)
    assert.strictEqual(at("x state", 2), undefined)
    assert.strictEqual(at("constructor:"), undefined)
  })

  it("keeps the chosen option where late values move it", () => {
    const offer = (...labels: ReadonlyArray<string>) => labels.map((label) => ({ label, insert: label }))
    assert.strictEqual(moveChoice(offer("a", "b"), null, 1), "a")
    assert.strictEqual(moveChoice(offer("a", "b"), null, -1), "b")
    assert.strictEqual(moveChoice(offer("a", "b"), "b", 1), null)
    assert.strictEqual(moveChoice(offer("a", "b"), "a", -1), null)
    assert.strictEqual(moveChoice(offer("new", "a", "b"), "a", 1), "b")
    assert.strictEqual(moveChoice(offer("b", "c"), "a", 1), "b")
  })
})
