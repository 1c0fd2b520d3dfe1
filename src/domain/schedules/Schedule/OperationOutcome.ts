/** How far an operation on a schedule of an engine's own scheduler is, by what its agent reported. Pure. */
import type { CommandStatus } from "../../commands/Command.ts"
import { asInt, asString, canonicalize, canonicalTextOf, JsonObject, parse } from "../../kernel/CanonicalJson.ts"
import * as Timestamp from "../../kernel/Timestamp.ts"
import { uuidv5 } from "./FireId.ts"
import type { OperationName, OperationStatus } from "./Operation.ts"

/** The place of a publication in its stream. */
export interface Publication {
  readonly epoch_number: number
  readonly sequence: number
}

/** Whether the publication `one` is later than `other`. */
export const isLater = (one: Publication, other: Publication): boolean =>
  one.epoch_number > other.epoch_number
    ? one.sequence > 0
    : one.epoch_number === other.epoch_number && one.sequence > other.sequence

/** The parts of an operation that decide about it. */
export interface OpenOperation {
  readonly operation: OperationName
  readonly status: OperationStatus
  /** Canonical JSON text of the fields to write. */
  readonly definition: string
  /** The newest publication when it was asked for. */
  readonly expected: Publication
  /** The newest publication when a snapshot was asked for because its outcome was unknown; null: none was. */
  readonly probe: Publication | null
  readonly created_at: Timestamp.Timestamp
}

/** A command to the agent as it is now. */
export interface OperationCommandState {
  readonly status: CommandStatus
  readonly dispatched_at: Timestamp.Timestamp | null
  readonly completed_at: Timestamp.Timestamp | null
  /** JSON text. */
  readonly result: string | null
  readonly error: string | null
}

export interface OperationFacts {
  /** Null: deleted. */
  readonly command: OperationCommandState | null
  /** The newest publication that was accepted; null: the stream is deleted. */
  readonly published: Publication | null
  /** The schedule's row as it was published last, canonical JSON text; null: it is not among the published ones. */
  readonly row: string | null
}

export interface OperationOutcome {
  readonly status: OperationStatus
  readonly error: string | null
  /** Whether nothing that comes can change it. */
  readonly hasEnded: boolean
  /** The publication that shows the effect, as the agent says. */
  readonly sequence: number | null
  /** The key of the schedule that the agent created, as the agent says. */
  readonly sourceKey: string | null
  /** Whether a snapshot is to be asked for, which would decide. */
  readonly needsSnapshot: boolean
}

/** Seconds between an unknown outcome and the request for a snapshot: what the agent published before has arrived. */
const settleSeconds = 2

/** Seconds that the agent has to publish what it says that it has done. */
const publicationSeconds = 60

/** Seconds after which nothing is expected to decide an unknown outcome. */
const maxOpenSeconds = Timestamp.secondsPerDay

const readResult = (command: OperationCommandState) => {
  const node = parse(command.result ?? "null")
  if (!(node instanceof JsonObject)) return { sequence: null, sourceKey: null, isIndeterminate: false }
  return {
    sequence: asInt(node.get("sequence")) ?? null,
    sourceKey: asString(node.get("source_key")) ?? null,
    isIndeterminate: node.get("indeterminate") === "true"
  }
}

/** How far the operation is. */
export const judgeOperation = (
  operation: OpenOperation,
  facts: OperationFacts,
  now: Timestamp.Timestamp
): OperationOutcome => {
  const { command } = facts
  const outcome = (
    status: OperationStatus,
    error: string | null = null,
    more: Partial<OperationOutcome> = {}
  ): OperationOutcome => ({
    status,
    error,
    hasEnded: status === "succeeded" || status === "failed" || status === "expired",
    sequence: null,
    sourceKey: null,
    needsSnapshot: false,
    ...more
  })
  const isOver = now > Timestamp.addSeconds(operation.created_at, maxOpenSeconds)

  /** The outcome is unknown until a later snapshot shows the schedule; no snapshot shows that a trigger was executed. */
  const unknown = (error: string, since: Timestamp.Timestamp | null): OperationOutcome => {
    const { operation: name, probe } = operation
    if (name === "trigger") return outcome("indeterminate", error, { hasEnded: isOver })
    if (probe === null) {
      const needsSnapshot = since !== null && now > Timestamp.addSeconds(since, settleSeconds)
      return outcome("indeterminate", error, { needsSnapshot, hasEnded: isOver })
    }
    if (facts.published === null || !isLater(facts.published, probe)) {
      return outcome("indeterminate", error, { hasEnded: isOver })
    }
    return hasEffect(operation, facts.row)
      ? outcome("succeeded", null, { sequence: facts.published.sequence })
      : outcome("failed", `${error} A later snapshot shows that it was not done.`)
  }

  if (command === null) {
    return operation.status === "pending"
      ? outcome("failed", "Its command was deleted before it was sent.")
      : outcome("indeterminate", "Its command was deleted before its outcome was read.", { hasEnded: true })
  }
  const { completed_at, dispatched_at, error, status } = command
  const reason = error ?? "The agent does not say why."
  const { isIndeterminate, sequence, sourceKey } = readResult(command)
  switch (status) {
    case "pending":
      return outcome("pending")
    case "dispatched":
      return outcome("sent")
    case "cancelled":
      return outcome("failed", reason)
    case "timeout":
      return dispatched_at === null ? outcome("expired", reason) : unknown(reason, completed_at)
    case "failed":
      return dispatched_at === null || !isIndeterminate ? outcome("failed", reason) : unknown(reason, completed_at)
    case "completed": {
      const said = { sequence, sourceKey }
      if (operation.operation === "trigger") return outcome("succeeded", null, said)
      const { published } = facts
      const before = sequence === null ? operation.expected : { ...operation.expected, sequence: sequence - 1 }
      if (published !== null && isLater(published, before)) {
        if (sequence !== null || hasEffect(operation, facts.row)) return outcome("succeeded", null, said)
      }
      const since = completed_at ?? operation.created_at
      return now > Timestamp.addSeconds(since, publicationSeconds)
        ? outcome("indeterminate", "The agent says that it was done, but has published nothing that shows it.", {
          ...said,
          hasEnded: isOver
        })
        : outcome("accepted", null, said)
    }
  }
}

/** Whether the published row is as the operation wants it. */
const hasEffect = ({ definition, operation }: OpenOperation, row: string | null): boolean => {
  if (operation === "delete") return row === null
  if (row === null) return false
  // the name of a created schedule was free before
  if (operation === "create" || operation === "trigger") return true
  const [published, wanted] = [parse(row), parse(definition)]
  if (!(published instanceof JsonObject) || !(wanted instanceof JsonObject)) return false
  const kind = asString(published.get("kind"))
  return wanted.keys.every((field) => {
    const [is, should] = [published.get(field) ?? "null", wanted.get(field) ?? "null"]
    if (canonicalTextOf(is) === canonicalTextOf(should)) return true
    return field === "expression" && kind === "interval" && Number(asString(is)) === Number(asString(should))
  })
}

/** The id of a publication: it follows from epoch and sequence. */
export const projectionIdOf = (epochUuid: string, sequence: number): string => uuidv5(epochUuid, String(sequence))

/** The definition that enables or disables a schedule. */
export const enablingDefinition = (isEnabled: boolean): string => canonicalize({ is_enabled: isEnabled })
