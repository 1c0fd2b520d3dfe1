import { SqlClient, type SqlError } from "@effect/sql"
import { Effect, Layer } from "effect"
import type { ProjectId, ScheduleId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { makeSingleEvent, type Trigger, type TriggerEvent } from "../../../domain/triggers/Trigger.ts"
import { idIn } from "../../kernel/sql/Dialect.ts"
import { TriggerEvents } from "../TriggerEvents.ts"

/** What happened to a schedule. */
export interface ScheduleFact {
  readonly project_id: ProjectId
  readonly schedule_id: ScheduleId
  readonly trigger: Extract<Trigger, `schedule.${string}`>
  readonly at: Timestamp
  /** A sentence. */
  readonly detail: string | null
  /** What the trigger reports has ended. */
  readonly recovered?: boolean
}

export interface ScheduleRow {
  readonly id: ScheduleId
  readonly name: string
  readonly engine: string
  readonly task_name: string
  readonly queue: string | null
}

const maxDetailLength = 300

/** Trigger events about schedules, by the schedule: its id is the condition. */
export class ScheduleEvents extends Effect.Service<ScheduleEvents>()("svc/ScheduleEvents", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const triggerEvents = yield* TriggerEvents

    const listSchedules = (ids: ReadonlyArray<ScheduleId>) =>
      sql<ScheduleRow>`SELECT id, name, engine, task_name, queue FROM schedules WHERE ${idIn(sql, ids)}`

    /** In the caller's transaction, with the facts that it stores. */
    const record = (facts: ReadonlyArray<ScheduleFact>): Effect.Effect<void, SqlError.SqlError> =>
      triggerEvents.recordFor(
        [...new Set(facts.map(({ project_id }) => project_id))],
        (interests) =>
          Effect.gen(function*() {
            const wanted = facts.flatMap(withAlias).filter(({ project_id, trigger }) =>
              interests.get(project_id)?.hasTrigger(trigger)
            )
            if (wanted.length === 0) return []
            const schedules = new Map(
              (yield* listSchedules([...new Set(wanted.map(({ schedule_id }) => schedule_id))])).map((
                row
              ) => [row.id, row])
            )
            return wanted.flatMap((fact) => {
              const schedule = schedules.get(fact.schedule_id)
              return schedule === undefined ? [] : [scheduleEvent(fact, schedule)]
            })
          })
      )

    return { record } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(TriggerEvents.layer))
}

/** `schedule.task_failed` is another name of `schedule.fire.failed` (interface, Notification triggers). */
const withAlias = (fact: ScheduleFact): ReadonlyArray<ScheduleFact> =>
  fact.trigger === "schedule.fire.failed" ? [fact, { ...fact, trigger: "schedule.task_failed" }] : [fact]

export const scheduleEvent = (
  fact: ScheduleFact,
  { engine, id, name, queue, task_name }: ScheduleRow
): TriggerEvent =>
  makeSingleEvent({
    project_id: fact.project_id,
    trigger: fact.trigger,
    condition: id,
    engine,
    task_name,
    queue,
    priority: "normal",
    subject: { type: "schedule", id, name },
    ...(fact.recovered === true ? { recovered: true } : {})
  }, { occurred_at: fact.at, detail: fact.detail?.slice(0, maxDetailLength).toWellFormed() ?? null })
