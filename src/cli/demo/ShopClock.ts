import { Effect, Schedule } from "effect"
import { ActionFailed, type NativeSchedule, type Scheduler } from "../../agent/runtime/Engine.ts"
import type * as Shop from "./Shop.ts"

/** What the shop's clock can start, by the name of its schedule. */
const tasks: Readonly<Record<string, Shop.Task>> = {
  "recount Porto": { _tag: "stock.sync_warehouse", warehouse: "Porto", articles: 470 },
  "sales so far": { _tag: "report.nightly_sales", day: "today" }
}

const everySeconds: Readonly<Record<string, number>> = { "recount Porto": 900, "sales so far": 3600 }

const missing = (id: string) => new ActionFailed({ message: `The shop's clock has no schedule ${id}.` })

/** A small scheduler of the shop's own, as engines have them: the brain shows its schedules, and asks it to change them. */
export const makeShopClock = (submit: (task: Shop.Task) => Effect.Effect<string, unknown>, startedAt: number) => {
  const schedules = new Map<string, NativeSchedule>(
    Object.entries(tasks).map(([name, { _tag, ...kwargs }]) => [name, {
      id: name,
      name,
      task_name: _tag,
      kind: "interval",
      expression: `${everySeconds[name]}.0`,
      timezone: "UTC",
      queue: null,
      args: [],
      kwargs,
      is_enabled: true,
      next_run_at: startedAt + (everySeconds[name] ?? 0) * 1000,
      last_run_at: null,
      total_runs: 0
    }])
  )

  const change = (id: string, changes: Partial<NativeSchedule>) =>
    Effect.suspend(() => {
      const schedule = schedules.get(id)
      if (schedule === undefined) return missing(id)
      schedules.set(id, { ...schedule, ...changes })
      return Effect.succeed({ schedule_id: id })
    })

  const run = (id: string) =>
    Effect.suspend(() => {
      const task = tasks[id]
      return task === undefined ? missing(id) : Effect.mapError(
        submit(task),
        (error) => new ActionFailed({ message: `The shop's queue did not accept the task: ${String(error)}` })
      )
    })

  const runDue = Effect.clockWith((clock) =>
    Effect.flatMap(
      clock.currentTimeMillis,
      (now) =>
        Effect.forEach(schedules.values(), ({ id, is_enabled, next_run_at, total_runs }) => {
          if (!is_enabled || next_run_at === null || next_run_at > now) return Effect.void
          const next = next_run_at + (everySeconds[id] ?? 3600) * 1000
          return Effect.zipRight(
            Effect.ignoreLogged(run(id)),
            change(id, { last_run_at: now, next_run_at: Math.max(next, now), total_runs: total_runs + 1 })
          )
        }, { discard: true })
    )
  )

  const scheduler: Scheduler = {
    name: "shop-clock",
    list: Effect.sync(() => [...schedules.values()]),
    actions: {
      trigger_now: ({ schedule_id }) => Effect.map(run(schedule_id), (task_id) => ({ task_id })),
      enable: ({ schedule_id }) => change(schedule_id, { is_enabled: true }),
      disable: ({ schedule_id }) => change(schedule_id, { is_enabled: false })
    },
    unsupported: {
      create: "The shop's clock has its schedules in its program.",
      update: "The shop's clock has its schedules in its program.",
      delete: "The shop's clock has its schedules in its program."
    }
  }
  return { scheduler, run: Effect.repeat(Effect.ignoreLogged(runDue), Schedule.spaced("1 second")) } as const
}
