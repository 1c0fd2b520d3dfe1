import { assert, it } from "@effect/vitest"
import { vi } from "vitest"
import { loadNodeSqlite } from "../../src/sqlite/NodeSqlite.ts"
import { positional } from "../../src/sqlite/Parameters.ts"

it("parameters become positions, in strings and comments they are none", () => {
  assert.deepStrictEqual(positional("SELECT @a, ':b', \"@c\", ':''d', @a, :e -- @f\n/* ? */, x"), {
    text: "SELECT ?, ':b', \"@c\", ':''d', ?, ? -- @f\n/* ? */, x",
    parameters: ["a", "a", "e"]
  })
  assert.deepStrictEqual(positional("SELECT ? + ?, '?', x ->> '$.y'"), {
    text: "SELECT ? + ?, '?', x ->> '$.y'",
    parameters: 2
  })
})

it("an early node:sqlite is refused, and other warnings than its own are emitted", () => {
  const warnings: Array<unknown> = []
  const emit = vi.spyOn(process, "emitWarning").mockImplementation((warning) => warnings.push(warning))
  class DatabaseSync {
    prepare() {
      return { all: () => [] } // as in Node 22.13: without setReturnArrays and columns
    }
    close() {}
  }
  const module = vi.spyOn(process, "getBuiltinModule").mockImplementation(() => {
    process.emitWarning("SQLite is an experimental feature and might change at any time", "ExperimentalWarning")
    process.emitWarning("something else", "ExperimentalWarning")
    return { DatabaseSync }
  })
  try {
    assert.throws(loadNodeSqlite, /early/)
    assert.deepStrictEqual(warnings, ["something else"])
  } finally {
    module.mockRestore()
    emit.mockRestore()
  }
})
