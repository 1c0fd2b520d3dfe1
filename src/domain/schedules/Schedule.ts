import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { Id, ProjectId, ScheduleId, type ScheduleStreamId } from "../kernel/Id.ts"
import type { Language } from "../kernel/Language.ts"
import { Page } from "../kernel/Page.ts"
import { patchField } from "../kernel/Patch.ts"
import { nullish, text } from "../kernel/Text.ts"
import { Timestamp } from "../kernel/Timestamp.ts"
import { ScheduleKind } from "./Schedule/Cadence.ts"
import { summarize } from "./Schedule/Summary.ts"

/** The owner of the schedules that the service fires itself: the brain, or the program `svc-scheduler`. */
export const serviceScheduler = "svc-scheduler"

/** Whether the service fires the schedule; else an engine's own scheduler does, and the brain watches. */
export const isServiceOwned = ({ scheduler }: { readonly scheduler: string }): boolean => scheduler === serviceScheduler

/** What happens with ticks that passed while nothing could fire them. */
export const CatchUp = Schema.Literal("skip", "fire_one_missed", "fire_all_missed")
export type CatchUp = typeof CatchUp.Type

/** What happens with a schedule one of whose fires was sent and ended without a known outcome. */
export const OnUnknownOutcome = Schema.Literal("continue", "quarantine")

/** Bytes of `args` and of `kwargs`, serialized (interface, Limits). */
export const maxArgumentBytes = 65_536

const names = {
  engine: describeField(Schema.String, "The engine that runs its task.", "celery"),
  scheduler: describeField(Schema.String, "The scheduler that owns and fires it.", serviceScheduler),
  name: describeField(Schema.String, "Its name, unique for its scheduler in the project.", "nightly report"),
  task_name: describeField(Schema.String, "The task that a fire submits.", "shop.report")
}

/** A schedule as people see it (bodies: SchedulePublic). */
export const SchedulePublic = Schema.Struct({
  id: describeField(ScheduleId, "Its id.", exampleId),
  project_id: describeField(ProjectId, "The project's id.", exampleId),
  ...names,
  kind: describeField(
    Schema.String,
    "`cron`, `interval` or `clocked`; an external scheduler may report another one, such as `solar`.",
    "cron"
  ),
  expression: describeField(Schema.String, "When it fires, in the form of its kind.", "0 3 * * *"),
  summary: describeField(
    Schema.NullOr(Schema.String),
    "The expression in words, in the language of `Accept-Language`: en, de, es, fr or ja. Null: of a form that only its " +
      "scheduler knows.",
    "At 03:00 every day"
  ),
  timezone: describeField(Schema.String, "The time zone of the expression.", "Europe/Berlin"),
  queue: describeField(Schema.NullOr(Schema.String), "The queue of its tasks; null: the task's own.", "reports"),
  priority: describeField(Schema.Literal("normal"), "Always `normal`.", "normal"),
  args: describeField(Schema.Unknown, "Positional arguments of its tasks.", [42]),
  kwargs: describeField(Schema.Unknown, "Named arguments of its tasks.", { currency: "EUR" }),
  is_enabled: describeField(Schema.Boolean, "Whether it fires at all.", true),
  last_run_at: describeField(Schema.NullOr(Timestamp), "The newest tick that fired; null: none yet.", exampleTime),
  next_run_at: describeField(
    Schema.NullOr(Timestamp),
    "The next tick; null: there is none, or its owner does not say.",
    exampleTime
  ),
  total_runs: describeField(Schema.Int, "How often it fired.", 12),
  consecutive_failures: describeField(
    Schema.NullOr(Schema.Int),
    "Failed fires in a row, of the newest 20 since it was last enabled; null in responses to a change.",
    0
  ),
  skipped_slots_24h: describeField(
    Schema.NullOr(Schema.Int),
    "Ticks of the last 24 hours that did not fire in time; null in responses to a change.",
    0
  ),
  external_id: describeField(Schema.NullOr(Schema.String), "Its id at an external scheduler.", null),
  catch_up: describeField(
    CatchUp,
    "What happens with ticks that passed while nothing could fire them: nothing, the newest fires, or all fire.",
    "fire_one_missed"
  ),
  paused_at: describeField(Schema.NullOr(Timestamp), "Since when it is paused; null: it is not.", null),
  overlap_policy: describeField(Schema.Literal("allow"), "Always `allow`.", "allow"),
  on_unknown_outcome: describeField(
    OnUnknownOutcome,
    "Whether it fires on when a fire was sent and its outcome is unknown, or goes into quarantine until an operator resolves it.",
    "continue"
  ),
  source: describeField(Schema.String, "Where its definition comes from.", "dashboard"),
  source_hash: describeField(Schema.NullOr(Schema.String), "The source's own hash of the definition.", null),
  is_drifted: describeField(
    Schema.Boolean,
    "Whether its definition differs from what its source wrote last; the next import undoes that.",
    false
  ),
  control_token: describeField(Schema.NullOr(Id), "Changes with every operation that controls it.", exampleId),
  legacy_fire_control_token: describeField(
    Schema.NullOr(Id),
    "The control token that a scheduler without fencing may fire under; null: none may.",
    null
  ),
  schedule_revision: describeField(Schema.NullOr(Schema.Int), "Grows with every change in the project.", 7),
  quarantine_control_token: describeField(Schema.NullOr(Id), "The token that ends its quarantine.", null),
  quarantine_code: describeField(Schema.NullOr(Schema.String), "Why it is in quarantine, as a word.", null),
  quarantine_detail: describeField(Schema.NullOr(Schema.String), "Why, as a sentence.", null),
  quarantined_at: describeField(Schema.NullOr(Timestamp), "Since when it is in quarantine; null: it is not.", null),
  jitter_seconds: describeField(
    Schema.Int,
    "Each tick fires up to this many seconds late, by a fixed hash of schedule and tick.",
    0
  ),
  grace_seconds: describeField(
    Schema.NullOr(Schema.Int),
    "A tick that fires later than this is a misfire; null: the setting of its kind.",
    null
  ),
  created_at: describeField(Timestamp, "When it was created.", exampleTime),
  updated_at: describeField(Timestamp, "When its definition or state last changed.", exampleTime)
}).annotations(describeBody("Schedule", "When a task is submitted, and by whom."))
export type SchedulePublic = typeof SchedulePublic.Type

export const ScheduleList = Schema.Struct({
  ...Page(SchedulePublic).fields,
  circuit_breaker_threshold: describeField(
    Schema.Int,
    "Failed fires in a row that disable a schedule; 0: never.",
    5
  )
}).annotations(describeBody("ScheduleList", "A page of schedules."))

/** A stored schedule: `args` and `kwargs` are JSON text with all digits that the caller sent. */
export interface Schedule
  extends
    Omit<SchedulePublic, "args" | "kwargs" | "summary" | "consecutive_failures" | "skipped_slots_24h" | "is_drifted">
{
  readonly args: string
  readonly kwargs: string
  /** When it was created or first seen. Intervals count from here. */
  readonly anchor_at: Timestamp
  /** When the next tick fires: `next_run_at` with its jitter. */
  readonly due_at: Timestamp | null
  /** The time by which `next_run_at` was computed; null: by a release that did not store it. */
  readonly cursor_at: Timestamp | null
  /** Of the definition as its source wrote it (`Schedule/Definition.ts`); null: no source but people. */
  readonly imported_digest: string | null
  /** Failures of fires before this moment do not count for the circuit breaker. */
  readonly enabled_at: Timestamp
  /** The stream whose report is shown (`schedules/Streams.ts`); null: the service owns the schedule. */
  readonly stream_id: ScheduleStreamId | null
  /** The id by which that stream names the schedule. */
  readonly source_key: string | null
}

/** What is not stored with a schedule. The counts are null in responses to a change. */
export interface ScheduleCounts {
  readonly consecutive_failures: number | null
  readonly skipped_slots_24h: number | null
  readonly is_drifted: boolean
}

/** The JSON text of a SchedulePublic, with words of the language. */
export const scheduleJson = (schedule: Schedule, counts: ScheduleCounts, language: Language): string => {
  const {
    anchor_at: _anchor,
    args,
    cursor_at: _cursor,
    due_at: _due,
    enabled_at: _enabled,
    imported_digest: _digest,
    kwargs,
    source_key: _key,
    stream_id: _stream,
    ...rest
  } = schedule
  const summary = summarize(schedule, language)
  return `${JSON.stringify({ ...rest, summary, ...counts }).slice(0, -1)},"args":${args},"kwargs":${kwargs}}`
}

const overlapPolicy = describeField(
  nullish(
    Schema.Literal("allow").annotations({
      message: () => "must be allow: a schedule always fires, whether its last task has ended or not"
    })
  ),
  "Only `allow`: a tick fires whether the task of the tick before has ended or not.",
  "allow"
)

const engine = text(40, 1).pipe(
  Schema.pattern(/^[a-z0-9][a-z0-9_.-]*$/, { message: () => "must be an engine's name in lower case, such as celery" })
)
const seconds = (max: number) => Schema.Int.pipe(Schema.between(0, max))
const maxJitterSeconds = 86_400
const maxGraceSeconds = 604_800

/** The fields of a definition, without the wording of each request. */
export const definitionFields = {
  engine,
  kind: ScheduleKind.annotations({ message: () => "must be cron, interval or clocked" }),
  expression: text(1024, 1),
  task_name: text(500, 1),
  timezone: text(64, 1),
  queue: text(200, 1),
  args: Schema.Array(Schema.Unknown),
  kwargs: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  catch_up: CatchUp.annotations({ message: () => "must be skip, fire_one_missed or fire_all_missed" }),
  on_unknown_outcome: OnUnknownOutcome.annotations({ message: () => "must be continue or quarantine" }),
  source_hash: text(128),
  jitter_seconds: seconds(maxJitterSeconds),
  grace_seconds: seconds(maxGraceSeconds)
}

const argumentsLine = "at most 64 KiB as JSON."

export const CreateScheduleRequest = Schema.Struct({
  overlap_policy: overlapPolicy,
  name: describeField(text(200, 1), "Its name, unique for its scheduler in the project.", "nightly report"),
  engine: describeField(definitionFields.engine, "The engine that runs its task.", "celery"),
  kind: describeField(definitionFields.kind, "`cron`, `interval` or `clocked`.", "cron"),
  expression: describeField(
    definitionFields.expression,
    "When it fires: a cron expression, seconds between fires, or a moment.",
    "0 3 * * *"
  ),
  task_name: describeField(definitionFields.task_name, "The task that a fire submits.", "shop.report"),
  timezone: describeField(
    Schema.optionalWith(definitionFields.timezone, { default: () => "UTC" }),
    "The time zone of the expression, of the IANA database.",
    "Europe/Berlin"
  ),
  queue: describeField(nullish(definitionFields.queue), "The queue of its tasks; null: the task's own.", "reports"),
  args: describeField(
    Schema.optionalWith(definitionFields.args, { default: () => [] }),
    `Positional arguments of its tasks, ${argumentsLine}`,
    [42]
  ),
  kwargs: describeField(
    Schema.optionalWith(definitionFields.kwargs, { default: () => ({}) }),
    `Named arguments of its tasks, ${argumentsLine}`,
    { currency: "EUR" }
  ),
  catch_up: describeField(
    Schema.optionalWith(definitionFields.catch_up, { default: () => "fire_one_missed" as const }),
    "What happens with ticks that passed while nothing could fire them: nothing, the newest fires, or all fire.",
    "fire_one_missed"
  ),
  on_unknown_outcome: describeField(
    Schema.optionalWith(definitionFields.on_unknown_outcome, { default: () => "continue" as const }),
    "Whether it fires on when a fire was sent and its outcome is unknown, or goes into quarantine until an operator resolves it.",
    "quarantine"
  ),
  is_enabled: describeField(Schema.optionalWith(Schema.Boolean, { default: () => true }), "Whether it fires.", true),
  scheduler: describeField(
    nullish(text(40, 1)),
    "The scheduler that fires it; null: the project's default.",
    serviceScheduler
  ),
  source: describeField(
    Schema.optionalWith(text(64, 1), { default: () => "dashboard" }),
    "Where the definition comes from.",
    "dashboard"
  ),
  source_hash: describeField(nullish(definitionFields.source_hash), "The source's own hash of the definition.", null),
  jitter_seconds: describeField(
    Schema.optionalWith(definitionFields.jitter_seconds, { default: () => 0 }),
    "Each tick fires up to this many seconds late, by a fixed hash of schedule and tick.",
    0
  ),
  grace_seconds: describeField(
    nullish(definitionFields.grace_seconds),
    "A tick that fires later than this is a misfire; null: the setting of its kind.",
    null
  )
}).annotations(describeBody("CreateSchedule", "A new schedule."))

/** A new schedule with its arguments as JSON text. */
export interface CreateSchedule extends Omit<typeof CreateScheduleRequest.Type, "args" | "kwargs" | "overlap_policy"> {
  readonly args: string
  readonly kwargs: string
}

/** What is fixed at creation (interface, Schedules: PATCH). */
export const fixedFields = ["name", "scheduler", "source", "priority"] as const

export const UpdateScheduleRequest = Schema.Struct({
  overlap_policy: overlapPolicy,
  engine: describeField(patchField(definitionFields.engine), "The engine that runs its task.", "celery"),
  kind: describeField(patchField(definitionFields.kind), "`cron`, `interval` or `clocked`.", "cron"),
  expression: describeField(
    patchField(definitionFields.expression),
    "When it fires, in the form of its kind.",
    "@daily"
  ),
  task_name: describeField(patchField(definitionFields.task_name), "The task that a fire submits.", "shop.report"),
  timezone: describeField(patchField(definitionFields.timezone), "The time zone of the expression.", "Europe/Berlin"),
  queue: describeField(patchField(definitionFields.queue), "The queue of its tasks; null: the task's own.", "reports"),
  args: describeField(patchField(definitionFields.args), `Positional arguments of its tasks, ${argumentsLine}`, [42]),
  kwargs: describeField(patchField(definitionFields.kwargs), `Named arguments of its tasks, ${argumentsLine}`, {
    currency: "EUR"
  }),
  catch_up: describeField(
    patchField(definitionFields.catch_up),
    "What happens with ticks that passed while nothing could fire them.",
    "skip"
  ),
  on_unknown_outcome: describeField(
    patchField(definitionFields.on_unknown_outcome),
    "Whether it fires on when a fire was sent and its outcome is unknown, or goes into quarantine.",
    "quarantine"
  ),
  is_enabled: describeField(patchField(Schema.Boolean), "Whether it fires.", true),
  source_hash: describeField(
    patchField(definitionFields.source_hash),
    "The source's own hash of the definition.",
    "sha256:2c26b46b"
  ),
  jitter_seconds: describeField(
    patchField(definitionFields.jitter_seconds),
    "Each tick fires up to this many seconds late.",
    30
  ),
  grace_seconds: describeField(
    patchField(definitionFields.grace_seconds),
    "A tick that fires later than this is a misfire; null: the setting of its kind.",
    60
  )
}).annotations(describeBody("UpdateSchedule", "Changes of a schedule; absent fields keep their values."))

/** Changes with the arguments as JSON text. */
export interface UpdateSchedule extends Omit<typeof UpdateScheduleRequest.Type, "args" | "kwargs" | "overlap_policy"> {
  readonly args?: string | undefined
  readonly kwargs?: string | undefined
}
