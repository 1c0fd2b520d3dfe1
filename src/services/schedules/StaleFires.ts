import { Effect, Layer } from "effect"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import { digestDefinition } from "./FireCommand.ts"
import { OpenFiresRepo } from "./OpenFiresRepo.ts"

/** A change of a schedule; `after` is null for a deletion. */
export interface ScheduleChanged {
  readonly before: Schedule
  readonly after: Schedule | null
}

/** Why fires that wait are no longer sent after the change; null: they still are. */
const staleReason = ({ after, before }: ScheduleChanged): string | null => {
  if (after === null) return "The schedule was deleted."
  if (!after.is_enabled) return "The schedule was disabled."
  if (after.quarantined_at !== null) return "The schedule is in quarantine."
  return digestDefinition(before) === digestDefinition(after) ? null : "The schedule's definition has changed."
}

/** Ends fires that wait when their schedule changes, so that their status says so at once and not when an agent comes. */
export class StaleFires extends Effect.Service<StaleFires>()("svc/StaleFires", {
  effect: Effect.gen(function*() {
    const open = yield* OpenFiresRepo

    /** Call it in the transaction of the changes, which holds the locks of the schedules. */
    const endAll = Effect.fnUntraced(function*(changes: ReadonlyArray<ScheduleChanged>) {
      const stale = changes.flatMap((change) => {
        const reason = staleReason(change)
        return reason === null ? [] : [{ schedule_id: change.before.id, reason }]
      })
      if (stale.length > 0) yield* open.endStale(stale)
    })

    const end = (before: Schedule, after: Schedule | null) => endAll([{ before, after }])

    return { end, endAll } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(OpenFiresRepo.layer))
}
