/** The life of an operation on a schedule of an engine's own scheduler: how it begins, and what moves it on. Pure. */
import { Schema } from "effect"
import type { CommandStatus } from "../../commands/Command.ts"
import { asInt, asString, canonicalize, canonicalTextOf, JsonObject, parse } from "../../kernel/CanonicalJson.ts"
import { CommandId, Id, ProjectId, ScheduleId, ScheduleOperationId, ScheduleStreamId } from "../../kernel/Id.ts"
import * as Timestamp from "../../kernel/Timestamp.ts"
import { uuidv5 } from "./FireId.ts"
import { type ControlOperationPublic, type NativeOperationPublic, OperationName, OperationStatus } from "./Operation.ts"

export const ScheduleOperation = Schema.Struct({
  id: ScheduleOperationId,
  project_id: ProjectId,
  /** Null: a schedule that is being created. */
  schedule_id: Schema.NullOr(ScheduleId),
  operation: OperationName,
  /** Null: an operation without a request id. */
  request_id: Schema.NullOr(Id),
  /** The request as canonical JSON text, which may contain secrets, encrypted; null: none. */
  sealed_request: Schema.NullOr(Schema.String),
  stream_id: ScheduleStreamId,
  /** The epoch and newest publication of the stream when the operation was requested. */
  epoch_uuid: Id,
  epoch_number: Schema.Int,
  expected_sequence: Schema.Int,
  /** The schedule's key at its scheduler; null: a creation whose agent has not reported it. */
  source_key: Schema.NullOr(Schema.String),
  command_id: CommandId,
  status: OperationStatus,
  /** The publication that shows the effect, as the agent says. */
  reserved_sequence: Schema.NullOr(Schema.Int),
  desired_is_enabled: Schema.NullOr(Schema.Boolean),
  /** The newest publication when a snapshot was requested, which decides about an unknown outcome; null: none was. */
  probe_epoch_number: Schema.NullOr(Schema.Int),
  probe_sequence: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
  created_at: Timestamp.Timestamp,
  updated_at: Timestamp.Timestamp,
  /** When nothing could change it any more; null: something can. */
  ended_at: Schema.NullOr(Timestamp.Timestamp)
})
export type ScheduleOperation = typeof ScheduleOperation.Type

type State =
  | "status"
  | "reserved_sequence"
  | "probe_epoch_number"
  | "probe_sequence"
  | "error"
  | "created_at"
  | "updated_at"
  | "ended_at"

/** An operation whose command waits to be sent. */
export const beginOperation = (
  fields: Omit<ScheduleOperation, State>,
  now: Timestamp.Timestamp
): ScheduleOperation => ({
  ...fields,
  status: "pending",
  reserved_sequence: null,
  probe_epoch_number: null,
  probe_sequence: null,
  error: null,
  created_at: now,
  updated_at: now,
  ended_at: null
})

/** The operation as its caller sees it. */
export const nativeOperationOf = (operation: ScheduleOperation): NativeOperationPublic => {
  const { command_id, created_at, error, id, schedule_id, status, updated_at } = operation
  return { id, schedule_id, command_id, operation: operation.operation, status, error, created_at, updated_at }
}

/** The operation with the publications that it is compared with; null for a creation, which has no schedule yet. */
export const controlOperationOf = (operation: ScheduleOperation): ControlOperationPublic | null => {
  const { desired_is_enabled, epoch_uuid, reserved_sequence, schedule_id, source_key, status } = operation
  if (schedule_id === null || source_key === null || desired_is_enabled === null) return null
  return {
    ...nativeOperationOf(operation),
    schedule_id,
    source_key,
    desired_is_enabled,
    stream_id: operation.stream_id,
    epoch_uuid,
    epoch_number: operation.epoch_number,
    expected_accepted_sequence: operation.expected_sequence,
    reserved_sequence,
    result_projection_id: status === "succeeded" && reserved_sequence !== null
      ? uuidv5(epoch_uuid, String(reserved_sequence))
      : null
  }
}

/** The place of a publication in its stream. */
interface Place {
  readonly epoch_number: number
  readonly sequence: number
}

const placeOf = (epoch_number: number | null, sequence: number | null): Place | null =>
  epoch_number === null || sequence === null ? null : { epoch_number, sequence }

/** Whether the publication `one` is later than `other`. */
const isLater = (one: Place, other: Place): boolean =>
  one.epoch_number > other.epoch_number
    ? one.sequence > 0
    : one.epoch_number === other.epoch_number && one.sequence > other.sequence

/** What is known outside of the operation, and moves it. */
export interface OperationFacts {
  /** Its command as it is now; null: deleted. */
  readonly command_status: CommandStatus | null
  readonly command_dispatched_at: Timestamp.Timestamp | null
  readonly command_completed_at: Timestamp.Timestamp | null
  /** JSON text. */
  readonly command_result: string | null
  readonly command_error: string | null
  /** The newest publication that was accepted; null: the stream is deleted. */
  readonly published_epoch_number: number | null
  readonly published_sequence: number | null
  /** The schedule as it was published last, with its canonical JSON text; null: it is not among the published ones. */
  readonly claim: { readonly schedule_id: ScheduleId; readonly projection: string } | null
  /** Canonical JSON text of the fields to write. */
  readonly definition: string
}

interface Verdict {
  readonly status: OperationStatus
  readonly error: string | null
  /** Whether nothing that comes can change it. */
  readonly hasEnded: boolean
  readonly sequence: number | null
  /** The key of the schedule that the agent created, as the agent says. */
  readonly sourceKey: string | null
  /** Whether a snapshot is needed, because nothing else will decide. */
  readonly needsSnapshot: boolean
}

/** Seconds between an unknown outcome and the request for a snapshot: what the agent published before has arrived. */
const probeDelaySeconds = 2

/** Seconds that the agent has to publish what it reports as done. */
const publicationSeconds = 60

/** Seconds after which nothing is expected to decide an unknown outcome. */
const maxOpenSeconds = Timestamp.secondsPerDay

/** What the agent reports of the operation. */
export const readOperationResult = (result: string | null) => {
  const node = parse(result ?? "null")
  if (!(node instanceof JsonObject)) return { sequence: null, sourceKey: null, isIndeterminate: false }
  return {
    sequence: asInt(node.get("sequence")) ?? null,
    sourceKey: asString(node.get("source_key")) ?? null,
    isIndeterminate: node.get("indeterminate") === "true"
  }
}

/**
 * The next state of an operation that has not ended; null: it stays as it is. Where its probe is new, the caller
 * requests a snapshot, which will decide.
 */
export const nextOperation = (
  operation: ScheduleOperation,
  facts: OperationFacts,
  now: Timestamp.Timestamp
): ScheduleOperation | null => {
  const { error, hasEnded, needsSnapshot, sequence, sourceKey, status } = evaluate(operation, facts, now)
  const { claim, published_epoch_number, published_sequence } = facts
  const source_key = operation.source_key ?? sourceKey
  const next: ScheduleOperation = {
    ...operation,
    status,
    error,
    source_key,
    schedule_id: operation.schedule_id ?? (source_key === null ? null : claim?.schedule_id ?? null),
    reserved_sequence: sequence ?? operation.reserved_sequence,
    ...(needsSnapshot && {
      probe_epoch_number: published_epoch_number ?? operation.epoch_number,
      probe_sequence: published_sequence ?? operation.expected_sequence
    }),
    ended_at: hasEnded ? now : null
  }
  // the cast: at run time also the keys of facts that the caller has beside them, which are equal in both
  const hasChanged = (Object.keys(next) as Array<keyof ScheduleOperation>).some((key) => next[key] !== operation[key])
  return hasChanged ? { ...next, updated_at: now } : null
}

const outcome = (
  status: OperationStatus,
  error: string | null = null,
  more: Partial<Verdict> = {}
): Verdict => ({
  status,
  error,
  hasEnded: status === "succeeded" || status === "failed" || status === "expired",
  sequence: null,
  sourceKey: null,
  needsSnapshot: false,
  ...more
})

const evaluate = (operation: ScheduleOperation, facts: OperationFacts, now: Timestamp.Timestamp): Verdict => {
  const { command_completed_at, command_dispatched_at, command_error, command_result, command_status } = facts
  const published = placeOf(facts.published_epoch_number, facts.published_sequence)
  const probe = placeOf(operation.probe_epoch_number, operation.probe_sequence)
  const isOver = now > Timestamp.addSeconds(operation.created_at, maxOpenSeconds)

  /** The outcome is unknown until a later snapshot shows the schedule; no snapshot shows that a trigger was executed. */
  const unknown = (error: string): Verdict => {
    if (operation.operation === "trigger") return outcome("indeterminate", error, { hasEnded: isOver })
    if (probe === null) {
      const needsSnapshot = command_completed_at !== null &&
        now > Timestamp.addSeconds(command_completed_at, probeDelaySeconds)
      return outcome("indeterminate", error, { needsSnapshot, hasEnded: isOver })
    }
    if (published === null || !isLater(published, probe)) {
      return outcome("indeterminate", error, { hasEnded: isOver })
    }
    return hasEffect(operation, facts)
      ? outcome("succeeded", null, { sequence: published.sequence })
      : outcome("failed", `${error} A later snapshot shows that it was not done.`)
  }

  const reason = command_error ?? "The agent does not say why."
  const isSent = command_dispatched_at !== null
  const { isIndeterminate, sequence, sourceKey } = readOperationResult(command_result)
  switch (command_status) {
    case null:
      return operation.status === "pending"
        ? outcome("failed", "Its command was deleted before it was sent.")
        : outcome("indeterminate", "Its command was deleted before its outcome was read.", { hasEnded: true })
    case "pending":
      return outcome("pending")
    case "dispatched":
      return outcome("sent")
    case "cancelled":
      return outcome("failed", reason)
    case "timeout":
      return isSent ? unknown(reason) : outcome("expired", reason)
    case "failed":
      return isSent && isIndeterminate ? unknown(reason) : outcome("failed", reason)
    case "completed": {
      const agentReport = { sequence, sourceKey }
      if (operation.operation === "trigger") return outcome("succeeded", null, agentReport)
      const { epoch_number, expected_sequence } = operation
      const before = { epoch_number, sequence: sequence === null ? expected_sequence : sequence - 1 }
      if (published !== null && isLater(published, before)) {
        if (sequence !== null || hasEffect(operation, facts)) return outcome("succeeded", null, agentReport)
      }
      const since = command_completed_at ?? operation.created_at
      return now > Timestamp.addSeconds(since, publicationSeconds)
        ? outcome("indeterminate", "The agent says that it was done, but has published nothing that shows it.", {
          ...agentReport,
          hasEnded: isOver
        })
        : outcome("accepted", null, agentReport)
    }
  }
}

/** Whether the published row is as the operation wants it. */
const hasEffect = ({ operation }: ScheduleOperation, { claim, definition }: OperationFacts): boolean => {
  if (operation === "delete") return claim === null
  if (claim === null) return false
  // the name of a created schedule was free before
  if (operation === "create" || operation === "trigger") return true
  const [published, wanted] = [parse(claim.projection), parse(definition)]
  if (!(published instanceof JsonObject) || !(wanted instanceof JsonObject)) return false
  const kind = asString(published.get("kind"))
  return wanted.keys.every((field) => {
    const [is, should] = [published.get(field) ?? "null", wanted.get(field) ?? "null"]
    if (canonicalTextOf(is) === canonicalTextOf(should)) return true
    return field === "expression" && kind === "interval" && Number(asString(is)) === Number(asString(should))
  })
}

/** The definition that enables or disables a schedule. */
export const enablingDefinition = (isEnabled: boolean): string => canonicalize({ is_enabled: isEnabled })
