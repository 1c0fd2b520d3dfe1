/** A schedule as scheduler programs see it, and the digest of a snapshot of them. */
import { Either } from "effect"
import { createHash } from "node:crypto"
import type { Schedule as ScheduleMessage, ScheduleSnapshotComplete } from "../../proto/generated/scheduler.ts"
import { parse, type Timestamp } from "../domain/kernel/Timestamp.ts"
import type { Schedule } from "../domain/schedules/Schedule.ts"
import * as Interval from "../domain/schedules/Schedule/Interval.ts"
import { compileSchedule } from "../domain/schedules/Schedule/Plan.ts"
import { writeTime } from "./Convert.ts"

/** The version of every part of the protocol. */
export const currentVersion = 1

/** The version of the cadence's rules that the protocol knows. */
export const cadenceVersion = 1

const beginning = parse("1999-12-31T00:00:00Z")

/**
 * The expression in the dialect of the protocol: seconds come last in six fields, an interval is a number of seconds,
 * and a date and time is in UTC.
 */
const wireExpression = (schedule: Schedule): string => {
  const { expression, kind } = schedule
  if (kind === "interval") return String(Either.getOrElse(Interval.parse(expression), () => expression))
  if (kind === "clocked") {
    const cadence = Either.getOrNull(compileSchedule(schedule))
    return (beginning === undefined ? null : cadence?.next(beginning)) ?? expression
  }
  const [seconds, ...fields] = expression.trim().split(/\s+/)
  return fields.length === 5 && seconds !== undefined ? [...fields, seconds].join(" ") : expression
}

/**
 * Whether the scheduler fires it. A schedule without a next tick is shown as disabled, because a client refuses an
 * enabled one without `next_run_at`; a date and time that has fired is the exception.
 */
const isFired = ({ is_enabled, kind, last_run_at, next_run_at, paused_at, quarantined_at }: Schedule): boolean =>
  is_enabled && paused_at === null && quarantined_at === null &&
  (next_run_at !== null || (kind === "clocked" && last_run_at !== null))

interface MessageContext {
  /** The client's own, as it was negotiated: it hashes the client's runtime, which the brain cannot verify. */
  readonly fingerprint: string
  readonly graceSeconds: number
  readonly digest: string
}

export const writeSchedule = (
  schedule: Schedule,
  { digest, fingerprint, graceSeconds }: MessageContext
): ScheduleMessage => ({
  id: schedule.id,
  project_id: schedule.project_id,
  engine: schedule.engine,
  name: schedule.name,
  task_name: schedule.task_name,
  kind: schedule.kind,
  expression: wireExpression(schedule),
  timezone: schedule.timezone,
  queue: schedule.queue ?? "",
  args_json: Buffer.from(schedule.args),
  kwargs_json: Buffer.from(schedule.kwargs),
  is_enabled: isFired(schedule),
  catch_up: schedule.catch_up,
  source: schedule.source,
  last_run_at: writeTime(schedule.last_run_at),
  next_run_at: writeTime(schedule.next_run_at),
  total_runs: BigInt(schedule.total_runs),
  source_hash: schedule.source_hash ?? "",
  control_token: schedule.control_token ?? "",
  schedule_revision: BigInt(schedule.schedule_revision ?? 0),
  definition_digest: digest,
  cadence_semantics_version: cadenceVersion,
  cadence_runtime_fingerprint: fingerprint,
  native_expression: schedule.expression,
  jitter_seconds: schedule.jitter_seconds,
  grace_seconds: schedule.grace_seconds ?? graceSeconds,
  anchor_at: writeTime(schedule.anchor_at),
  due_at: writeTime(schedule.due_at)
})

/** JSON with sorted keys, no spaces, and ASCII only. */
const canonicalAscii = (fields: Readonly<Record<string, string | number | boolean | null>>): Buffer =>
  Buffer.from(
    JSON.stringify(Object.fromEntries(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)))).replace(
      /[\u007f-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
    )
  )

/** `2026-01-02T03:04:05.000000+00:00`. */
const isoTime = (time: Timestamp | null): string | null => time === null ? null : `${time.slice(0, 26)}+00:00`

/** Where a client counts from when a schedule has neither fired nor a next tick. */
const defaultAnchor = "2000-01-01T00:00:00.000000+00:00"

/** The fields of a schedule that the digest covers; `schedule` and `message` are of one schedule. */
const digestFields = (schedule: Schedule, message: ScheduleMessage) => {
  const last = isoTime(schedule.last_run_at)
  const next = isoTime(schedule.next_run_at)
  return {
    id: message.id,
    project_id: message.project_id,
    kind: message.kind,
    expression: message.expression,
    timezone: message.timezone,
    is_enabled: message.is_enabled,
    catch_up: message.catch_up,
    anchor_at: last ?? next ?? defaultAnchor,
    last_fire_at: last,
    next_fire_at: next,
    name: message.name,
    engine: message.engine,
    control_token: message.control_token,
    schedule_revision: Number(message.schedule_revision),
    definition_digest: message.definition_digest,
    cadence_semantics_version: message.cadence_semantics_version,
    cadence_runtime_fingerprint: message.cadence_runtime_fingerprint
  }
}

/**
 * The digest of a snapshot, hex: SHA-256 over the header and each row, in the order of their ids, each with its length
 * in 8 bytes before it (the agents' protocol, section 7; the fields were found with z4j-scheduler 1.13.0).
 */
export const makeSnapshotDigest = (
  header: Pick<ScheduleSnapshotComplete, "format_version" | "snapshot_id" | "project_id" | "watermark" | "row_count">
) => {
  const hash = createHash("sha256")
  const add = (bytes: Buffer) => {
    const length = Buffer.alloc(8)
    length.writeBigUInt64BE(BigInt(bytes.length))
    hash.update(length).update(bytes)
  }
  add(canonicalAscii({ ...header, watermark: Number(header.watermark), row_count: Number(header.row_count) }))
  return {
    add: (schedule: Schedule, message: ScheduleMessage) => add(canonicalAscii(digestFields(schedule, message))),
    finish: () => hash.digest("hex")
  }
}
