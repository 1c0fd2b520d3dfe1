import { assert, describe, it } from "@effect/vitest"
import { canFollow, commandJson, commandStatuses, sourceStatusesOf } from "../../../src/domain/commands/Command.ts"
import { parseSelection } from "../../../src/domain/commands/Command/Selection.ts"
import { makePurgeToken } from "../../../src/domain/commands/PurgeToken.ts"
import { CommandId, ProjectId } from "../../../src/domain/kernel/Id.ts"
import { idOf } from "../../ids.ts"
import secrets from "../../protocol/vectors/secrets.json" with { type: "json" }

describe("statuses of a command", () => {
  it("follow one another in this way only", () => {
    const arrows = commandStatuses.flatMap((from) =>
      commandStatuses.filter((to) => canFollow(from, to)).map((to) => `${from} > ${to}`)
    )
    assert.deepStrictEqual(arrows, [
      "pending > dispatched",
      "pending > timeout",
      "pending > cancelled",
      "dispatched > pending",
      "dispatched > completed",
      "dispatched > failed",
      "dispatched > timeout",
      "dispatched > cancelled",
      "timeout > completed",
      "timeout > failed"
    ])
    assert.deepStrictEqual(sourceStatusesOf("timeout"), ["pending", "dispatched"])
    assert.deepStrictEqual(sourceStatusesOf("completed"), ["dispatched", "timeout"])
  })
})

describe("the JSON text of a command", () => {
  it("splices payload and result as they are", () => {
    const text = commandJson({
      id: idOf(CommandId, "i"),
      project_id: idOf(ProjectId, "p"),
      agent_id: null,
      agent_name: null,
      issued_by: null,
      action: "a",
      engine: null,
      target_type: "t",
      target_id: null,
      target_name: null,
      payload: "{\"n\":12345678901234567890}",
      status: "pending",
      result: "[1.0]",
      error: null,
      note: null,
      issued_at: "i" as never, // any text will do
      dispatched_at: null,
      completed_at: null,
      timeout_at: "t" as never
    })
    assert.include(text, ",\"payload\":{\"n\":12345678901234567890},\"result\":[1.0]}")
    assert.strictEqual(JSON.parse(text).result[0], 1)
  })
})

describe("the filter of a bulk retry", () => {
  it("names distinct tasks in their order", () => {
    assert.deepStrictEqual(parseSelection({ task_ids: ["b", "a", "b"], engine: "rq" }), {
      task_ids: ["b", "a"],
      engine: "rq"
    })
    assert.deepStrictEqual(parseSelection({ task_ids: ["a"] }), { task_ids: ["a"], engine: null })
  })

  it("is null when it names none", () => {
    for (const filter of [null, {}, { state: "failure" }, { task_ids: null, engine: "rq" }]) {
      assert.isNull(parseSelection(filter))
    }
  })

  it("says what is wrong", () => {
    const paths = (filter: Record<string, unknown>) => {
      const issues = parseSelection(filter)
      return Array.isArray(issues) ? issues.map(({ path }) => path) : issues
    }
    assert.deepStrictEqual(paths({ task_ids: "a" }), ["filter.task_ids"])
    assert.deepStrictEqual(paths({ task_ids: [] }), ["filter.task_ids"])
    assert.deepStrictEqual(paths({ task_ids: ["a", ""] }), ["filter.task_ids.1"])
    assert.deepStrictEqual(paths({ task_ids: ["a\0"] }), ["filter.task_ids.0"])
    assert.deepStrictEqual(paths({ task_ids: ["\ud800"] }), ["filter.task_ids.0"])
    assert.deepStrictEqual(paths({ task_ids: ["a"], engine: 1, state: "x" }), ["filter.state", "filter.engine"])
  })
})

describe("purge tokens", () => {
  it.each(secrets.purge_confirm_token)("$message", ({ depth, queue, secret_hex, token }) => {
    assert.strictEqual(makePurgeToken(Buffer.from(secret_hex, "hex"), queue, depth), token)
  })
})
