import { Effect, Schema } from "effect"
import type { Timestamp as WireTimestamp } from "../../proto/generated/google/protobuf/timestamp.ts"
import type { Schedule as WireSchedule } from "../../proto/generated/scheduler.ts"
import { ProjectId, ScheduleId } from "../domain/kernel/Id.ts"
import * as Timestamp from "../domain/kernel/Timestamp.ts"
import { CatchUp } from "../domain/schedules/Schedule.ts"
import type { BrainUnavailable } from "./Brain.ts"
import { invalid } from "./GrpcCalls.ts"
import type { KnownSchedule } from "./KnownSchedule.ts"

/** 0 is unset (the agents' protocol, section 7). */
export const readTime = (timestamp: WireTimestamp | undefined): Timestamp.Timestamp | null =>
  timestamp === undefined || (timestamp.seconds === 0n && timestamp.nanos === 0)
    ? null
    : Timestamp.fromEpochMicros(timestamp.seconds * 1_000_000n + BigInt(Math.floor(timestamp.nanos / 1000)))

export const decodeId = Schema.decodeUnknown(ScheduleId)
export const decodeProjects = Schema.decodeUnknown(Schema.Array(Schema.Struct({ id: ProjectId, slug: Schema.String })))
export const decodeLeases = Schema.decodeUnknown(
  Schema.Array(
    Schema.Struct({ project_id: ProjectId, is_held: Schema.Boolean, holder: Schema.NullOr(Schema.String) })
  )
)
const decodeKnown = Schema.decodeUnknown(
  Schema.Struct({
    id: ScheduleId,
    project_id: ProjectId,
    name: Schema.String,
    kind: Schema.String,
    expression: Schema.NonEmptyString,
    timezone: Schema.String,
    catch_up: CatchUp,
    jitter_seconds: Schema.NonNegativeInt,
    grace_seconds: Schema.NonNegativeInt,
    anchor_at: Timestamp.Timestamp,
    is_enabled: Schema.Boolean,
    control_token: Schema.String,
    definition_digest: Schema.String,
    schedule_revision: Schema.NonNegativeInt,
    last_run_at: Schema.NullOr(Timestamp.Timestamp),
    next_run_at: Schema.NullOr(Timestamp.Timestamp)
  })
)

/** The fields that the protocol has, and those that only this project's brain sends. */
const decodeSchedule = (schedule: WireSchedule) =>
  Effect.flatMap(
    Effect.try(() => ({
      anchor_at: readTime(schedule.anchor_at),
      last_run_at: readTime(schedule.last_run_at),
      next_run_at: readTime(schedule.next_run_at)
    })),
    (times) =>
      decodeKnown({
        ...schedule,
        ...times,
        expression: schedule.native_expression,
        schedule_revision: Number(schedule.schedule_revision)
      })
  )

export const readSchedule = (method: string, schedule: WireSchedule): Effect.Effect<KnownSchedule, BrainUnavailable> =>
  Effect.mapError(decodeSchedule(schedule), () => invalid(method, `schedule ${schedule.id}`))
