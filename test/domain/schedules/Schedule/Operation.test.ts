import { assert, describe, it } from "@effect/vitest"
import { canonicalize, JsonObject, parse } from "../../../../src/domain/kernel/CanonicalJson.ts"
import { addSeconds } from "../../../../src/domain/kernel/Timestamp.ts"
import {
  type Epoch,
  MUTATION,
  sourceScopeOf,
  STABLE_SNAPSHOT
} from "../../../../src/domain/schedules/Schedule/External.ts"
import { type OperationName, operationNames } from "../../../../src/domain/schedules/Schedule/Operation.ts"
import { operationCommand, operationsOf } from "../../../../src/domain/schedules/Schedule/OperationCommand.ts"
import {
  beginOperation,
  controlOperationOf,
  nextOperation,
  type OperationFacts,
  type ScheduleOperation
} from "../../../../src/domain/schedules/Schedule/OperationState.ts"
import { time } from "./cadences.ts"

const now = time("2026-11-23T12:00:00Z")
const ago = (seconds: number) => addSeconds(now, -seconds)

const row = (fields: object = {}) =>
  canonicalize({ name: "nightly", kind: "interval", expression: "60.0", is_enabled: true, args: [1], ...fields })

interface Command {
  readonly status: NonNullable<OperationFacts["command_status"]>
  readonly dispatched_at: OperationFacts["command_dispatched_at"]
  readonly completed_at: OperationFacts["command_completed_at"]
  readonly result: string | null
  readonly error: string | null
}

interface Known extends Pick<OperationFacts, "claim" | "definition"> {
  readonly command: Command | null
  readonly published: { readonly epoch_number: number; readonly sequence: number } | null
}

// the casts: any ids do
const begun = beginOperation({
  id: "88888888-8888-4888-8888-888888888881" as never,
  project_id: "88888888-8888-4888-8888-888888888884" as never,
  schedule_id: "88888888-8888-4888-8888-888888888882" as never,
  operation: "update",
  request_id: null,
  sealed_request: null,
  stream_id: "77777777-7777-4777-8777-777777777777" as never,
  epoch_uuid: "66666666-6666-4666-8666-666666666666",
  epoch_number: 2,
  expected_sequence: 5,
  source_key: "dcb:7",
  command_id: "88888888-8888-4888-8888-888888888885" as never,
  desired_is_enabled: true
}, ago(10))

const probeAt = (probe_epoch_number: number, probe_sequence: number) => ({ probe_epoch_number, probe_sequence })

const command = (fields: Partial<Command> = {}): Command => ({
  status: "completed",
  dispatched_at: ago(9),
  completed_at: ago(8),
  result: null,
  error: null,
  ...fields
})

const published = { epoch_number: 2, sequence: 5 }
const otherSchedule = "88888888-8888-4888-8888-888888888883" as never

/** The schedule as it was published. */
const claimed = (projection: string | null): OperationFacts["claim"] =>
  projection === null ? null : { schedule_id: otherSchedule, projection }

const factsOf = ({ claim, command: sent, definition, published: place }: Known): OperationFacts => ({
  command_status: sent?.status ?? null,
  command_dispatched_at: sent?.dispatched_at ?? null,
  command_completed_at: sent?.completed_at ?? null,
  command_result: sent?.result ?? null,
  command_error: sent?.error ?? null,
  published_epoch_number: place?.epoch_number ?? null,
  published_sequence: place?.sequence ?? null,
  claim,
  definition
})

const step = (operation: Partial<ScheduleOperation>, known: Partial<Known>) =>
  nextOperation(
    { ...begun, status: "sent", ...operation },
    factsOf({
      command: command(),
      published,
      claim: claimed(row()),
      definition: "{\"expression\":\"90\"}",
      ...known
    }),
    now
  )

const evaluate = (operation: Partial<ScheduleOperation>, known: Partial<Known>) => {
  const before: ScheduleOperation = { ...begun, status: "sent", ...operation }
  const { ended_at, error, probe_sequence, status } = step(operation, known) ?? before
  const needsSnapshot = before.probe_sequence === null && probe_sequence !== null
  return { error, hasEnded: ended_at !== null, needsSnapshot, status }
}

const failed = command({ status: "failed", result: "{\"indeterminate\":true}", error: "It took too long." })

describe("the outcome of an operation", () => {
  it("follows its command until the agent has reported a result", () => {
    assert.deepInclude(evaluate({}, { command: command({ status: "pending" }) }), {
      status: "pending",
      hasEnded: false
    })
    assert.deepInclude(evaluate({}, { command: command({ status: "dispatched" }) }), {
      status: "sent",
      hasEnded: false
    })
    assert.deepInclude(evaluate({}, { command: command({ status: "cancelled", error: "Cancelled." }) }), {
      status: "failed",
      error: "Cancelled.",
      hasEnded: true
    })
    assert.deepInclude(evaluate({}, { command: command({ status: "timeout", dispatched_at: null }) }), {
      status: "expired",
      hasEnded: true
    })
    assert.deepInclude(evaluate({ status: "pending" }, { command: null }), { status: "failed", hasEnded: true })
    assert.deepInclude(evaluate({}, { command: null }), { status: "indeterminate", hasEnded: true })
  })

  it("is a success when a publication shows what the agent says that it has done", () => {
    const done = command({ result: "{\"sequence\":7}" })
    const at = (epoch_number: number, sequence: number) => ({
      command: done,
      published: { epoch_number, sequence }
    })
    assert.deepInclude(evaluate({}, at(2, 6)), { status: "accepted", hasEnded: false })
    assert.deepInclude(evaluate({}, at(2, 7)), { status: "succeeded", hasEnded: true })
    assert.deepInclude(evaluate({}, at(3, 0)), { status: "accepted" }, "the new epoch has published nothing")
    assert.deepInclude(evaluate({}, at(3, 1)), { status: "succeeded" })
    const silent = { command: { ...done, completed_at: ago(61) }, published: null }
    assert.deepInclude(evaluate({}, silent), { status: "indeterminate", hasEnded: false })
    assert.deepInclude(evaluate({ created_at: ago(86_401) }, silent), { status: "indeterminate", hasEnded: true })
  })

  it("of a deletion without a sequence needs a later publication without the schedule", () => {
    const later = { published: { epoch_number: 2, sequence: 6 } }
    assert.deepInclude(evaluate({ operation: "delete" }, later), { status: "accepted" })
    assert.deepInclude(evaluate({ operation: "delete" }, { claim: null }), { status: "accepted" })
    assert.deepInclude(evaluate({ operation: "delete" }, { ...later, claim: null }), { status: "succeeded" })
  })

  it("is a failure at once where the agent says that nothing was done", () => {
    const refused = command({ status: "failed", error: "No." })
    assert.deepInclude(evaluate({}, { command: refused }), { status: "failed", error: "No.", hasEnded: true })
    assert.deepInclude(evaluate({}, { command: { ...failed, dispatched_at: null } }), { status: "failed" })
  })

  it("is unknown until a snapshot that was requested afterwards shows the schedule", () => {
    const fresh = { command: { ...failed, completed_at: ago(1) } }
    assert.deepInclude(
      evaluate({}, fresh),
      { status: "indeterminate", needsSnapshot: false },
      "older frames may arrive"
    )
    assert.deepInclude(evaluate({}, { command: failed }), { status: "indeterminate", needsSnapshot: true })
    const probe = probeAt(2, 8)
    const shown = { command: failed, published: { epoch_number: 2, sequence: 9 } }
    assert.deepInclude(evaluate(probe, { ...shown, published: { epoch_number: 2, sequence: 8 } }), {
      status: "indeterminate",
      needsSnapshot: false,
      hasEnded: false
    })
    assert.deepInclude(evaluate(probe, shown), {
      status: "failed",
      error: "It took too long. A later snapshot shows that it was not done."
    })
    assert.deepInclude(evaluate(probe, { ...shown, claim: claimed(row({ expression: "90.0" })) }), {
      status: "succeeded"
    })
    const timeout = command({ status: "timeout", error: "No answer." })
    assert.deepInclude(evaluate(probe, { ...shown, command: timeout }), { status: "failed" })
    const cases: ReadonlyArray<readonly [OperationName, string, string | null, string]> = [
      ["disable", "{\"is_enabled\":false}", row({ is_enabled: false }), "succeeded"],
      ["disable", "{\"is_enabled\":false}", row(), "failed"],
      ["enable", "{\"is_enabled\":true}", null, "failed"],
      ["update", "{\"args\":[1.0]}", row(), "failed"],
      ["update", "{\"args\":[1]}", row(), "succeeded"],
      ["delete", "{}", null, "succeeded"],
      ["delete", "{}", row(), "failed"],
      ["create", "{\"name\":\"nightly\"}", row(), "succeeded"],
      ["create", "{\"name\":\"nightly\"}", null, "failed"]
    ]
    for (const [operation, definition, projection, status] of cases) {
      assert.strictEqual(
        evaluate({ operation, ...probe }, { ...shown, definition, claim: claimed(projection) }).status,
        status,
        operation
      )
    }
  })

  it("of a trigger is shown by no snapshot", () => {
    const trigger = { operation: "trigger", ...probeAt(1, 1) } as const
    assert.deepInclude(evaluate(trigger, { command: failed }), { status: "indeterminate", needsSnapshot: false })
    assert.deepInclude(evaluate(trigger, {}), { status: "succeeded", hasEnded: true })
  })

  it("changes the row only where something has happened, and at once says what was published", () => {
    assert.isNull(step({ status: "pending" }, { command: command({ status: "pending" }) }))
    const accepted = step({}, { command: command({ result: "{\"sequence\":7}" }) })
    assert.deepInclude(accepted, { status: "accepted", reserved_sequence: 7, updated_at: now, ended_at: null })
    assert.isNull(controlOperationOf(accepted ?? begun)?.result_projection_id)
    assert.isNull(step(accepted ?? begun, { command: command({ result: "{\"sequence\":7}" }), claim: null }))
    const done = step({}, { command: command({ result: "{\"sequence\":5}" }) })
    assert.match(controlOperationOf(done ?? begun)?.result_projection_id ?? "", /^[0-9a-f-]{36}$/)
    assert.deepInclude(step({}, { command: failed }), { status: "indeterminate", ...probeAt(2, 5) })
  })

  it("of a creation has the schedule once the agent has reported its key, and a publication has it", () => {
    const creation = { operation: "create", schedule_id: null, source_key: null } as const
    const reported = { command: command({ result: "{\"source_key\":\"dcb:9\"}" }) }
    assert.deepInclude(step(creation, { ...reported, claim: null }), {
      status: "accepted",
      source_key: "dcb:9",
      schedule_id: null
    })
    assert.deepInclude(step(creation, { ...reported, published: { epoch_number: 2, sequence: 6 } }), {
      status: "succeeded",
      source_key: "dcb:9",
      schedule_id: otherSchedule
    })
  })
})

const epoch: Epoch = {
  stream_id: "77777777-7777-4777-8777-777777777777",
  epoch_uuid: "66666666-6666-4666-8666-666666666666",
  epoch_number: 1,
  owner: "apscheduler",
  source_scope: sourceScopeOf("apscheduler"),
  adapter_instance_id: "ad-1"
}
/** The row of the recording `x-control` (agents' protocol, section 6.4), and the digests that a published agent took. */
const projection = canonicalize({
  args: [1],
  catch_up: "skip",
  engine: "apscheduler",
  expression: "3600.0",
  external_id: "aps1",
  is_enabled: true,
  kind: "interval",
  kwargs: { b: 2 },
  last_run_at: null,
  name: "aps1",
  next_run_at: "2026-11-21T08:04:58.635658+00:00",
  priority: "normal",
  queue: null,
  scheduler: "apscheduler",
  source: "apscheduler:jobstore",
  source_hash: "f382d060b3f8442b3972ad26b6ddd8765f9ef4bbce1925861eed72349961ba91",
  source_key: "aps1",
  task_name: "rqtasks:add",
  timezone: "UTC",
  total_runs: 0
})

const commandFor = (operation: OperationName, capabilities: ReadonlyArray<string>, definition = "{}") =>
  operationCommand({
    // the casts: ids of the recording
    id: "88888888-8888-4888-8888-888888888881" as never,
    operation,
    epoch,
    acceptedSequence: 1,
    agentId: "88888888-8888-4888-8888-888888888883" as never,
    capabilities,
    schedule: operation === "create"
      ? null
      : { id: "88888888-8888-4888-8888-888888888882" as never, sourceKey: "aps1", projection },
    definition
  })

/** The parameters as they are sent. */
const parametersOf = ({ parameters, sealed }: ReturnType<typeof commandFor>) => {
  const node = parse(canonicalize({ ...parameters, ...sealed }))
  assert.instanceOf(node, JsonObject)
  return JSON.parse(node.text)
}

describe("the command of an operation", () => {
  it("depends on what the scheduler can do", () => {
    assert.deepStrictEqual(operationsOf(["list", STABLE_SNAPSHOT]), [])
    assert.deepStrictEqual(operationsOf(["list", "trigger_now", STABLE_SNAPSHOT]), ["trigger"])
    assert.deepStrictEqual(operationsOf(["delete", "trigger_now", MUTATION]), ["delete", "trigger"])
    assert.deepStrictEqual(operationsOf(["enable", "disable", "create", "update"]), ["enable", "disable"])
    assert.deepStrictEqual(operationsOf(["update", MUTATION]), ["update"], "BullMQ disables none")
    const all = ["enable", "disable", "create", "update", "delete", "trigger_now", MUTATION]
    assert.sameMembers([...operationsOf(all)], [...operationNames])
    assert.strictEqual(commandFor("trigger", ["trigger_now"]).action, "schedule.trigger_now")
    assert.strictEqual(commandFor("delete", ["delete"]).action, "schedule.delete")
    for (const operation of operationNames) {
      assert.strictEqual(commandFor(operation, all).action, "schedule.external.mutate")
    }
  })

  it("of a control has the parameters and digests of the recording, and no others", () => {
    const { action, ...rest } = commandFor("disable", ["enable", "disable"])
    assert.strictEqual(action, "schedule.external.control")
    assert.deepStrictEqual(parametersOf({ action, ...rest }), {
      operation_id: "88888888-8888-4888-8888-888888888881",
      scheduler: "apscheduler",
      schedule_id: "aps1",
      source_key: "aps1",
      z4j_schedule_id: "88888888-8888-4888-8888-888888888882",
      stream_id: epoch.stream_id,
      epoch_uuid: epoch.epoch_uuid,
      epoch_number: 1,
      adapter_instance_id: "ad-1",
      expected_accepted_sequence: 1,
      expected_projection_digest: "409e52ecf67113c7d5c738aaea85a7140fe52db072ac95a89b3f7093a09cac7b",
      desired_projection: { ...JSON.parse(projection), is_enabled: false },
      desired_projection_digest: "e94e398fcc43b02e8cea6be3ca926ae5d7416013985d1bc4f3d75db24fd1913d",
      registry_owner_id: "88888888-8888-4888-8888-888888888883",
      session_generation: 1
    })
  })

  it("of a change has the row with all digits, and keeps arguments out of what people see", () => {
    const change = commandFor("update", ["update", MUTATION], "{\"args\":[12345678901234567890,1.0]}")
    assert.notInclude(JSON.stringify(change.parameters), "3600")
    assert.strictEqual(change.sealed?.expected?.text, projection)
    assert.strictEqual(change.sealed?.definition?.text, "{\"args\":[12345678901234567890,1.0]}")
    assert.deepInclude(parametersOf(commandFor("create", ["create", MUTATION], "{\"name\":\"n\"}")), {
      operation: "create",
      schedule_id: null,
      expected: null,
      definition: { name: "n" },
      source_scope: epoch.source_scope,
      scheduler: "apscheduler"
    })
  })
})
