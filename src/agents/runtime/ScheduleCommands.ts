/** Commands about an engine's own schedules (agents' protocol, sections 6.2 to 6.4). */
import { Effect } from "effect"
import { CanonicalText } from "../../domain/CanonicalJson.ts"
import { configurationOf, type Epoch, sourceScopeOf } from "../protocol/ScheduleSnapshot.ts"
import { ActionFailed, type ActionResult, type Scheduler } from "./Engine.ts"
import { callEngine } from "./EngineCall.ts"
import { BadCommand, isRecord, type Parameters } from "./Parameters.ts"
import type { ScheduleStream } from "./ScheduleStream.ts"

type ActionEffect = Effect.Effect<ActionResult, ActionFailed>

/** Reads of the command throw `BadCommand`. */
export const performSchedule = (
  action: string,
  parameters: Parameters,
  streams: ReadonlyArray<ScheduleStream>
): ActionEffect => {
  switch (action) {
    case "schedule.resync":
      return Effect.as(
        Effect.forEach(streams, (stream) => stream.publish("command"), { discard: true }),
        { schedulers_drained: streams.length }
      )
    case "schedule.trigger_now":
      return runScheduleAction(action, parameters, streamOf(parameters, streams), "trigger_now")
    case "schedule.delete":
      return runScheduleAction(action, parameters, streamOf(parameters, streams), "delete")
    case "schedule.external.activate": {
      const stream = streamOf(parameters, streams)
      return Effect.map(
        stream.activate(activationOf(parameters, stream.scheduler.name)),
        (published): ActionResult => published
      )
    }
    case "schedule.external.mutate":
      return mutate(parameters, streamOf(parameters, streams))
    case "schedule.enable":
    case "schedule.disable":
    case "schedule.external.control":
      return unsupported(streamOf(parameters, streams).scheduler, action)
    default:
      return actionFailed(`unrecognized schedule action ${action.slice(0, 80)}`)
  }
}

const actionFailed = (message: string, indeterminate = false) => new ActionFailed({ message, indeterminate })

const unsupported = ({ name }: Scheduler, action: string) =>
  actionFailed(`adapter '${name}' does not support action '${action}'`)

const streamOf = (parameters: Parameters, streams: ReadonlyArray<ScheduleStream>): ScheduleStream => {
  const schedulerName = parameters.scheduler
  const stream = schedulerName === null && streams.length === 1
    ? streams[0]
    : streams.find(({ scheduler }) => scheduler.name === schedulerName)
  if (stream !== undefined) return stream
  const which = schedulerName ?? "the command names none, and this agent has not exactly one"
  throw new BadCommand({ message: `no scheduler adapter registered for this command: ${which}` })
}

/** Acts on a schedule directly. An active stream publishes a deletion. */
const runScheduleAction = (
  action: string,
  parameters: Parameters,
  stream: ScheduleStream,
  actionName: "trigger_now" | "delete"
): ActionEffect => {
  const { [actionName]: act } = stream.scheduler.actions
  if (act === undefined) return unsupported(stream.scheduler, action)
  const schedule_id = parameters.text("schedule_id", "schedule_id", "id")
  const effect = Effect.map(
    callEngine(() => act({ schedule_id })),
    (answer): ActionResult => ({ schedule_id, ...answer })
  )
  if (actionName === "trigger_now") return effect
  // the schedule is deleted even if publishing fails now; the next read publishes it
  return Effect.tap(effect, () => Effect.ignore(stream.publish("signal:deleted")))
}

const assertCommand: (holds: boolean, sentence: string) => asserts holds = (holds, sentence) => {
  if (!holds) throw new BadCommand({ message: sentence })
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const MAX_INSTANCE_LENGTH = 200

const uuidOf = (parameters: Parameters, name: string): string => {
  const value = parameters.text(name)
  assertCommand(UUID.test(value), `The command's ${name} is not a UUID.`)
  return value
}

const epochOf = (parameters: Parameters, owner: string): Epoch => {
  const { adapter_instance_id, epoch_number, source_scope } = parameters.values
  const scope = sourceScopeOf(owner)
  assertCommand(source_scope === scope, `The command's source_scope must be ${scope}.`)
  assertCommand(
    typeof epoch_number === "number" && Number.isSafeInteger(epoch_number) && epoch_number > 0,
    "The command's epoch_number must be a whole number of at least 1."
  )
  assertCommand(
    typeof adapter_instance_id === "string" && adapter_instance_id !== "" &&
      adapter_instance_id.length <= MAX_INSTANCE_LENGTH,
    `The command's adapter_instance_id must be a string of at most ${MAX_INSTANCE_LENGTH} characters.`
  )
  const [stream_id, epoch_uuid] = [uuidOf(parameters, "stream_id"), uuidOf(parameters, "epoch_uuid")]
  return { stream_id, epoch_uuid, epoch_number, owner, source_scope: scope, adapter_instance_id }
}

const activationOf = (parameters: Parameters, scheduler: string): Epoch => {
  const { owner, scheduler: named, stable_source } = parameters.values
  assertCommand(
    owner === scheduler && named === scheduler,
    `The command's owner and scheduler must both be ${scheduler}.`
  )
  assertCommand(stable_source === true, "The command's stable_source must be true.")
  return epochOf(parameters, scheduler)
}

/**
 * Changes a schedule if it equals the brain's copy, and publishes the change. Where nothing was done it fails without
 * `indeterminate`, which the published agents always add.
 */
const mutate = (parameters: Parameters, stream: ScheduleStream): ActionEffect => {
  const { scheduler } = stream
  const { definition, expected, operation } = parameters.values
  assertCommand(parameters.values.scheduler === scheduler.name, `The command's scheduler must be ${scheduler.name}.`)
  const operation_id = uuidOf(parameters, "operation_id")
  const epoch = epochOf(parameters, scheduler.name)
  const { delete: remove, trigger_now } = scheduler.actions
  const act = operation === "delete" ? remove : operation === "trigger" ? trigger_now : undefined
  if (act === undefined) return unsupported(scheduler, `schedule.external.mutate ${String(operation).slice(0, 40)}`)
  const source_key = parameters.text("schedule_id")
  assertCommand(isRecord(expected), "The command's expected must be the schedule's row as it was published.")
  const isUnchanged = isRecord(definition) && Object.keys(definition).length === 0
  assertCommand(isUnchanged, `The command's definition must be {} to ${operation} a schedule.`)
  const configuration = configurationOf(expected)

  return Effect.gen(function*() {
    if (!stream.isActive(epoch)) {
      return yield* actionFailed(`That epoch of ${scheduler.name} is not active here; activate one first.`)
    }
    const { rows } = yield* stream.readSchedules
    const row = rows.find((row) => row.source_key === source_key)
    if (row === undefined || configurationOf(row) !== configuration) {
      return yield* actionFailed(
        `The schedule ${source_key} is not as the command expects it. Read it again and repeat the command.`
      )
    }
    const answer = yield* callEngine(() => act({ schedule_id: source_key }))
    const published = yield* Effect.mapError(
      stream.publish(`native-mutation:${operation_id}`),
      ({ message }) => actionFailed(`The command was executed, but its effect cannot be published: ${message}`, true)
    )
    const observed = operation === "delete"
      ? { observed_configuration: null }
      : { observed_configuration: new CanonicalText(configuration), trigger_result: answer }
    return { ...published, operation_id, source_key, ...observed }
  })
}
