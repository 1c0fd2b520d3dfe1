import { assert, it } from "@effect/vitest"
import { requireSqlite } from "../../../src/agent/runtime/Sqlite.ts"

it("an agent has a driver here", () => {
  assert.doesNotThrow(requireSqlite)
})
