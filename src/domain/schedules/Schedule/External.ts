/**
 * Schedules of an engine's own scheduler as an agent publishes them (agents' protocol, section 6.3): the epoch in which
 * it does, and the rows. Pure.
 */
import { createHash } from "node:crypto"
import {
  asInt,
  asString,
  canonicalize,
  CanonicalText,
  canonicalTextOf,
  JsonArray,
  type JsonInput,
  type JsonNode,
  JsonObject,
  toCanonicalText
} from "../../kernel/CanonicalJson.ts"
import * as Timestamp from "../../kernel/Timestamp.ts"
import type { CatchUp } from "../Schedule.ts"

/** In a hello's `runtime_features`: the agent publishes schedules when it is asked to. */
export const SCHEDULE_PROTOCOL = "external_schedule_protocol_v1"
/** Among a scheduler's capabilities: each of its snapshots has all schedules of one moment. */
export const STABLE_SNAPSHOT = "external_schedule_stable_snapshot_v1"
/** Among a scheduler's capabilities: `schedule.external.mutate` changes its schedules. */
export const MUTATION = "external_schedule_mutation_v1"

/** The brain's authorization of a publisher: one stream of snapshots of one scheduler, until a higher epoch. */
export type Epoch = {
  readonly stream_id: string
  readonly epoch_uuid: string
  readonly epoch_number: number
  /** The scheduler's name. */
  readonly owner: string
  readonly source_scope: string
  /** Chosen by the brain. */
  readonly adapter_instance_id: string
}

export const isSameEpoch = (one: Epoch, other: Epoch): boolean => canonicalize(one) === canonicalize(other)

/** The only scope: all schedules of one scheduler. */
export const sourceScopeOf = (owner: string): string => canonicalize({ kind: "scheduler-owner", owner, version: 1 })

/** What a run changes in a row. */
const RUN_FIELDS = { last_run_at: undefined, next_run_at: undefined, total_runs: undefined }

/**
 * A row's canonical text without the fields that a run changes. Two reads of a schedule, or a row that the brain sent
 * back, are compared by it.
 */
export const configurationOf = (row: { readonly [field: string]: JsonInput | undefined }): string =>
  canonicalize({ ...row, ...RUN_FIELDS })

/** SHA-256 of a row or of another canonical value, hex: the digests of the protocol. */
export const digestOf = (value: JsonInput): string => createHash("sha256").update(canonicalize(value)).digest("hex")

/** A published schedule. `args` and `kwargs` are JSON text with all digits, and may contain secrets. */
export interface ExternalSchedule {
  /** The id in commands, unique within its scheduler. */
  readonly source_key: string
  /** The row's canonical JSON text, as the agent published it: what a command sends back as `expected`. */
  readonly projection: string
  /** SHA-256 of the projection, hex. */
  readonly projection_digest: string
  /** SHA-256 of the projection without the fields that a run changes, hex. */
  readonly configuration: string
  readonly engine: string
  readonly name: string
  readonly task_name: string
  /** As reported: `cron`, `interval`, `clocked`, `solar` or a kind that only its scheduler knows. */
  readonly kind: string
  readonly expression: string
  readonly timezone: string
  readonly queue: string | null
  readonly args: string
  readonly kwargs: string
  readonly is_enabled: boolean
  readonly last_run_at: Timestamp.Timestamp | null
  readonly next_run_at: Timestamp.Timestamp | null
  readonly total_runs: number
  readonly external_id: string
  readonly catch_up: CatchUp
  readonly source: string
  readonly source_hash: string | null
}

/** What one accepted frame sequence or control says: the schedules of a stream, or changes of some. */
export interface Publication {
  readonly epoch: Epoch
  /** Grows with each publication of an epoch. */
  readonly sequence: number
  /** SHA-256 of the whole publication, hex. */
  readonly digest: string
  /** When the agent read the schedules, by its own clock. */
  readonly observedAt: Timestamp.Timestamp
  /** Whether `schedules` are all of the stream: then a missing one is deleted. */
  readonly isComplete: boolean
  /** The operation of the brain that caused the publication. */
  readonly operationId: string | null
  readonly schedules: ReadonlyArray<ExternalSchedule>
  readonly deletedSourceKeys: ReadonlyArray<string>
}

/** Maximum characters of a row's texts. Those of `schedules` are as for a schedule of the service. */
export const maxLengths = {
  source_key: 512,
  engine: 40,
  name: 500,
  task_name: 500,
  kind: 40,
  expression: 1024,
  timezone: 64,
  queue: 200,
  external_id: 512,
  source: 64,
  source_hash: 128
} as const

const catchUps: ReadonlyMap<string, CatchUp> = new Map([
  ["skip", "skip"],
  ["fire_one_missed", "fire_one_missed"],
  ["fire_all_missed", "fire_all_missed"]
])

class BadRow extends Error {}

/** A row of the scheduler, or a sentence that says what is wrong with it. The sentence has no values of the row. */
export const readExternalSchedule = (node: JsonNode, scheduler: string): ExternalSchedule | string => {
  if (!(node instanceof JsonObject)) return "A schedule is not an object."
  try {
    return readRow(node, scheduler)
  } catch (cause) {
    if (cause instanceof BadRow) return cause.message
    throw cause
  }
}

const readRow = (node: JsonObject, scheduler: string): ExternalSchedule => {
  const fail = (field: string, rule: string): never => {
    throw new BadRow(`The ${field} of a schedule ${rule}.`)
  }
  const text = (field: keyof typeof maxLengths, minLength = 0): string => {
    const value = asString(node.get(field))
    const max = maxLengths[field]
    if (value === undefined || value.length < minLength || value.length > max) {
      return fail(field, `is not a string of ${minLength} to ${max} characters`)
    }
    return value.includes("\0") ? fail(field, "contains a NUL character") : value
  }
  const isNull = (field: string): boolean => {
    const value = node.get(field)
    return value === undefined || canonicalTextOf(value) === "null"
  }
  const moment = (field: string): Timestamp.Timestamp | null => {
    if (isNull(field)) return null
    return Timestamp.parse(asString(node.get(field)) ?? "") ?? fail(field, "is not a date and time with an offset")
  }
  const enabled = canonicalTextOf(node.get("is_enabled") ?? "null")
  const totalRuns = asInt(node.get("total_runs"))
  const [args, kwargs] = [node.get("args"), node.get("kwargs")]
  if (asString(node.get("scheduler")) !== scheduler) fail("scheduler", "is not the one of its stream")
  const projection = canonicalTextOf(node)
  return {
    source_key: text("source_key", 1),
    projection,
    projection_digest: digestOf(node),
    configuration: digestOf(new CanonicalText(configurationOf(membersOf(node)))),
    engine: text("engine", 1),
    name: text("name", 1),
    task_name: text("task_name"),
    kind: text("kind", 1),
    expression: text("expression"),
    timezone: text("timezone"),
    queue: isNull("queue") ? null : text("queue"),
    args: args instanceof JsonArray ? canonicalTextOf(args) : fail("args", "are not a list"),
    kwargs: kwargs instanceof JsonObject ? canonicalTextOf(kwargs) : fail("kwargs", "are not an object"),
    is_enabled: enabled === "true" || (enabled === "false" ? false : fail("is_enabled", "is neither true nor false")),
    last_run_at: moment("last_run_at"),
    next_run_at: moment("next_run_at"),
    total_runs: totalRuns !== undefined && totalRuns >= 0 ? totalRuns : fail("total_runs", "is not a count"),
    external_id: text("external_id"),
    catch_up: catchUps.get(asString(node.get("catch_up")) ?? "") ?? "skip",
    source: text("source"),
    source_hash: isNull("source_hash") ? null : text("source_hash")
  }
}

const membersOf = (node: JsonObject): Record<string, JsonInput> =>
  Object.fromEntries(node.keys.map((key, index) => [key, toCanonicalText(node.values[index] ?? "null")]))
