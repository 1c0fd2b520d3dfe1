/** Commands about an engine's own schedules (agents' protocol, sections 6.2 to 6.4). */
import { Effect } from "effect"
import { CanonicalText } from "../../domain/CanonicalJson.ts"
import { configurationOf, type Epoch, sourceScopeOf } from "../protocol/ScheduleSnapshot.ts"
import { cut } from "./Cut.ts"
import { ActionFailed, type Answer, type Scheduler } from "./Engine.ts"
import { BadCommand, isRecord, type Parameters } from "./Parameters.ts"
import type { ScheduleStream } from "./ScheduleStream.ts"

type Doing = Effect.Effect<Answer, ActionFailed>

/** Reads of the command throw `BadCommand`. */
export const performSchedule = (action: string, given: Parameters, streams: ReadonlyArray<ScheduleStream>): Doing => {
  switch (action) {
    case "schedule.resync":
      return Effect.as(
        Effect.forEach(streams, (stream) => stream.publish("command"), { discard: true }),
        { schedulers_drained: streams.length }
      )
    case "schedule.trigger_now":
      return onSchedule(action, given, streamOf(given, streams), "trigger_now")
    case "schedule.delete":
      return onSchedule(action, given, streamOf(given, streams), "delete")
    case "schedule.external.activate": {
      const stream = streamOf(given, streams)
      return Effect.map(stream.activate(activationOf(given, stream.scheduler.name)), (published): Answer => published)
    }
    case "schedule.external.mutate":
      return mutate(given, streamOf(given, streams))
    case "schedule.enable":
    case "schedule.disable":
    case "schedule.external.control":
      return unsupported(streamOf(given, streams).scheduler, action)
    default:
      return failed(`unrecognized schedule action ${action.slice(0, 80)}`)
  }
}

const failed = (message: string, indeterminate = false) => new ActionFailed({ message, indeterminate })

const unsupported = ({ name }: Scheduler, action: string) =>
  failed(`adapter '${name}' does not support action '${action}'`)

const streamOf = (given: Parameters, streams: ReadonlyArray<ScheduleStream>): ScheduleStream => {
  const named = given.scheduler
  const stream = named === null && streams.length === 1
    ? streams[0]
    : streams.find(({ scheduler }) => scheduler.name === named)
  if (stream !== undefined) return stream
  const which = named ?? "the command names none, and this agent has not exactly one"
  throw new BadCommand({ message: `no scheduler adapter registered for this command: ${which}` })
}

/** What is done to a schedule directly. A stream that is active shows that one is gone. */
const onSchedule = (
  action: string,
  given: Parameters,
  stream: ScheduleStream,
  what: "trigger_now" | "delete"
): Doing => {
  const { [what]: act } = stream.scheduler.actions
  if (act === undefined) return unsupported(stream.scheduler, action)
  const schedule_id = given.text("schedule_id", "schedule_id", "id")
  const done = Effect.map(cut(() => act({ schedule_id })), (answer): Answer => ({ schedule_id, ...answer }))
  if (what === "trigger_now") return done
  // it is deleted, whether or not this can be shown now: the next look will
  return Effect.tap(done, () => Effect.ignore(stream.publish("signal:deleted")))
}

const demand: (holds: boolean, sentence: string) => asserts holds = (holds, sentence) => {
  if (!holds) throw new BadCommand({ message: sentence })
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const LONGEST_INSTANCE = 200

const uuidOf = (given: Parameters, name: string): string => {
  const value = given.text(name)
  demand(UUID.test(value), `The command's ${name} is no UUID.`)
  return value
}

const epochOf = (given: Parameters, owner: string): Epoch => {
  const { adapter_instance_id, epoch_number, source_scope } = given.values
  const scope = sourceScopeOf(owner)
  demand(source_scope === scope, `The command's source_scope must be ${scope}.`)
  demand(
    typeof epoch_number === "number" && Number.isSafeInteger(epoch_number) && epoch_number > 0,
    "The command's epoch_number must be a whole number of at least 1."
  )
  demand(
    typeof adapter_instance_id === "string" && adapter_instance_id !== "" &&
      adapter_instance_id.length <= LONGEST_INSTANCE,
    `The command's adapter_instance_id must be a text of at most ${LONGEST_INSTANCE} characters.`
  )
  const [stream_id, epoch_uuid] = [uuidOf(given, "stream_id"), uuidOf(given, "epoch_uuid")]
  return { stream_id, epoch_uuid, epoch_number, owner, source_scope: scope, adapter_instance_id }
}

const activationOf = (given: Parameters, scheduler: string): Epoch => {
  const { owner, scheduler: named, stable_source } = given.values
  demand(owner === scheduler && named === scheduler, `The command's owner and scheduler must both be ${scheduler}.`)
  demand(stable_source === true, "The command's stable_source must be true.")
  return epochOf(given, scheduler)
}

/**
 * Changes a schedule if it is as the brain believes, and publishes what came of it. Where nothing was done the failure
 * says only that; the published agents say that nobody knows, then too.
 */
const mutate = (given: Parameters, stream: ScheduleStream): Doing => {
  const { scheduler } = stream
  const { definition, expected, operation } = given.values
  demand(given.values.scheduler === scheduler.name, `The command's scheduler must be ${scheduler.name}.`)
  const operation_id = uuidOf(given, "operation_id")
  const epoch = epochOf(given, scheduler.name)
  const { delete: remove, trigger_now } = scheduler.actions
  const act = operation === "delete" ? remove : operation === "trigger" ? trigger_now : undefined
  if (act === undefined) return unsupported(scheduler, `schedule.external.mutate ${String(operation).slice(0, 40)}`)
  const source_key = given.text("schedule_id")
  demand(isRecord(expected), "The command's expected must be the schedule's row as it was published.")
  const unchanged = isRecord(definition) && Object.keys(definition).length === 0
  demand(unchanged, `The command's definition must be {} to ${operation} a schedule.`)
  const configuration = configurationOf(expected)

  return Effect.gen(function*() {
    if (!stream.isActive(epoch)) {
      return yield* failed(`That epoch of ${scheduler.name} is not active here; activate one first.`)
    }
    const { rows } = yield* stream.look
    const row = rows.find((row) => row.source_key === source_key)
    if (row === undefined || configurationOf(row) !== configuration) {
      return yield* failed(`The schedule ${source_key} is not as the command expects it; look again.`)
    }
    const answer = yield* cut(() => act({ schedule_id: source_key }))
    const published = yield* Effect.mapError(
      stream.publish(`native-mutation:${operation_id}`),
      ({ message }) => failed(`It was done, but what came of it cannot be shown: ${message}`, true)
    )
    const observed = operation === "delete"
      ? { observed_configuration: null }
      : { observed_configuration: new CanonicalText(configuration), trigger_result: answer }
    return { ...published, operation_id, source_key, ...observed }
  })
}
