import { Effect } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import {
  bullmqScheduler,
  countSlots,
  latestShowing,
  nextRunSince
} from "../../domain/schedules/Schedule/ExternalRun.ts"
import { makeMisfire, type MisfireCause, type NewMisfire } from "../../domain/schedules/Schedule/Misfire.ts"
import { Lease } from "../kernel/concurrency/Leader.ts"
import * as Ids from "../kernel/Ids.ts"
import { Settings } from "../kernel/Settings.ts"
import { makeExternalRunsRepo, type WatchedStream } from "./ExternalRunsRepo.ts"
import { Misfires } from "./Misfires.ts"

/** Schedules of one pass; the rest follows in the next one. */
const batchSize = 500

/** Streams of one pass, each with at most 10 000 schedules. */
const streamBatchSize = 5

/** Agents publish at least every 900 s (agents' protocol, section 6.3): one that is silent for longer hangs. */
const silentSeconds = 2000

const details: Readonly<Partial<Record<MisfireCause, string>>> = {
  scheduler_down: "No process that publishes it was connected, so the brain does not know whether it ran.",
  external_scheduler_silent: "The scheduler that owns it reported no run.",
  previous_not_started: "The job before it has not begun, and BullMQ makes the next one only then."
}

const noWorker = "No worker of its queue is connected, so the job before it does not begin, and BullMQ makes no other."

const notPublished = "Its agent is connected, but has published no schedules for more than half an hour."

interface Verdict {
  readonly cause: MisfireCause
  readonly detail: string
  /** Ticks until here are missed. */
  readonly until: Timestamp.Timestamp
}

/**
 * Records runs of engines' own schedulers that did not come within their grace. The brain sees runs only in snapshots, so
 * a run is missed when a snapshot of a later moment does not have it, or when nothing could publish it.
 */
export const makeExternalMisfires = Effect.gen(function*() {
  const repo = yield* makeExternalRunsRepo
  const misfires = yield* Misfires
  const { scheduleGraceSeconds } = yield* Settings

  const graceOf = ({ grace_seconds }: Schedule): number => grace_seconds ?? scheduleGraceSeconds

  const verdictOf = Effect.fnUntraced(function*(schedule: Schedule, stream: WatchedStream, now: Timestamp.Timestamp) {
    const { due_at } = schedule
    if (due_at === null) return null
    const latest = latestShowing(schedule, due_at, graceOf(schedule))
    const { ended_at, observed_at, snapshot_at, stream_status } = stream
    const hasEnded = stream_status === "ended" || stream_status === "failed"
    if (hasEnded && ended_at !== null && ended_at < due_at) {
      return latest < now
        ? verdict("scheduler_down", now)
        : null
    }
    if (observed_at !== null && observed_at > latest) {
      if (schedule.scheduler !== bullmqScheduler) return verdict("external_scheduler_silent", observed_at)
      return schedule.queue === null || (yield* repo.hasWorker(schedule.project_id, schedule.queue))
        ? verdict("previous_not_started", observed_at)
        : verdict("scheduler_down", observed_at, noWorker)
    }
    const isSilent = latest < now && stream_status === "live" && snapshot_at !== null &&
      Timestamp.addSeconds(snapshot_at, silentSeconds) < now
    return isSilent ? verdict("external_scheduler_silent", now, notPublished) : null
  })

  const verdict = (cause: MisfireCause, until: Timestamp.Timestamp, detail = details[cause] ?? ""): Verdict => ({
    cause,
    detail,
    until
  })

  const misfireOf = Effect.fnUntraced(function*(schedule: Schedule, { cause, detail, until }: Verdict) {
    const expected_fire_at = schedule.due_at ?? until
    const slots = countSlots(schedule, expected_fire_at, Timestamp.addSeconds(until, -graceOf(schedule)))
    const found = {
      expected_fire_at,
      grace_seconds: graceOf(schedule),
      slots,
      last_tick_at: null,
      cause,
      detail: slots === 1 ? detail : `${detail} ${slots} ticks were missed until then.`
    }
    return makeMisfire(yield* Ids.next, schedule, found, yield* Timestamp.now)
  })

  /**
   * The schedules of a stream that ended are awaited from their next tick on, by the scheduler's dialect, also where it
   * never says when they run.
   */
  const awaitRuns = Effect.fnUntraced(function*(now: Timestamp.Timestamp) {
    const lease = yield* Lease
    // a reconnect takes seconds, and then nothing is to be awaited
    const before = Timestamp.addSeconds(now, -scheduleGraceSeconds)
    for (const stream of yield* repo.listEndedStreams(before, streamBatchSize)) {
      const runs = (yield* repo.listUnawaited(stream)).flatMap((schedule) => {
        const due_at = nextRunSince(schedule, schedule.due_at, stream.ended_at)
        return due_at === null ? [] : [{ id: schedule.id, due_at }]
      })
      yield* lease.withTransaction(Effect.gen(function*() {
        const isEnded = yield* repo.markAwaited(stream)
        if (isEnded && runs.length > 0) yield* repo.awaitRuns(stream, runs)
      }))
    }
  })

  /** Records the runs that are missed now, each row of missed ticks once. */
  const watch = Effect.gen(function*() {
    const lease = yield* Lease
    const now = yield* Timestamp.now
    yield* awaitRuns(now)
    const late = yield* repo.listLate(now, Timestamp.addSeconds(now, -silentSeconds), batchSize)
    const found: Array<NewMisfire> = []
    for (const { schedule, stream } of late) {
      const decision = yield* verdictOf(schedule, stream, now)
      if (decision !== null) found.push(yield* misfireOf(schedule, decision))
    }
    if (found.length > 0) yield* lease.withTransaction(misfires.insert(found))
  })

  return watch
})
