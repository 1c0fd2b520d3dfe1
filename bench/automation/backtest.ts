import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { RuleCreate } from "../../src/domain/automation/Automation.ts"
import { system } from "../../src/domain/kernel/Actor.ts"
import { AgentId } from "../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import * as TaskHistory from "../../src/domain/tasks/TaskHistory.ts"
import { RuleBacktests } from "../../src/services/automation/Backtests.ts"
import { Projects } from "../../src/services/identity/Projects.ts"
import { CurrentActor, CurrentProject } from "../../src/services/kernel/CurrentActor.ts"
import { insertTasks, storedTask } from "../../test/tasks.ts"

const span = 6 * 86_400_000
const batch = 20_000
const agentId = AgentId.make(randomUUID())

const historyOf = (taskId: string, name: string, at: Timestamp.Timestamp, fails: boolean): string => {
  const history = TaskHistory.emptyHistory()
  const add = (kind: TaskHistory.TaskEvent["kind"], offset: number, data: Readonly<Record<string, string>>) =>
    TaskHistory.addEvent(history, {
      id: randomUUID(),
      kind,
      engine: "celery",
      taskId,
      occurredAt: Timestamp.addSeconds(at, offset),
      agentId,
      reporter: "bench",
      data: new Map(Object.entries({ task_name: `"${name}"`, queue: "\"celery\"", worker: "\"w1@host\"", ...data }))
    })
  add("task.received", -2, { args: "[1,\"order\"]", kwargs: "{\"currency\":\"EUR\"}" })
  add("task.started", -1, {})
  if (fails) add("task.failed", 0, { exception: "\"ConnectionError\"", exception_message: "\"refused\"" })
  else add("task.succeeded", 0, { result: "\"'ok'\"", runtime_ms: "8" })
  return TaskHistory.encode(history)
}

/** Every `every`th task failed, of the last six days. */
const seed = (projectId: string, tasks: number, every: number) =>
  Effect.gen(function*() {
    const end = yield* Effect.map(Timestamp.now, Timestamp.toEpochMillis)
    for (let from = 0; from < tasks; from += batch) {
      yield* insertTasks(Array.from({ length: Math.min(batch, tasks - from) }, (_, offset) => {
        const index = from + offset
        const fails = index % every === 0
        const name = `shop.step${index % 50}`
        const millis = Math.floor(end - span + (span * index) / tasks)
        const at = Timestamp.fromEpochMicros(millis * 1000)
        const task = storedTask(projectId, millis, {
          name,
          state: fails ? "failure" : "success",
          fingerprint: fails ? String(index % 30).padStart(16, "0") : null
        })
        return { ...task, history: historyOf(task.task_id, name, at, fails) }
      }))
    }
  })

const rule = Schema.decodeUnknownSync(RuleCreate)

const tries = {
  retries: rule({
    name: "retry",
    trigger: "task.failed",
    conditions: { exception: "ConnectionError" },
    actions: [{ type: "retry" }]
  }),
  rareName: rule({
    name: "notify",
    trigger: "task.failed",
    conditions: { task_name: "shop.step0" },
    actions: [{ type: "notify" }]
  }),
  successes: rule({ name: "slow", trigger: "task.succeeded", conditions: { runtime: { min_ms: 60_000 } } })
}

const megabytes = () => Math.round(process.memoryUsage().rss / 1e6)

/** Seconds of a backtest over many tasks, memory, and how long it held up the event loop at most, in milliseconds. */
export const measureBacktest = (tasks: number, failures: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const backtests = yield* RuleBacktests
    const project = yield* (yield* Projects).create({
      slug: "backtest",
      name: "backtest",
      environment: "bench",
      timezone: "UTC",
      description: null,
      default_scheduler_owner: "svc-scheduler",
      allowed_schedulers: null
    }).pipe(Effect.provideService(CurrentActor, system("bench")))
    yield* seed(project.id, tasks, Math.max(1, Math.round(tasks / failures)))
    yield* sql.onDialectOrElse({ pg: () => sql`ANALYZE tasks`, orElse: () => sql`ANALYZE` })
    const results: Record<string, object> = {}
    for (const [name, rule] of Object.entries(tries)) {
      const before = megabytes()
      const delay = monitorEventLoopDelay({ resolution: 1 })
      delay.enable()
      const begun = performance.now()
      const { matched, scanned, truncated, would_execute } = yield* backtests.run({ rule, days: 7 }).pipe(
        Effect.provideService(CurrentProject, project)
      )
      const seconds = Number(((performance.now() - begun) / 1000).toFixed(2))
      delay.disable()
      const longestTurn = Math.round(delay.max / 1e6)
      results[name] = {
        seconds,
        scanned,
        matched,
        would_execute,
        truncated,
        longestTurn,
        memory: { before, after: megabytes() }
      }
    }
    return { tasks, failures, ...results }
  })
