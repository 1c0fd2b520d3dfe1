/** What a schedule would do, before it exists: its next ticks, its words, and what it would catch up after an outage. */
import * as Schema from "effect/Schema"
import { describeBody, describeField, exampleTime } from "../../kernel/Describe.ts"
import { nullish } from "../../kernel/Text.ts"
import { Timestamp } from "../../kernel/Timestamp.ts"
import { definitionFields } from "../Schedule.ts"

/** Most ticks of a preview. */
const maxTicks = 1000

export const Outage = Schema.Struct({
  from: describeField(
    Timestamp,
    "When it begins; ticks later than this are missed.",
    "2026-01-31T00:00:00.000000Z" as Timestamp
  ),
  until: describeField(Timestamp, "When it ends; the last moment of a missed tick.", exampleTime)
}).annotations(describeBody("Outage", "A time in which nothing fires."))

export const PreviewRequest = Schema.Struct({
  kind: describeField(definitionFields.kind, "`cron`, `interval` or `clocked`.", "cron"),
  expression: describeField(
    definitionFields.expression,
    "When it fires: a cron expression, seconds between fires, or a moment.",
    "30 2 * * *"
  ),
  timezone: describeField(
    Schema.optionalWith(definitionFields.timezone, { default: () => "UTC" }),
    "The time zone of the expression, of the IANA database.",
    "Europe/Berlin"
  ),
  from: describeField(nullish(Timestamp), "Only ticks later than this are listed; null: now.", exampleTime),
  count: describeField(
    Schema.optionalWith(Schema.Int.pipe(Schema.between(1, maxTicks)), { default: () => 10 }),
    "The most ticks.",
    3
  ),
  jitter_seconds: describeField(
    Schema.optionalWith(definitionFields.jitter_seconds, { default: () => 0 }),
    "Each tick fires up to this many seconds late.",
    0
  ),
  outage: describeField(nullish(Outage), "A time in which nothing fires, to see what would be caught up."),
  engine: describeField(
    nullish(definitionFields.engine),
    "The engine of its tasks, to see whether an agent runs them.",
    "celery"
  ),
  queue: describeField(
    nullish(definitionFields.queue),
    "Their queue, to see whether a worker takes from it.",
    "reports"
  )
}).annotations(describeBody("SchedulePreviewRequest", "The cadence of a schedule that need not exist."))
export type PreviewRequest = typeof PreviewRequest.Type

const Tick = Schema.Struct({
  at: describeField(Timestamp, "The tick, in UTC.", "2026-03-29T01:00:00.000000Z" as Timestamp),
  local: describeField(Schema.String, "The tick in the schedule's time zone.", "2026-03-29T03:00:00+02:00"),
  dst: describeField(
    Schema.NullOr(Schema.Literal("gap", "overlap")),
    "`gap`: its local time does not exist that day, so it moved. `overlap`: its local time comes twice that day.",
    "gap"
  ),
  fires_before: describeField(
    Timestamp,
    "With jitter it fires at some moment from `at` until here; without, this is `at`.",
    "2026-03-29T01:00:00.000000Z" as Timestamp
  )
}).annotations(describeBody("ScheduleTick", "A moment at which a schedule is due."))
export type Tick = typeof Tick.Type

const describeTicks = (description: string) => describeField(Schema.Array(Tick), description)

const Unserved = Schema.Struct({
  what: describeField(
    Schema.Literal("engine", "queue"),
    "`engine`: no connected agent fires schedules of the engine. `queue`: no worker takes from the queue, where tasks wait.",
    "engine"
  ),
  wait_seconds: describeField(
    Schema.NullOr(Schema.Int),
    "How long a fire waits for an agent (`SVC_SCHEDULE_BUFFER_SECONDS`) before it is a missed run; null for a queue.",
    3600
  )
}).annotations(describeBody("UnservedSchedule", "What is not there now to run the tasks of a schedule."))
export type Unserved = typeof Unserved.Type

export const Preview = Schema.Struct({
  ticks: describeField(Schema.Array(Tick), "The next ticks, oldest first; fewer than requested where it ends."),
  next_dst: describeField(
    Schema.NullOr(Tick),
    "The first tick within 400 days that a change of clocks moves or doubles; null: there is none."
  ),
  summary: describeField(
    Schema.String,
    "The expression in words, in the language of `Accept-Language`.",
    "At 02:30 every day"
  ),
  catch_up: describeField(
    Schema.NullOr(
      Schema.Struct({
        skip: describeTicks("No missed tick; only a tick that is late by less than the grace."),
        fire_one_missed: describeTicks("The newest missed tick, and those that `skip` has."),
        fire_all_missed: describeTicks(
          "The newest missed ticks, at most `SVC_SCHEDULE_CATCH_UP_MAX`, and those that `skip` has."
        )
      }).annotations(describeBody("CaughtUp", "The missed ticks that fire after the outage, for each `catch_up`."))
    ),
    "The missed ticks that fire after the outage, for each `catch_up`; null without an outage."
  ),
  unserved: describeField(
    Schema.NullOr(Unserved),
    "What is missing to run its tasks now; null: nothing, or the request has no engine."
  )
}).annotations(describeBody("SchedulePreview", "What a schedule would do."))
export type Preview = typeof Preview.Type
