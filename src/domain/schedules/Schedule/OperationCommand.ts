/** The commands of operations on schedules of an engine's own scheduler (agents' protocol, sections 6.2 and 6.4). Pure. */
import * as Arr from "effect/Array"
import type { CommandAction } from "../../commands/Command.ts"
import {
  canonicalize,
  CanonicalText,
  type JsonInput,
  JsonObject,
  parse,
  toCanonicalText
} from "../../kernel/CanonicalJson.ts"
import type { AgentId, ScheduleId, ScheduleOperationId } from "../../kernel/Id.ts"
import { digestOf, type Epoch, MUTATION } from "./External.ts"
import type { NativeCapabilities, OperationName } from "./Operation.ts"

/** Which operations a scheduler with these capabilities can do. */
export const operationsOf = (capabilities: ReadonlyArray<string>): ReadonlyArray<OperationName> => {
  const can = (name: string) => capabilities.includes(name)
  const checks: ReadonlyArray<readonly [OperationName, boolean]> = [
    ["enable", can("enable")],
    ["disable", can("disable")],
    ["create", can(MUTATION) && can("create")],
    ["update", can(MUTATION) && can("update")],
    ["delete", can("delete")],
    ["trigger", can("trigger_now")]
  ]
  return checks.flatMap(([name, isPossible]) => isPossible ? [name] : [])
}

/** A stream as far as it says what its publisher can do. */
type Publisher =
  & Omit<NativeCapabilities["schedulers"][number]["publishers"][number], "agent_name" | "is_live" | "operations">
  & {
    readonly scheduler: string
    readonly capabilities: ReadonlyArray<string>
  }

/** What the schedulers of these streams can do, and who publishes their schedules. */
export const capabilitiesOf = (
  streams: ReadonlyArray<Publisher>,
  agentNames: ReadonlyMap<AgentId, string>
): NativeCapabilities => ({
  schedulers: Object.entries(Arr.groupBy(streams, ({ scheduler }) => scheduler)).map(([scheduler, published]) => {
    const publishers = published.map((stream) => ({
      agent_id: stream.agent_id,
      agent_name: agentNames.get(stream.agent_id) ?? "",
      is_live: stream.status === "live",
      status: stream.status,
      operations: operationsOf(stream.capabilities),
      schedule_count: stream.schedule_count,
      snapshot_at: stream.snapshot_at,
      error: stream.error
    }))
    const live = publishers.filter(({ is_live }) => is_live)
    return {
      scheduler,
      is_live: live.length > 0,
      operations: [...new Set(live.flatMap(({ operations }) => operations))],
      publishers
    }
  })
})

export interface OperationCommandOptions {
  readonly id: ScheduleOperationId
  readonly operation: OperationName
  readonly epoch: Epoch
  readonly acceptedSequence: number
  readonly agentId: AgentId
  readonly capabilities: ReadonlyArray<string>
  /** Null: a creation. */
  readonly schedule: {
    readonly id: ScheduleId
    readonly sourceKey: string
    /** The row as it was published last, canonical JSON text. */
    readonly projection: string
  } | null
  /** Canonical JSON text of the fields to write. */
  readonly definition: string
}

/** `sealed` are parameters that may contain secrets: the agents do not mask the arguments of schedules. */
export interface OperationCommand {
  readonly action: CommandAction
  readonly parameters: Readonly<Record<string, JsonInput | undefined>>
  readonly sealed?: Readonly<Record<string, CanonicalText>>
}

/**
 * The command of an operation that the scheduler can do.
 *
 * Enabling and disabling are an update where the scheduler takes one. Agents compare an update with the definition
 * alone. They compare `schedule.external.control` with the whole row, which each run changes; a control that is refused
 * after its sequence was reserved stops all later publications of published agents 1.13.0 until their process ends.
 */
export const operationCommand = (options: OperationCommandOptions): OperationCommand => {
  const { capabilities, epoch, id, operation, schedule } = options
  const isMutable = capabilities.includes(MUTATION)
  const scheduler = epoch.owner
  if (isMutable) return mutation(options, operation === "enable" || operation === "disable" ? "update" : operation)
  const schedule_id = schedule?.sourceKey
  if (operation === "trigger") {
    return { action: "schedule.trigger_now", parameters: { scheduler, schedule_id, fire_id: id } }
  }
  return operation === "delete"
    ? { action: "schedule.delete", parameters: { scheduler, schedule_id } }
    : control(options, operation === "enable")
}

/** A change that the agent does only if the schedule's definition is as it was published. */
const mutation = (
  { definition, epoch, id, schedule }: OperationCommandOptions,
  operation: string
): OperationCommand => {
  const { owner, ...rest } = epoch
  return {
    action: "schedule.external.mutate",
    parameters: {
      ...rest,
      scheduler: owner,
      operation_id: id,
      operation,
      schedule_id: schedule?.sourceKey ?? null,
      ...(schedule === null && { expected: null })
    },
    sealed: {
      definition: new CanonicalText(definition),
      ...(schedule !== null && { expected: new CanonicalText(schedule.projection) })
    }
  }
}

/** Sets whether the schedule is enabled, if its whole row is as it was published. The parameters are exactly these. */
const control = (
  { acceptedSequence, agentId, epoch, id, schedule }: OperationCommandOptions,
  isEnabled: boolean
): OperationCommand => {
  const projection = new CanonicalText(schedule?.projection ?? "{}")
  const desired = new CanonicalText(canonicalize({ ...membersOf(projection.text), is_enabled: isEnabled }))
  const { adapter_instance_id, epoch_number, epoch_uuid, owner, stream_id } = epoch
  return {
    action: "schedule.external.control",
    parameters: {
      adapter_instance_id,
      epoch_number,
      epoch_uuid,
      stream_id,
      operation_id: id,
      scheduler: owner,
      schedule_id: schedule?.sourceKey,
      source_key: schedule?.sourceKey,
      z4j_schedule_id: schedule?.id,
      expected_accepted_sequence: acceptedSequence,
      expected_projection_digest: digestOf(projection),
      desired_projection_digest: digestOf(desired),
      registry_owner_id: agentId,
      session_generation: epoch_number
    },
    sealed: { desired_projection: desired }
  }
}

const membersOf = (text: string): Record<string, JsonInput> => {
  const node = parse(text)
  if (!(node instanceof JsonObject)) return {}
  return Object.fromEntries(node.keys.map((key) => [key, toCanonicalText(node.get(key) ?? "null")]))
}
