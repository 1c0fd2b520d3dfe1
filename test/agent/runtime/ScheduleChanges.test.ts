import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import type { DispatchResult } from "../../../src/agent/runtime/Dispatch.ts"
import { ActionFailed } from "../../../src/agent/runtime/Engine.ts"
import { canonicalize, type JsonInput, JsonObject, parse, toValue } from "../../../src/domain/kernel/CanonicalJson.ts"
import { digestOf } from "../../../src/domain/schedules/Schedule/External.ts"
import { buildControl, type ScheduleRow } from "../../../src/protocol/ScheduleSnapshot.ts"
import { activation } from "../../protocol/snapshots.ts"
import { signedFrames } from "../../protocol/Vectors.ts"
import { command, publishing } from "../engines/conformance.ts"
import { MemoryEngine } from "../engines/memory.ts"

const clock = "memory-clock"
const operation_id = "88888888-8888-4888-8888-888888888881"
const sha256 = (value: JsonInput) => createHash("sha256").update(canonicalize(value)).digest("hex")

type Json = { readonly [name: string]: JsonInput }

/** An engine with two schedules, whose epoch is active, and its rows as the brain has them. */
const prepareStream = Effect.gen(function*() {
  const shop = new MemoryEngine("memory", [], new Map())
  for (const id of ["hourly", "nightly"]) shop.schedule(id, { kwargs: { half: 1.5, token: "hunter2" } })
  const { controls, snapshots, streams } = publishing(shop.engine)
  const run = (action: string, parameters: Json) => command(shop.engine, action, parameters, 1000, streams)
  const begun = activation(clock)
  yield* run("schedule.external.activate", begun)
  const rows = () => snapshots.at(-1)?.rows ?? []
  // The cast: a row that was read from JSON.
  const row = (key: string) => rows().find(({ source_key }) => source_key === key) as Json
  const { owner: _, source_scope, stable_source: __, ...epoch } = begun
  /** As section 6.4 has it. */
  const controlOf = (row: Json, more: Json = {}): Json => {
    const desired = { ...row, is_enabled: row.is_enabled !== true }
    return {
      ...epoch,
      operation_id,
      schedule_id: row.source_key ?? null,
      source_key: row.source_key ?? null,
      z4j_schedule_id: "88888888-8888-4888-8888-888888888882",
      expected_accepted_sequence: 1,
      expected_projection_digest: sha256(row),
      desired_projection: desired,
      desired_projection_digest: sha256(desired),
      registry_owner_id: "88888888-8888-4888-8888-888888888883",
      session_generation: 1,
      ...more
    }
  }
  const mutationOf = (operation: string, more: Json): Json => ({
    ...epoch,
    source_scope,
    operation_id,
    operation,
    schedule_id: null,
    expected: null,
    definition: {},
    ...more
  })
  const control = (parameters: Json) => run("schedule.external.control", parameters)
  const mutate = (operation: string, more: Json) => run("schedule.external.mutate", mutationOf(operation, more))
  return { control, controlOf, controls, mutate, row, run, shop, snapshots }
})

/** Nothing was done: refused by a sentence, and not indeterminate. */
const assertRefusal = (outcome: DispatchResult, sentence: string) => {
  assert.deepInclude(outcome, { status: "failed", result: null })
  assert.include(outcome.status === "failed" ? outcome.error : "", sentence)
}

describe("schedule.external.control", () => {
  it("has the digests of the published agents", () => {
    const textOf = (name: string) => signedFrames.find((frame) => frame.name === name)?.frame_json ?? ""
    const partOf = (name: string, ...path: ReadonlyArray<string>) => {
      let node = parse(textOf(name))
      for (const member of path) {
        if (node instanceof JsonObject) node = node.get(member) ?? ""
      }
      return node
    }
    const parameters = toValue(
      partOf("command.schedule.external.control", "payload", "parameters") as JsonObject
    ) as Json
    const desired = parameters.desired_projection as Json
    assert.strictEqual(digestOf(desired), parameters.desired_projection_digest)
    assert.strictEqual(digestOf({ ...desired, is_enabled: true }), parameters.expected_projection_digest)

    const events = textOf("event_batch.sched2.schedule.updated")
    const { data } = JSON.parse(events).payload.events[0]
    const { external_projection: { operation_id, owner, schedules: [row], sequence, source_scope, ...body } } = data
    const { adapter_instance_id, epoch_number, epoch_uuid, stream_id } = body
    const epoch = { stream_id, epoch_uuid, epoch_number, owner, source_scope, adapter_instance_id }
    const built = buildControl(epoch, sequence, operation_id, row as ScheduleRow)
    assert.strictEqual(built.payload_digest, data.payload_digest)
    assert.strictEqual(built.reason, data.reason)
    assert.deepStrictEqual(JSON.parse(built.external_projection.text), data.external_projection)
  })

  it.live("disables and enables a schedule, and publishes its row in the sequence", () =>
    Effect.gen(function*() {
      const { control, controlOf, controls, row, run, shop, snapshots } = yield* prepareStream
      shop.schedule("hourly", { ...shop.schedules?.get("hourly"), total_runs: 9, last_run_at: 1_700_000_000_000 }) // it ran
      assert.deepStrictEqual(yield* control(controlOf(row("hourly"))), {
        status: "success",
        result: { operation_id, sequence: 2, projection_buffered: true, deduplicated: false }
      })
      assert.strictEqual(shop.schedules?.get("hourly")?.is_enabled, false)
      const disabled = {
        ...row("hourly"),
        is_enabled: false,
        next_run_at: null,
        last_run_at: "2023-11-14T22:13:20.000000+00:00",
        total_runs: 9
      }
      assert.deepStrictEqual(controls, [{ sequence: 2, operation: operation_id, row: disabled }])

      // the same operation again has the same result, also when the schedule has changed since
      yield* run("schedule.enable", { schedule_id: "hourly" })
      assert.deepInclude(yield* control(controlOf(row("hourly"), { operation_id })), { status: "failed" })
      assert.strictEqual(snapshots.at(-1)?.sequence, 3)
      const again = yield* control(controlOf({ ...row("hourly"), total_runs: 0, last_run_at: null }))
      assert.deepStrictEqual(again.result, {
        operation_id,
        sequence: 2,
        projection_buffered: true,
        deduplicated: true
      })
      assert.strictEqual(shop.schedules?.get("hourly")?.is_enabled, true)

      yield* run("schedule.disable", { schedule_id: "hourly" })
      const other = "88888888-8888-4888-8888-888888888889"
      const enabled = yield* control(controlOf(row("hourly"), { operation_id: other, expected_accepted_sequence: 4 }))
      assert.deepInclude(enabled.result, { sequence: 5, deduplicated: false })
      assert.deepInclude(controls[1]?.row, { is_enabled: true, next_run_at: "2027-01-15T08:00:00.000000+00:00" })
      assert.deepStrictEqual(snapshots.map(({ reason }) => reason), ["activation", "signal:updated", "signal:updated"])
    }))

  it.live("does nothing where the brain's copy is not the schedule, or a parameter is invalid", () =>
    Effect.gen(function*() {
      const { control, controlOf, controls, row, run, shop } = yield* prepareStream
      const hourly = row("hourly")
      const good = controlOf(hourly)
      const { session_generation: _, ...incomplete } = good
      for (
        const [parameters, sentence] of [
          [incomplete, "parameters must be exactly operation_id"],
          [{ ...good, force: true }, "parameters must be exactly operation_id"],
          [{ ...good, scheduler: null }, "scheduler must be memory-clock"],
          [{ ...good, operation_id: "1" }, "operation_id is not a UUID"],
          [{ ...good, z4j_schedule_id: "1" }, "z4j_schedule_id is not a UUID"],
          [{ ...good, registry_owner_id: 1 }, "registry_owner_id is not a string"],
          [{ ...good, session_generation: -1 }, "session_generation must be"],
          [{ ...good, expected_accepted_sequence: "1" }, "expected_accepted_sequence must be"],
          [
            { ...good, expected_accepted_sequence: 7 },
            "sequence 7 of memory-clock was never published; the last one is 1"
          ],
          [{ ...good, schedule_id: "nightly" }, "schedule_id and source_key must be equal"],
          [{ ...good, epoch_number: 2 }, "is not active here"],
          [{ ...good, adapter_instance_id: "ad-2" }, "is not active here"],
          [{ ...good, desired_projection: [] }, "desired_projection must be the schedule's row"],
          [{ ...good, desired_projection: { ...hourly, is_enabled: "no" } }, "desired_projection must be"],
          [{ ...good, desired_projection_digest: "0" }, "is not that of its desired_projection."],
          [{ ...good, expected_projection_digest: sha256({ ...hourly, total_runs: 1 }) }, "with the other is_enabled"],
          [controlOf({ ...hourly, source_key: "gone" }), "not as the command expects"],
          [controlOf({ ...hourly, is_enabled: false }), "not as the command expects"],
          [controlOf({ ...hourly, expression: "60.0" }), "not as the command expects"]
        ] as ReadonlyArray<readonly [Json, string]>
      ) assertRefusal(yield* control(parameters), sentence)
      assert.strictEqual(shop.schedules?.get("hourly")?.is_enabled, true)
      assert.deepStrictEqual(controls, [])
      assertRefusal(yield* run("schedule.disable", { schedule_id: "gone" }), "there is no schedule gone")
    }))

  it.live("of an engine that fails, that obeys only in words, or that cannot", () =>
    Effect.gen(function*() {
      const { row, shop, controlOf } = yield* prepareStream
      const { engine } = shop
      const { scheduler } = engine
      if (scheduler === undefined) throw new Error("no scheduler")
      const ofEngine = (actions: Partial<typeof scheduler.actions>, unsupported = {}) => {
        const { disable: _, ...others } = scheduler.actions
        const changed = { ...engine, scheduler: { ...scheduler, actions: { ...others, ...actions }, unsupported } }
        const { streams } = publishing(changed)
        return Effect.zipRight(
          command(changed, "schedule.external.activate", activation(clock), 1000, streams),
          command(changed, "schedule.external.control", controlOf(row("hourly")), 1000, streams)
        )
      }
      assertRefusal(
        yield* ofEngine({ disable: () => new ActionFailed({ message: "the broker is away" }) }),
        "broker is away"
      )
      assert.deepStrictEqual(yield* ofEngine({ disable: () => Effect.succeed({}) }), {
        status: "failed",
        result: { indeterminate: true, operation: "schedule.external.control" },
        error:
          "The command was executed, but its effect cannot be published: the engine did not disable the schedule hourly"
      })
      assertRefusal(
        yield* ofEngine({}, { disable: "pause the queue instead" }),
        "adapter 'memory-clock' does not support action 'schedule.external.control': pause the queue instead"
      )
    }))
})

describe("schedule.external.mutate", () => {
  it.live("creates and updates a schedule, and publishes all of them", () =>
    Effect.gen(function*() {
      const { mutate, row, shop, snapshots } = yield* prepareStream
      const definition = {
        name: "weekly",
        task_name: "shop.report",
        kind: "cron",
        expression: "0 0 * * 1",
        queue: null
      }
      const created = yield* mutate("create", { definition })
      const { last_run_at: _l, next_run_at: _n, total_runs: _t, ...configuration } = row("weekly")
      assert.deepInclude(JSON.parse(canonicalize(created.result as JsonInput)), {
        operation_id,
        source_key: "weekly",
        sequence: 2,
        schedule_count: 3,
        observed_configuration: configuration
      })
      assert.deepInclude(row("weekly"), { ...definition, is_enabled: true })
      assertRefusal(yield* mutate("create", { definition }), "there is a schedule weekly already")

      const before = shop.schedules?.get("hourly")
      const expected = row("hourly")
      // the whole definition comes back with one change: masked values that are unchanged are not written
      const { args, expression, is_enabled, kind, kwargs, name, queue, task_name, timezone } = expected
      const whole = { args, expression, is_enabled, kind, kwargs, name, queue, task_name, timezone } as Json
      const updated = yield* mutate("update", {
        schedule_id: "hourly",
        expected,
        definition: { ...whole, expression: "60.0" }
      })
      assert.strictEqual(updated.status, "success")
      assert.deepStrictEqual(shop.schedules?.get("hourly"), { ...before!, expression: "60.0" })
      assertRefusal(
        yield* mutate("update", { schedule_id: "hourly", expected, definition: { expression: "90.0" } }),
        "not as the command expects"
      )
      const nothing = yield* mutate("update", { schedule_id: "hourly", expected: row("hourly"), definition: {} })
      assert.strictEqual(nothing.status, "success")
      assert.deepStrictEqual(snapshots.map(({ sequence }) => sequence), [1, 2, 3, 4])
    }))

  it.live("refuses a definition that is not one, or that holds masks", () =>
    Effect.gen(function*() {
      const { mutate, row, shop } = yield* prepareStream
      const definition = { name: "weekly", task_name: "shop.report", kind: "cron", expression: "0 0 * * 1" }
      const { kind: _, ...withoutKind } = definition
      const cases: ReadonlyArray<readonly [Json, string]> = [
        [{ definition: null }, "definition must be an object"],
        [{ definition: withoutKind }, "needs name, task_name, kind and expression"],
        [{ definition: { ...definition, kind: "sometimes" } }, "definition's kind must be cron, interval"],
        [{ definition: { ...definition, name: "" } }, "definition's name must be a text"],
        [{ definition: { ...definition, expression: "x".repeat(1025) } }, "definition's expression must be"],
        [{ definition: { ...definition, args: {} } }, "definition's args must be a list"],
        [{ definition: { ...definition, kwargs: [] } }, "definition's kwargs must be an object"],
        [{ definition: { ...definition, is_enabled: 1 } }, "definition's is_enabled must be true or false"],
        [{ definition: { ...definition, owner: "me" } }, "definition has no owner"],
        [{ definition: { ...definition, kwargs: { token: "[REDACTED]" } } }, "masked or omitted values"],
        [{ definition, schedule_id: "weekly" }, "must be null to create"],
        [{ definition, expected: {} }, "must be null to create"]
      ]
      for (const [parameters, sentence] of cases) assertRefusal(yield* mutate("create", parameters), sentence)
      const masked = { kwargs: { half: 2, token: "[REDACTED]" } }
      assertRefusal(
        yield* mutate("update", { schedule_id: "hourly", expected: row("hourly"), definition: masked }),
        "masked or omitted values"
      )
      assert.strictEqual(shop.schedules?.size, 2)
    }))

  it.live("triggers an operation once", () =>
    Effect.gen(function*() {
      const { mutate, row, shop } = yield* prepareStream
      const request = { schedule_id: "hourly", expected: row("hourly") }
      const first = yield* mutate("trigger", request)
      assert.strictEqual(first.status, "success")
      yield* mutate("trigger", request)
      assert.deepStrictEqual([...shop.jobs.keys()], [operation_id])
    }))
})
