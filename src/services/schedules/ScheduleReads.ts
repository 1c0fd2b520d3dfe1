import { Array as Arr, Effect } from "effect"
import { isUnconsumed } from "../../domain/agents/Consumers.ts"
import { ValidationFailed } from "../../domain/kernel/Errors.ts"
import type { ScheduleId } from "../../domain/kernel/Id.ts"
import type { Language } from "../../domain/kernel/Language.ts"
import { decodeCursor, encodeCursor } from "../../domain/kernel/Page.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { Schedule, ScheduleCounts } from "../../domain/schedules/Schedule.ts"
import { isDrifted } from "../../domain/schedules/Schedule/Definition.ts"
import { breakerWindow, countConsecutiveFailures } from "../../domain/schedules/Schedule/Fire.ts"
import { makePreview } from "../../domain/schedules/Schedule/MakePreview.ts"
import type { PreviewRequest, Unserved } from "../../domain/schedules/Schedule/Preview.ts"
import { WorkersRepo } from "../agents/Workers/Repo.ts"
import { EngineAgents } from "../commands/EngineAgents.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Settings } from "../kernel/Settings.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { fireAction } from "./FireCommand.ts"
import { FiresRepo } from "./FiresRepo.ts"
import { MisfiresRepo } from "./MisfiresRepo.ts"
import { orNotFound } from "./Refusals.ts"
import { SchedulesRepo } from "./Repo.ts"

const listName = "schedules"

/** A schedule with what a reader adds to it. */
export interface CountedSchedule {
  readonly schedule: Schedule
  readonly counts: ScheduleCounts
}

/** In responses to a change: counting would read the fires of a schedule that has just changed. */
export const withoutCounts = (schedule: Schedule): CountedSchedule => ({
  schedule,
  counts: { consecutive_failures: null, skipped_slots_24h: null, is_drifted: isDrifted(schedule) }
})

/** What people read of schedules, of their fires and misfires. */
export const makeScheduleReads = Effect.gen(function*() {
  const repo = yield* SchedulesRepo
  const fires = yield* FiresRepo
  const misfires = yield* MisfiresRepo
  const engineAgents = yield* EngineAgents
  const workers = yield* WorkersRepo
  const { scheduleBreakerThreshold, scheduleBufferSeconds, scheduleCatchUpMax, scheduleGraceSeconds } = yield* Settings

  const countAll = Effect.fnUntraced(function*(schedules: ReadonlyArray<Schedule>) {
    const ids = schedules.map(({ id }) => id)
    const since = Timestamp.addSeconds(yield* Timestamp.now, -Timestamp.secondsPerDay)
    const statuses = Arr.groupBy(yield* fires.listStatuses(ids, breakerWindow), (row) => row.schedule_id)
    const missed = new Map((yield* misfires.count(ids, since)).map((row) => [row.schedule_id, row.n]))
    return schedules.map((schedule): CountedSchedule => ({
      schedule,
      counts: {
        consecutive_failures: countConsecutiveFailures((statuses[schedule.id] ?? []).map((row) => row.status)),
        skipped_slots_24h: missed.get(schedule.id) ?? 0,
        is_drifted: isDrifted(schedule)
      }
    }))
  })

  /** A page by name and id. */
  const list = Effect.fn("Schedules.list")(
    function*(query: { readonly cursor: string | null; readonly limit: number }) {
      const project = yield* CurrentProject
      const [name, id] = query.cursor === null ? [] : decodeCursor(listName, query.cursor, 2) ?? [""]
      const after = name === undefined || id === undefined ? null : { name, id }
      if (query.cursor !== null && (after === null || !Ids.isUuid(after.id))) {
        return yield* ValidationFailed.at("cursor", "is not a cursor of this list")
      }
      const rows = yield* repo.listPage(project.id, after, query.limit + 1)
      const page = rows.slice(0, query.limit)
      const last = page[page.length - 1]
      return {
        items: yield* countAll(page),
        next_cursor: rows.length > query.limit && last !== undefined
          ? encodeCursor(listName, [last.name, last.id])
          : null,
        circuit_breaker_threshold: scheduleBreakerThreshold
      }
    },
    orDieOnSql
  )

  const find = Effect.fnUntraced(function*(id: ScheduleId) {
    const project = yield* CurrentProject
    return yield* orNotFound(yield* repo.find(project.id, id))
  })

  const get = Effect.fn("Schedules.get")(function*(id: ScheduleId) {
    const schedule = yield* find(id)
    const [counted] = yield* countAll([schedule])
    return counted ?? withoutCounts(schedule)
  }, orDieOnSql)

  /** What is missing now to run the tasks of a schedule: an agent of the engine, or a worker of the queue. */
  const findUnserved = Effect.fnUntraced(function*({ engine, queue }: PreviewRequest) {
    if (engine === null) return null
    const { id } = yield* CurrentProject
    const choose = yield* engineAgents.chooseIn(id, fireAction)
    if (choose(engine) === null) return { what: "engine", wait_seconds: scheduleBufferSeconds } satisfies Unserved
    if (queue === null || !isUnconsumed(queue, yield* workers.listConsumers(id, engine))) return null
    return { what: "queue", wait_seconds: null } satisfies Unserved
  })

  /** What a schedule of this cadence would do. Nothing is written. */
  const preview = Effect.fn("Schedules.preview")(function*(request: PreviewRequest, language: Language) {
    const cadence = yield* makePreview(request, {
      now: yield* Timestamp.now,
      catchUpMax: scheduleCatchUpMax,
      graceSeconds: scheduleGraceSeconds,
      language
    })
    return { ...cadence, unserved: yield* findUnserved(request) }
  }, orDieOnSql)

  /** The newest fires of a schedule. */
  const listFires = Effect.fn("Schedules.listFires")(function*(id: ScheduleId, limit: number) {
    yield* find(id)
    return yield* fires.listFires(id, limit)
  }, orDieOnSql)

  /** The newest fires of each schedule. Ids of other projects are left out. */
  const listRuns = Effect.fn("Schedules.listRuns")(function*(ids: ReadonlyArray<ScheduleId>, limit: number) {
    const project = yield* CurrentProject
    const owned = new Set((yield* repo.listOwned(project.id, ids)).map((row) => row.id))
    const known = [...new Set(ids)].filter((id) => owned.has(id))
    const runs = Arr.groupBy(yield* fires.listRuns(known, limit), (run) => run.schedule_id)
    return {
      items: known.map((schedule_id) => ({
        schedule_id,
        runs: (runs[schedule_id] ?? []).map(({ schedule_id: _, ...run }) => run)
      })),
      limit,
      circuit_breaker_threshold: scheduleBreakerThreshold
    }
  }, orDieOnSql)

  /** The newest misfires of a schedule, or of all in the project. */
  const listMisfires = Effect.fn("Schedules.listMisfires")(function*(id: ScheduleId | null, limit: number) {
    const project = yield* CurrentProject
    if (id !== null) yield* find(id)
    return yield* misfires.list(project.id, id, limit)
  }, orDieOnSql)

  return { find, list, get, preview, listFires, listRuns, listMisfires } as const
})
