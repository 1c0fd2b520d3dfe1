import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import { quarantined } from "../../domain/schedules/Schedule/WaitingFire.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { CurrentActor } from "../kernel/CurrentActor.ts"
import { Hints } from "../kernel/sql/Database.ts"
import { DueRepo } from "./DueRepo.ts"
import { OpenFiresRepo } from "./OpenFiresRepo.ts"

/** A schedule that would fire at a guess, and why. */
export interface Quarantined {
  readonly schedule: Pick<Schedule, "id" | "name" | "project_id">
  /** As a word; `detail` is a sentence. */
  readonly code: string
  readonly detail: string
  readonly schedule_revision: number
}

/** Puts schedules into quarantine: they do not fire until it ends (docs/schedules.md, Quarantine and recovery). */
export class ScheduleQuarantine extends Effect.Service<ScheduleQuarantine>()("svc/ScheduleQuarantine", {
  effect: Effect.gen(function*() {
    const due = yield* DueRepo
    const openFires = yield* OpenFiresRepo
    const audit = yield* Audit
    const hints = yield* Hints

    /** Writes locked schedules and their audit rows of the current actor. Call it last in the transaction, as `Audit.recordAll`. */
    const begin = Effect.fn("ScheduleQuarantine.begin")(function*(all: ReadonlyArray<Quarantined>) {
      if (all.length === 0) return
      const actor = yield* CurrentActor
      yield* due.quarantine(
        all.map(({ code, detail, schedule: { id }, schedule_revision }) => ({
          id,
          code,
          detail,
          token: randomUUID(),
          schedule_revision
        })),
        yield* Timestamp.now
      )
      yield* openFires.endStale(all.map(({ schedule }) => ({ schedule_id: schedule.id, reason: quarantined })))
      yield* Effect.forEach(
        new Set(all.map(({ schedule }) => schedule.project_id)),
        (id) => hints.publish("schedules", id)
      )
      yield* audit.recordAll(all.map(({ code, detail, schedule: { id, name, project_id } }) => ({
        actor,
        entry: auditEntry("schedule.quarantined", "schedule", id, { project_id, metadata: { name, code, detail } })
      })))
    })

    return { begin } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([DueRepo.layer, OpenFiresRepo.layer]))
}
