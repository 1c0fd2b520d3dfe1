import { Array as Arr, Effect } from "effect"
import { ScheduleId } from "../../domain/kernel/Id.ts"
import * as Redaction from "../../domain/kernel/Redaction.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import {
  assignKnown,
  chooseNames,
  type ClaimedChange,
  compareClaims,
  listChangedClaims,
  makeExternalSchedule,
  type NamedRow,
  planSchedules,
  qualifyName
} from "../../domain/schedules/Schedule/Claims.ts"
import type { Publication } from "../../domain/schedules/Schedule/External.ts"
import { findMissedSlots } from "../../domain/schedules/Schedule/ExternalRun.ts"
import type { ScheduleStream } from "../../domain/schedules/Schedule/Stream.ts"
import * as Ids from "../kernel/Ids.ts"
import { Settings } from "../kernel/Settings.ts"
import { Hints } from "../kernel/sql/Database.ts"
import { ClaimsRepo } from "./ClaimsRepo.ts"
import { nextToken } from "./ControlToken.ts"
import { MisfiresRepo } from "./MisfiresRepo.ts"
import { SchedulesRepo } from "./Repo.ts"

/** The scheduler whose schedules a transaction changes. */
type Source = Pick<ScheduleStream, "project_id" | "scheduler">

/** What streams claim, and the schedules of engines' own schedulers that follow from it. */
export const makeClaimedSchedules = Effect.gen(function*() {
  const schedules = yield* SchedulesRepo
  const claims = yield* ClaimsRepo
  const misfires = yield* MisfiresRepo
  const hints = yield* Hints
  const redaction = Redaction.make((yield* Settings).redactExtraKeys)

  /** The schedule that a new source_key is about: the one with the key, else one with the name, else a new one. */
  const assignSchedules = Effect.fnUntraced(function*(
    { project_id, scheduler }: Source,
    added: ReadonlyArray<NamedRow>,
    claimed: ReadonlySet<ScheduleId>
  ) {
    if (added.length === 0) return new Map<string, ScheduleId>()
    const found = yield* schedules.listByNames(project_id, scheduler, {
      keys: added.map(({ row }) => row.source_key),
      names: added.map(({ name }) => name)
    })
    const assigned = assignKnown(added, found, claimed)
    for (const { row } of added) {
      if (!assigned.has(row.source_key)) assigned.set(row.source_key, yield* Ids.nextOf(ScheduleId))
    }
    return assigned
  })

  /** Writes the claims of a publication; returns the schedules whose claims have changed. */
  const writeClaims = Effect.fnUntraced(function*(stream: ScheduleStream, publication: Publication) {
    const { stream_id } = stream
    const stored = new Map((yield* claims.list(stream_id)).map((claim) => [claim.source_key, claim]))
    const { added, claimed, deletedKeys, named } = compareClaims(publication, stored)
    const assigned = yield* assignSchedules(stream, added, claimed)
    const changed = listChangedClaims(stream_id, named, stored, assigned)
    yield* claims.delete(stream_id, deletedKeys)
    yield* claims.write(changed)
    const isFirst = stream.status === "activating" // until now its claims did not count as live
    return {
      count: stored.size - deletedKeys.length + assigned.size,
      touched: new Set([
        ...(isFirst ? stored.values() : []),
        ...changed,
        ...deletedKeys.flatMap((key) => stored.get(key) ?? [])
      ].map(({ schedule_id }) => schedule_id))
    }
  })

  const scheduleOf = Effect.fnUntraced(
    function*(change: ClaimedChange, { project_id, scheduler }: Source, now: Timestamp.Timestamp) {
      const { before, isDefinitionChanged } = change
      const control_token = isDefinitionChanged || before === null ? yield* nextToken : before.control_token
      return makeExternalSchedule({ ...change, project_id, scheduler, control_token, now })
    }
  )

  /** Names that no other schedule of the scheduler has: a claimed name may be another agent's. */
  const resolveNames = Effect.fnUntraced(function*(
    { project_id, scheduler }: Source,
    written: ReadonlyArray<Schedule>,
    deletes: ReadonlyArray<Schedule>
  ) {
    if (written.length === 0) return written
    const found = yield* schedules.listByNames(project_id, scheduler, {
      keys: [],
      names: written.flatMap(({ name, source_key }) => [name, qualifyName(name, source_key ?? "")])
    })
    const moving = new Set([...written, ...deletes].map(({ id }) => id))
    return chooseNames(written, found.flatMap(({ id, name }) => moving.has(id) ? [] : [name]))
  })

  /** Writes the schedules again that follow from changed claims, all under one revision. */
  const writeSchedules = Effect.fnUntraced(
    function*(source: Source, touched: ReadonlyArray<ScheduleId>, schedule_revision: number) {
      if (touched.length === 0) return { inserted: 0, updated: 0, deleted: 0 }
      const now = yield* Timestamp.now
      const claimsOf = Arr.groupBy(yield* claims.listBySchedules(touched), ({ schedule_id }) => schedule_id)
      const current = new Map((yield* schedules.lockByIds(touched)).map((schedule) => [schedule.id, schedule]))
      const { deletes, writes } = planSchedules(touched, current, claimsOf, source.scheduler, now, redaction.json)
      const written = yield* Effect.forEach(writes, (change) => scheduleOf(change, source, now))
      // a run after a row of missed ticks says how many they were
      const missed = writes.flatMap(({ before, fields, id }) =>
        before === null ? [] : findMissedSlots(before, { id, ...fields })
      )
      if (missed.length > 0) yield* misfires.setSlots(missed)
      const named = yield* resolveNames(source, written, deletes)
      const renamed = writes.flatMap(({ before }, index) =>
        before !== null && before.name !== named[index]?.name ? [before.id] : []
      )
      yield* schedules.deleteAll(deletes)
      if (renamed.length > 0) yield* schedules.releaseNames(renamed)
      yield* schedules.writeAll(named.map((schedule) => ({ ...schedule, schedule_revision })))
      if (named.length + deletes.length > 0) yield* hints.publish("schedules", source.project_id)
      return {
        inserted: writes.filter(({ before }) => before === null).length,
        updated: writes.filter(({ before, isDefinitionChanged }) => before !== null && isDefinitionChanged).length,
        deleted: deletes.length
      }
    }
  )

  return { writeClaims, writeSchedules } as const
})
