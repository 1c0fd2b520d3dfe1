import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { ValidationFailed } from "../../domain/kernel/Errors.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { type Schedule, serviceScheduler } from "../../domain/schedules/Schedule.ts"
import { followChange } from "../../domain/schedules/Schedule/Change.ts"
import { digestDefinition, resolveScheduler } from "../../domain/schedules/Schedule/Definition.ts"
import type { ImportSchedules, ImportSchedulesResponse } from "../../domain/schedules/Schedule/Import.ts"
import {
  countPlan,
  inRow,
  keyOf,
  listPastIssues,
  listRowIssues,
  planImport,
  planJson,
  type ProposedSchedule
} from "../../domain/schedules/Schedule/ImportPlan.ts"
import { listStale } from "../../domain/schedules/Schedule/WaitingFire.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import { Hints, inTransaction, orDieOnSql } from "../kernel/sql/Database.ts"
import { nextTokens } from "./ControlToken.ts"
import { makeSchedule } from "./NewSchedule.ts"
import { OpenFiresRepo } from "./OpenFiresRepo.ts"
import { SchedulesRepo } from "./Repo.ts"

/** Problems that a refused snapshot names; a snapshot of thousands can have as many. */
const maxIssues = 20

/** Schedules that are compiled before other requests get their turn: a cron expression takes about 20 µs. */
const compiledAtOnce = 50

/** Schedules as code: a snapshot of the schedules of one source, compared and written as a whole. */
export class ScheduleImports extends Effect.Service<ScheduleImports>()("svc/ScheduleImports", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* SchedulesRepo
    const openFires = yield* OpenFiresRepo
    const audit = yield* Audit
    const hints = yield* Hints

    /** The schedules of a valid snapshot; else fails with the problems of its first invalid schedules. */
    const check = Effect.fnUntraced(function*(request: ImportSchedules) {
      const { mode, schedules, source_filter } = request
      const project = yield* CurrentProject
      if (mode === "replace" && source_filter === null) {
        return yield* ValidationFailed.at(
          "source_filter",
          "is required with mode replace: it names what may be deleted"
        )
      }
      const anchor_at = yield* Timestamp.now
      const issues: Array<ValidationFailed["issues"][number]> = []
      const proposed: Array<ProposedSchedule> = []
      const seen = new Map<string, number>()
      for (const [index, schedule] of schedules.entries()) {
        if (issues.length >= maxIssues) break
        if (index % compiledAtOnce === 0) yield* Effect.yieldNow()
        const owner = resolveScheduler(project, schedule.scheduler)
        const row = { ...schedule, scheduler: owner.scheduler }
        const first = seen.get(keyOf(row))
        seen.set(keyOf(row), first ?? index)
        proposed.push(row)
        const found = [...owner.issues, ...listRowIssues(row, { anchor_at, first, source_filter })]
        issues.push(...found.map(inRow(index)))
      }
      if (issues.length > 0) return yield* new ValidationFailed({ issues: issues.slice(0, maxIssues) })
      const names = proposed.map(({ name }) => name)
      const source = mode === "replace" ? source_filter : null
      return { request, proposed, snapshot: { projectId: project.id, scheduler: serviceScheduler, names, source } }
    })

    /** Refuses what an import would insert or change to a date and time that has passed. */
    const planOf = Effect.fnUntraced(function*(
      proposed: ReadonlyArray<ProposedSchedule>,
      current: ReadonlyArray<Schedule>,
      { mode }: ImportSchedules
    ) {
      const plan = planImport(proposed, current, mode)
      const issues = listPastIssues(plan, proposed, yield* Timestamp.now)
      if (issues.length > 0) return yield* new ValidationFailed({ issues: issues.slice(0, maxIssues) })
      return plan
    })

    const updateOf = Effect.fnUntraced(
      function*(current: Schedule, proposed: ProposedSchedule, now: Timestamp.Timestamp) {
        const merged = { ...current, ...proposed, imported_digest: digestDefinition(proposed), updated_at: now }
        const changed = { ...merged, ...(yield* followChange(current, merged, now)) }
        return { ...changed, ...(yield* nextTokens(changed)) }
      }
    )

    /** Writes the snapshot: all of its schedules, or none. */
    const write = Effect.fnUntraced(
      function*({ proposed, request, snapshot }: Effect.Effect.Success<ReturnType<typeof check>>) {
        const project = yield* CurrentProject
        // its row lock comes first, as with every change of the project's schedules; the count is not known yet
        yield* repo.takeRevisions(0)
        const plan = yield* planOf(proposed, yield* repo.lockSnapshot(snapshot), request)
        const now = yield* Timestamp.now
        const updates = yield* Effect.forEach(
          plan.updates,
          ({ current, proposed }) =>
            Effect.map(updateOf(current, proposed, now), (after) => ({ before: current, after }))
        )
        const written: ReadonlyArray<Schedule> = [
          ...(yield* Effect.forEach(
            plan.inserts,
            (proposed) => makeSchedule({ ...proposed, imported_digest: digestDefinition(proposed) }, now)
          )),
          ...updates.map(({ after }) => after),
          ...plan.reconciled.map((schedule) => ({ ...schedule, imported_digest: digestDefinition(schedule) }))
        ]
        const revisions = written.length + plan.deletes.length
        const newest = revisions === 0 ? 0 : yield* repo.takeRevisions(revisions)
        yield* repo.deleteAll(plan.deletes)
        yield* repo.insertTombstones(plan.deletes.map(({ id }, index) => ({
          revision: newest - revisions + 1 + index,
          project_id: project.id,
          schedule_id: id,
          deleted_at: now
        })))
        yield* repo.writeAll(
          written.map((schedule, index) => ({ ...schedule, schedule_revision: newest - written.length + 1 + index }))
        )
        yield* openFires.endStale(listStale([...updates, ...plan.deletes.map((before) => ({ before, after: null }))]))
        if (revisions > 0) yield* hints.publish("schedules", project.id)
        const counts = countPlan(plan)
        const { mode, source_filter } = request
        yield* audit.record(auditEntry("schedules.imported", "project", project.id, {
          project_id: project.id,
          metadata: { mode, source_filter, ...counts }
        }))
        return { ...counts, failed: 0, errors: {} } satisfies ImportSchedulesResponse
      },
      inTransaction(sql)
    )

    const run = Effect.fn("ScheduleImports.import")((request: ImportSchedules) => Effect.flatMap(check(request), write))

    /** The JSON text of what `import` would do. Nothing is written. */
    const diff = Effect.fn("ScheduleImports.diff")(function*(request: ImportSchedules) {
      const { proposed, snapshot } = yield* check(request)
      return planJson(yield* planOf(proposed, yield* repo.listSnapshot(snapshot), request))
    }, orDieOnSql)

    return { import: run, diff } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([OpenFiresRepo.layer, SchedulesRepo.layer])
  )
}
