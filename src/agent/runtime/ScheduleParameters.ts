/** Reads the parameters of commands about schedules (agents' protocol, sections 6.3 and 6.4). Throws `BadCommand`. */
import { canonicalize, type JsonInput, type JsonValue } from "../../domain/kernel/CanonicalJson.ts"
import { type Epoch, sourceScopeOf } from "../../domain/schedules/Schedule/External.ts"
import { describeLoss } from "../../domain/tasks/LossyCopy.ts"
import type { NewSchedule, ScheduleDefinition } from "./Engine.ts"
import { BadCommand, isList, isRecord, type Parameters, UUID } from "./Parameters.ts"

export const assertCommand: (holds: boolean, sentence: string) => asserts holds = (holds, sentence) => {
  if (!holds) throw new BadCommand({ message: sentence })
}

const MAX_INSTANCE_LENGTH = 200

export const uuidOf = (parameters: Parameters, name: string): string => {
  const value = parameters.text(name)
  assertCommand(UUID.test(value), `The command's ${name} is not a UUID.`)
  return value
}

/** The epoch that the command names, except for its `source_scope`, which `schedule.external.control` lacks. */
export const epochOf = (parameters: Parameters, owner: string): Epoch => {
  const { adapter_instance_id, epoch_number } = parameters.values
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
  return { stream_id, epoch_uuid, epoch_number, owner, source_scope: sourceScopeOf(owner), adapter_instance_id }
}

export const scopedEpochOf = (parameters: Parameters, owner: string): Epoch => {
  const scope = sourceScopeOf(owner)
  assertCommand(parameters.values.source_scope === scope, `The command's source_scope must be ${scope}.`)
  return epochOf(parameters, owner)
}

export const activationOf = (parameters: Parameters, scheduler: string): Epoch => {
  const { owner, scheduler: named, stable_source } = parameters.values
  assertCommand(
    owner === scheduler && named === scheduler,
    `The command's owner and scheduler must both be ${scheduler}.`
  )
  assertCommand(stable_source === true, "The command's stable_source must be true.")
  return scopedEpochOf(parameters, scheduler)
}

/** Names and expressions are shown in one line. */
const MAX_TEXT_LENGTH = 1024

const isText = (value: JsonValue): value is string =>
  typeof value === "string" && value !== "" && value.length <= MAX_TEXT_LENGTH && !value.includes("\0") &&
  value.isWellFormed()
const isKind = (value: JsonValue): value is ScheduleDefinition["kind"] =>
  value === "cron" || value === "interval" || value === "solar" || value === "clocked"
const isQueue = (value: JsonValue): value is string | null => value === null || isText(value)
const isFlag = (value: JsonValue): value is boolean => typeof value === "boolean"

/**
 * The definition's members that are not as in `row`, the schedule as it was published. Masked arguments are refused:
 * writing them would replace the values that the mask hides.
 */
export const changesOf = (
  definition: JsonValue | undefined,
  row: { readonly [field: string]: JsonInput | undefined }
): Partial<ScheduleDefinition> => {
  assertCommand(isRecord(definition), "The command's definition must be an object.")
  const { args, expression, is_enabled, kind, kwargs, name, queue, task_name, timezone, ...others } = definition
  const unknown = Object.keys(others).slice(0, 20).join(", ").slice(0, 200)
  assertCommand(unknown === "", `A schedule's definition has no ${unknown}.`)
  const read = <K extends keyof ScheduleDefinition>(
    field: K,
    value: JsonValue | undefined,
    isValid: (value: JsonValue) => value is JsonValue & ScheduleDefinition[K],
    what: string
  ): Partial<ScheduleDefinition> => {
    if (value === undefined) return {}
    assertCommand(isValid(value), `The definition's ${field} must be ${what}.`)
    const known = row[field]
    const text = canonicalize(value)
    if (known !== undefined && canonicalize(known) === text) return {}
    assertCommand(
      (field !== "args" && field !== "kwargs") || describeLoss(text) === null,
      `The definition's ${field} have masked or omitted values, which would replace the real ones: give all values.`
    )
    return { [field]: value }
  }
  const text = `a text of 1 to ${MAX_TEXT_LENGTH} characters`
  return {
    ...read("name", name, isText, text),
    ...read("task_name", task_name, isText, text),
    ...read("kind", kind, isKind, "cron, interval, solar or clocked"),
    ...read("expression", expression, isText, text),
    ...read("timezone", timezone, isText, text),
    ...read("queue", queue, isQueue, `null or ${text}`),
    ...read("args", args, isList, "a list"),
    ...read("kwargs", kwargs, isRecord, "an object"),
    ...read("is_enabled", is_enabled, isFlag, "true or false")
  }
}

export const newScheduleOf = (definition: JsonValue | undefined): NewSchedule => {
  const { expression, kind, name, task_name, ...others } = changesOf(definition, {})
  assertCommand(
    name !== undefined && task_name !== undefined && kind !== undefined && expression !== undefined,
    "The definition of a new schedule needs name, task_name, kind and expression."
  )
  return { name, task_name, kind, expression, ...others }
}
