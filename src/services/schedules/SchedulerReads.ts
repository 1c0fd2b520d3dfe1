import { Effect, Option } from "effect"
import type { ProjectId, ScheduleId } from "../../domain/kernel/Id.ts"
import { isServiceOwned, type Schedule } from "../../domain/schedules/Schedule.ts"
import { yieldToEventLoop } from "../kernel/concurrency/EventLoop.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { SchedulesRepo, type Scope } from "./Repo.ts"

/** Schedules that are read at once: decoding one takes about 40 µs of the event loop. */
const pageSize = 200

/** What scheduler programs read and watch. */
export const makeSchedulerReads = Effect.gen(function*() {
  const repo = yield* SchedulesRepo

  /** All schedules of the scope by id, and the revision that they are complete for. */
  const readSnapshot = Effect.fn("SchedulerProtocol.readSnapshot")(function*(scope: Scope) {
    const { revision: before } = yield* repo.progress
    const schedules = new Map<ScheduleId, Schedule>()
    let after: ScheduleId | null = null
    while (true) {
      const page: ReadonlyArray<Schedule> = yield* repo.listWatched(scope, after, pageSize)
      for (const schedule of page) schedules.set(schedule.id, schedule)
      after = page.at(-1)?.id ?? null
      if (page.length < pageSize) break
      yield* yieldToEventLoop
    }
    // the pages are of different moments: what changed since the first one is read again
    const { revision } = yield* repo.progress
    let seen = before
    while (seen < revision) {
      const batch = yield* repo.listChanges(scope, seen, revision, pageSize)
      for (const change of batch) {
        if ("schedule" in change) schedules.set(change.schedule.id, change.schedule)
        else schedules.delete(change.deleted_id)
      }
      yield* yieldToEventLoop
      seen = batch.length < pageSize ? revision : batch.at(-1)?.revision ?? revision
    }
    return { revision, schedules: [...schedules.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)) }
  }, orDieOnSql)

  /** The changes after a revision, and the revision until which they are complete. */
  const readChanges = Effect.fn("SchedulerProtocol.readChanges")(function*(scope: Scope, after: number) {
    const { horizon, revision } = yield* repo.progress
    if (after < horizon || after > revision) return { isComplete: false as const, revision }
    const batch = after === revision ? [] : yield* repo.listChanges(scope, after, revision, pageSize)
    const through = batch.length < pageSize ? revision : batch.at(-1)?.revision ?? revision
    return { isComplete: true as const, changes: batch, through, revision }
  }, orDieOnSql)

  /** The schedule, if the project has it, and a revision that this is true for. */
  const readState = Effect.fn("SchedulerProtocol.readState")(function*(projectId: ProjectId, id: ScheduleId) {
    const { revision } = yield* repo.progress // first: a later change has a higher revision
    const schedule = Option.filter(yield* repo.find(projectId, id), isServiceOwned)
    const ownRevision = Option.match(schedule, { onNone: () => 0, onSome: (found) => found.schedule_revision ?? 0 })
    return { schedule: Option.getOrNull(schedule), revision: Math.max(revision, ownRevision) }
  }, orDieOnSql)

  return { readSnapshot, readChanges, readState } as const
})
