/** Commands about an engine's own schedules (agents' protocol, sections 6.2 to 6.4). */
import { Effect } from "effect"
import type { ActionResult } from "./Engine.ts"
import { callEngine } from "./EngineCall.ts"
import { BadCommand, type Parameters } from "./Parameters.ts"
import { type ActionEffect, actionFailed, control, mutate, unsupported } from "./ScheduleChanges.ts"
import { activationOf } from "./ScheduleParameters.ts"
import type { ScheduleStream } from "./ScheduleStream.ts"

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
      return runScheduleAction(action, parameters, streamOf(parameters, streams), "trigger_now", null)
    case "schedule.delete":
      return runScheduleAction(action, parameters, streamOf(parameters, streams), "delete", "signal:deleted")
    case "schedule.enable":
      return runScheduleAction(action, parameters, streamOf(parameters, streams), "enable", "signal:updated")
    case "schedule.disable":
      return runScheduleAction(action, parameters, streamOf(parameters, streams), "disable", "signal:updated")
    case "schedule.external.activate": {
      const stream = streamOf(parameters, streams)
      return Effect.map(
        stream.activate(activationOf(parameters, stream.scheduler.name)),
        (published): ActionResult => published
      )
    }
    case "schedule.external.mutate":
      return mutate(parameters, streamOf(parameters, streams))
    case "schedule.external.control":
      return control(parameters, streamOf(parameters, streams))
    default:
      return actionFailed(`unrecognized schedule action ${action.slice(0, 80)}`)
  }
}

const streamOf = (parameters: Parameters, streams: ReadonlyArray<ScheduleStream>): ScheduleStream => {
  const schedulerName = parameters.scheduler
  const stream = schedulerName === null && streams.length === 1
    ? streams[0]
    : streams.find(({ scheduler }) => scheduler.name === schedulerName)
  if (stream !== undefined) return stream
  const which = schedulerName ?? "the command names none, and this agent has not exactly one"
  throw new BadCommand({ message: `no scheduler adapter registered for this command: ${which}` })
}

/** Runs an action of a schedule. An active stream publishes a change, for this reason. */
const runScheduleAction = (
  action: string,
  parameters: Parameters,
  stream: ScheduleStream,
  actionName: "trigger_now" | "delete" | "enable" | "disable",
  reason: string | null
): ActionEffect => {
  const { [actionName]: apply } = stream.scheduler.actions
  if (apply === undefined) return unsupported(stream.scheduler, action, actionName)
  const schedule_id = parameters.text("schedule_id", "schedule_id", "id")
  const request = { schedule_id, ...(actionName === "trigger_now" ? parameters.submissionOfFire() : {}) }
  const effect = Effect.map(
    callEngine(() => apply(request)),
    (result): ActionResult => ({ schedule_id, ...result })
  )
  if (reason === null) return effect
  // the schedule is changed even if publishing fails now; the next read publishes it
  return Effect.tap(effect, () => Effect.ignore(stream.publish(reason)))
}
