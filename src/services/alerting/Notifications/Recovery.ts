import { Effect } from "effect"
import type { Circumstances } from "../../../domain/alerting/Notification/AlertDecision.ts"
import { addSeconds, type Timestamp } from "../../../domain/kernel/Timestamp.ts"
import type { Trigger } from "../../../domain/triggers/Trigger.ts"
import type { AlertRow } from "../AlertsRepo.ts"
import { lastCountOf, makeRecoveryRepo } from "./Recovery/Repo.ts"

type Condition = Circumstances["condition"]

/** An alert, and how many seconds without an occurrence must pass before its task counts as recovered. */
export interface RecoveryCheck {
  readonly alert: AlertRow
  readonly recovery_seconds: number
}

const ofTasks: ReadonlySet<Trigger> = new Set<Trigger>([
  "task.failed",
  "task.retried",
  "task.retries_exhausted",
  "task.orphaned"
])
const ofFires: ReadonlySet<Trigger> = new Set<Trigger>([
  "schedule.misfired",
  "schedule.fire.failed",
  "schedule.task_failed"
])

/**
 * The real state of what alerts are about. The absence of failures proves nothing: a task has recovered when a later one
 * succeeded, an agent when it is online, a schedule when a later fire succeeded.
 */
export const makeRecoveryChecks = Effect.gen(function*() {
  const repo = yield* makeRecoveryRepo

  /** The kinds of alerts: the query of their state, and the condition of an alert whose state is not well. */
  const kinds: ReadonlyArray<{
    readonly isOf: (check: RecoveryCheck, now: Timestamp) => boolean
    readonly query: (alerts: ReadonlyArray<AlertRow>) => ReturnType<typeof repo.readTask>
    readonly otherwise: Condition
  }> = [
    {
      isOf: ({ alert }) => alert.details.is_single && ofTasks.has(alert.trigger_key),
      query: repo.readTask,
      otherwise: "unknown"
    },
    {
      isOf: ({ alert, recovery_seconds }, now) =>
        !alert.details.is_single && ofTasks.has(alert.trigger_key) && alert.details.task_name !== null &&
        addSeconds(lastCountOf(alert), recovery_seconds) <= now,
      query: repo.readTasksOfName,
      otherwise: "unknown"
    },
    {
      isOf: ({ alert }) => alert.trigger_key === "agent.offline",
      query: repo.readPresence("agents"),
      otherwise: "ongoing"
    },
    {
      isOf: ({ alert }) => alert.trigger_key === "worker.offline",
      query: repo.readPresence("workers"),
      otherwise: "ongoing"
    },
    { isOf: ({ alert }) => alert.trigger_key === "task.failure_rate", query: repo.readRates, otherwise: "ongoing" },
    { isOf: ({ alert }) => ofFires.has(alert.trigger_key), query: repo.readFires, otherwise: "unknown" },
    {
      isOf: ({ alert }) => alert.trigger_key === "schedule.circuit_breaker.tripped",
      query: repo.readSchedules,
      otherwise: "ongoing"
    }
  ]

  /** The state of each alert by its id. Alerts that are not in it are unknown. */
  return Effect.fnUntraced(function*(checks: ReadonlyArray<RecoveryCheck>, now: Timestamp) {
    const conditions = new Map<string, Condition>()
    const openChecks: Array<RecoveryCheck> = []
    for (const check of checks) {
      if (check.alert.details.ended_at !== null) conditions.set(check.alert.id, "recovered")
      else if (check.alert.status === "open") openChecks.push(check)
    }
    if (openChecks.length === 0) return conditions
    const behind = new Set(
      (yield* repo.listBehind([...new Set(openChecks.map(({ alert }) => alert.project_id))], now)).map((
        { project_id }
      ) => project_id)
    )
    for (const { isOf, otherwise, query } of kinds) {
      const ofKind = openChecks.filter((check) => isOf(check, now)).map(({ alert }) => alert)
      if (ofKind.length === 0) continue
      const isWell = new Map((yield* query(ofKind)).map(({ id, is_well }) => [id, is_well === 1]))
      for (const alert of ofKind) {
        const well = isWell.get(alert.id)
        if (well === undefined) continue // what it was about is deleted, or an event reports its end
        conditions.set(alert.id, !well ? otherwise : behind.has(alert.project_id) ? "unknown" : "recovered")
      }
    }
    return conditions
  })
})
