/** Changes of an engine's own schedules that are compared with the brain's copy (agents' protocol, section 6.4). */
import { Effect } from "effect"
import { canonicalize, CanonicalText } from "../../domain/kernel/CanonicalJson.ts"
import { configurationOf, digestOf, type Epoch } from "../../domain/schedules/Schedule/External.ts"
import { ActionFailed, type ActionResult, type Scheduler } from "./Engine.ts"
import { callEngine } from "./EngineCall.ts"
import { isRecord, type Parameters } from "./Parameters.ts"
import { assertCommand, changesOf, epochOf, newScheduleOf, scopedEpochOf, uuidOf } from "./ScheduleParameters.ts"
import type { ScheduleStream } from "./ScheduleStream.ts"

export type ActionEffect = Effect.Effect<ActionResult, ActionFailed>

export const actionFailed = (message: string, indeterminate = false) => new ActionFailed({ message, indeterminate })

/** The refusal of an operation that the scheduler does not have, with its adapter's explanation. */
export const unsupported = (
  { name, unsupported: reasons }: Scheduler,
  action: string,
  operation?: keyof Scheduler["actions"]
): ActionFailed => {
  const reason = operation === undefined ? undefined : reasons?.[operation]
  return actionFailed(
    `adapter '${name}' does not support action '${action}'${reason === undefined ? "" : `: ${reason}`}`
  )
}

const findRow = (stream: ScheduleStream, source_key: string) =>
  Effect.map(stream.readSchedules, ({ rows }) => rows.find((row) => row.source_key === source_key))

const inactive = (epoch: Epoch) => actionFailed(`That epoch of ${epoch.owner} is not active here; activate one first.`)

const stale = (source_key: string) =>
  actionFailed(`The schedule ${source_key} is not as the command expects it. Read it again and repeat the command.`)

/** After the engine's part a failure leaves the brain without the effect. */
const markIndeterminate = <A>(effect: Effect.Effect<A, ActionFailed>): Effect.Effect<A, ActionFailed> =>
  Effect.mapError(
    effect,
    ({ message }) => actionFailed(`The command was executed, but its effect cannot be published: ${message}`, true)
  )

const CONTROL_PARAMETERS = [
  "operation_id",
  "scheduler",
  "schedule_id",
  "source_key",
  "z4j_schedule_id",
  "stream_id",
  "epoch_uuid",
  "epoch_number",
  "adapter_instance_id",
  "expected_accepted_sequence",
  "expected_projection_digest",
  "desired_projection",
  "desired_projection_digest",
  "registry_owner_id",
  "session_generation"
]

const wholeNumberOf = (parameters: Parameters, name: string): number => {
  const value = parameters.values[name]
  assertCommand(
    typeof value === "number" && Number.isSafeInteger(value) && value >= 0,
    `The command's ${name} must be a whole number of at least 0.`
  )
  return value
}

/**
 * Enables or disables a schedule if it equals the brain's copy, and publishes its row. The copy is the desired row with
 * the other `is_enabled`; what a run changes is not compared. An operation is executed once in an epoch.
 */
export const control = (parameters: Parameters, stream: ScheduleStream): ActionEffect => {
  const { scheduler } = stream
  const { values } = parameters
  const isExact = Object.keys(values).length === CONTROL_PARAMETERS.length &&
    CONTROL_PARAMETERS.every((name) => Object.hasOwn(values, name))
  assertCommand(isExact, `The command's parameters must be exactly ${CONTROL_PARAMETERS.join(", ")}.`)
  assertCommand(values.scheduler === scheduler.name, `The command's scheduler must be ${scheduler.name}.`)
  const operation_id = uuidOf(parameters, "operation_id")
  for (const name of ["z4j_schedule_id", "registry_owner_id"]) uuidOf(parameters, name)
  wholeNumberOf(parameters, "session_generation")
  const acceptedSequence = wholeNumberOf(parameters, "expected_accepted_sequence")
  const source_key = parameters.text("source_key")
  assertCommand(values.schedule_id === source_key, "The command's schedule_id and source_key must be equal.")
  const epoch = epochOf(parameters, scheduler.name)
  const desired = values.desired_projection
  assertCommand(
    isRecord(desired) && typeof desired.is_enabled === "boolean" && desired.source_key === source_key,
    "The command's desired_projection must be the schedule's row, with the is_enabled that it shall have."
  )
  const desiredDigest = digestOf(desired)
  assertCommand(
    values.desired_projection_digest === desiredDigest,
    "The command's desired_projection_digest is not that of its desired_projection."
  )
  const expected = { ...desired, is_enabled: !desired.is_enabled }
  assertCommand(
    values.expected_projection_digest === digestOf(expected),
    "The command's expected_projection_digest is not that of its desired_projection with the other is_enabled."
  )
  const operation = desired.is_enabled ? "enable" : "disable"
  const { [operation]: apply } = scheduler.actions
  if (apply === undefined) return unsupported(scheduler, "schedule.external.control", operation)

  return Effect.gen(function*() {
    if (!stream.isActive(epoch)) return yield* inactive(epoch)
    const resultOf = (sequence: number, deduplicated: boolean) => ({
      operation_id,
      sequence,
      projection_buffered: true,
      deduplicated
    })
    const known = stream.findControl(operation_id)
    if (known !== undefined) {
      return known.desiredDigest === desiredDigest
        ? resultOf(known.sequence, true)
        : yield* actionFailed(`The operation ${operation_id} was executed with another desired_projection.`)
    }
    if (acceptedSequence > stream.lastSequence) {
      return yield* actionFailed(
        `The sequence ${acceptedSequence} of ${scheduler.name} was never published; the last one is ${stream.lastSequence}.`
      )
    }
    const row = yield* findRow(stream, source_key)
    if (row === undefined || configurationOf(row) !== configurationOf(expected)) return yield* stale(source_key)
    yield* callEngine(() => apply({ schedule_id: source_key }))
    return yield* markIndeterminate(Effect.gen(function*() {
      const changed = yield* findRow(stream, source_key)
      if (changed === undefined || changed.is_enabled !== desired.is_enabled) {
        return yield* actionFailed(`the engine did not ${operation} the schedule ${source_key}`)
      }
      return resultOf(yield* stream.publishControl(operation_id, changed, desiredDigest), false)
    }))
  })
}

/**
 * Creates a schedule, or changes, deletes or triggers one that equals the brain's copy, and publishes all. Where nothing
 * was done it fails without `indeterminate`, which the published agents always add.
 */
export const mutate = (parameters: Parameters, stream: ScheduleStream): ActionEffect => {
  const { scheduler } = stream
  assertCommand(parameters.values.scheduler === scheduler.name, `The command's scheduler must be ${scheduler.name}.`)
  const operation_id = uuidOf(parameters, "operation_id")
  const epoch = scopedEpochOf(parameters, scheduler.name)
  const change = changeOf(parameters, scheduler, operation_id)

  return Effect.gen(function*() {
    if (!stream.isActive(epoch)) return yield* inactive(epoch)
    const { schedule_id: source_key, ...trigger } = yield* change(stream)
    return yield* markIndeterminate(Effect.gen(function*() {
      const row = yield* findRow(stream, source_key)
      const published = yield* stream.publish(`native-mutation:${operation_id}`)
      const observed_configuration = row === undefined ? null : new CanonicalText(configurationOf(row))
      return { ...published, operation_id, source_key, observed_configuration, ...trigger }
    }))
  })
}

interface Changed {
  readonly schedule_id: string
  readonly trigger_result?: CanonicalText
}

type Change = (stream: ScheduleStream) => Effect.Effect<Changed, ActionFailed>

/** The engine's part of a mutation. */
const changeOf = (parameters: Parameters, scheduler: Scheduler, operation_id: string): Change => {
  const { definition, expected, operation, schedule_id } = parameters.values
  const { create, delete: remove, trigger_now, update } = scheduler.actions
  const refusal = (name: keyof Scheduler["actions"]) => () =>
    unsupported(scheduler, `schedule.external.mutate ${String(operation)}`, name)

  if (operation === "create") {
    if (create === undefined) return refusal("create")
    assertCommand(
      (schedule_id ?? null) === null && (expected ?? null) === null,
      "The command's schedule_id and expected must be null to create a schedule."
    )
    const schedule = newScheduleOf(definition)
    return () => callEngine(() => create(schedule))
  }

  const key = parameters.text("schedule_id")
  assertCommand(isRecord(expected), "The command's expected must be the schedule's row as it was published.")
  const configuration = configurationOf(expected)
  const applyIfUnchanged = (apply: () => Effect.Effect<Omit<Changed, "schedule_id">, ActionFailed>): Change =>
    Effect.fnUntraced(function*(stream) {
      const row = yield* findRow(stream, key)
      if (row === undefined || configurationOf(row) !== configuration) return yield* stale(key)
      return { schedule_id: key, ...(yield* callEngine(apply)) }
    })

  if (operation === "update") {
    if (update === undefined) return refusal("update")
    const changes = changesOf(definition, expected)
    return applyIfUnchanged(() =>
      Object.keys(changes).length === 0
        ? Effect.succeed({})
        : Effect.as(update({ schedule_id: key, definition: changes }), {})
    )
  }

  const hasNoDefinition = definition === undefined || definition === null ||
    (isRecord(definition) && Object.keys(definition).length === 0)
  assertCommand(hasNoDefinition, `The command's definition must be {} to ${String(operation).slice(0, 40)} a schedule.`)
  if (operation === "delete") {
    if (remove === undefined) return refusal("delete")
    return applyIfUnchanged(() => Effect.as(remove({ schedule_id: key }), {}))
  }
  assertCommand(operation === "trigger", "The command's operation must be create, update, delete or trigger.")
  if (trigger_now === undefined) return refusal("trigger_now")
  return applyIfUnchanged(() =>
    Effect.map(
      trigger_now({ schedule_id: key, submission_id: operation_id.toLowerCase() }),
      (result) => ({ trigger_result: new CanonicalText(canonicalize(result)) })
    )
  )
}
