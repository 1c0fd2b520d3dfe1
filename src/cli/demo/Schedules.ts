import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { AgentId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { type CreateSchedule, type Schedule, serviceScheduler } from "../../domain/schedules/Schedule.ts"
import type { FireStatus } from "../../domain/schedules/Schedule/Fire.ts"
import { fireIdOf } from "../../domain/schedules/Schedule/FireId.ts"
import { compileSchedule } from "../../domain/schedules/Schedule/Plan.ts"
import { digestFire } from "../../domain/schedules/Schedule/WaitingFire.ts"
import * as Ids from "../../services/kernel/Ids.ts"
import { fireAction } from "../../services/schedules/FireCommand.ts"
import { ScheduleImports } from "../../services/schedules/Imports.ts"
import { Schedules } from "../../services/schedules/Schedules.ts"
import { engine } from "./History.ts"
import * as Shop from "./Shop.ts"

const defaults = {
  engine,
  scheduler: serviceScheduler,
  source: "dashboard",
  source_hash: null,
  queue: null,
  args: "[]",
  timezone: "Europe/Berlin",
  is_enabled: true,
  catch_up: "fire_one_missed",
  on_unknown_outcome: "continue",
  jitter_seconds: 0,
  grace_seconds: null
} satisfies Partial<CreateSchedule>

type Required = "name" | "kind" | "expression" | "task_name"

type Definition = Pick<CreateSchedule, Required> & Partial<Omit<CreateSchedule, Required | "args" | "kwargs">> & {
  readonly kwargs?: { readonly [name: string]: string | number }
}

/** The shop's queues take a task by its fields, of which one is its name. */
const withDefaults = ({ kwargs = {}, ...definition }: Definition): CreateSchedule => ({
  ...defaults,
  ...definition,
  kwargs: JSON.stringify({ _tag: definition.task_name, ...kwargs })
})

const sync: Definition = {
  name: "warehouse sync",
  kind: "interval",
  expression: "2m",
  task_name: "stock.sync_warehouse",
  kwargs: { warehouse: "Hamburg", articles: 402 }
}

const report: Definition = {
  name: "nightly sales report",
  kind: "cron",
  expression: "30 2 * * *",
  task_name: "report.nightly_sales",
  kwargs: { day: "yesterday" },
  queue: "reports",
  catch_up: "fire_all_missed"
}

const invoices: Definition = {
  name: "invoices of the day",
  kind: "cron",
  expression: "*/30 9-17 * * MON-FRI",
  timezone: "America/New_York",
  task_name: "invoice.render_pdf",
  kwargs: { order: 4711, customer: 1042 },
  jitter_seconds: 60
}

/** The shop has no such task, so its agent refuses each fire, until the circuit breaker disables the schedule. */
const prices: Definition = {
  name: "price feed",
  kind: "interval",
  expression: "10m",
  task_name: "prices.import_feed",
  catch_up: "skip"
}

const reminders: Definition = {
  name: "payment reminders",
  kind: "cron",
  expression: "0 8 L * *",
  task_name: "mail.order_confirmation",
  kwargs: { order: 4711, customer: 1042 }
}

const payout: Definition = {
  name: "supplier payout",
  kind: "cron",
  expression: "0 18 * * *",
  task_name: "payment.charge",
  kwargs: { order: 4712, customer: 1042, total: 129.9, placed_at: 0 },
  on_unknown_outcome: "quarantine"
}

const stocktaking: Definition = {
  name: "yearly stocktaking",
  kind: "cron",
  expression: "0 6 2 JAN *",
  task_name: "stock.sync_warehouse",
  kwargs: { warehouse: "Lyon", articles: 900 },
  is_enabled: false
}

const source = "git"

/** From the shop's repository; a person has changed the first of them since. */
const imported: ReadonlyArray<Definition> = [
  { name: "customer digest", expression: "0 7 * * MON", task_name: "report.nightly_sales" },
  { name: "region reports", expression: "0 */6 * * *", task_name: "report.nightly_sales" }
].map((definition) => ({ ...definition, kind: "cron", source, kwargs: { day: "yesterday" } }))

/** Outcomes of past fires, newest first; the earlier ones succeeded. */
const past: ReadonlyArray<readonly [Definition, ReadonlyArray<FireStatus>]> = [
  [sync, ["acked_success", "acked_success", "acked_success", "failed"]],
  [report, ["acked_success", "buffer_expired"]],
  [invoices, ["acked_success", "acked_success", "acked_success", "acked_failed", "acked_failed"]],
  [prices, ["acked_failed", "acked_failed", "acked_failed"]]
]
const pastFires = 20
const oldestSeconds = 28 * Timestamp.secondsPerDay

const errors: Partial<Record<FireStatus, readonly [string, string]>> = {
  acked_failed: ["agent_refused", "No queue takes a task with these arguments: they do not fit its schema."],
  failed: ["not_sent", "No agent of its engine took the command in time."],
  buffer_expired: ["not_sent_in_time", "No agent of its engine took it within SVC_SCHEDULE_BUFFER_SECONDS."]
}

/** The id of a past record: lists and counts take the time of a record from its id. */
const idAt = (at: Timestamp.Timestamp): string => Ids.uuidv7(Timestamp.toEpochMillis(at))

const makeFire = (schedule: Schedule, tick: Timestamp.Timestamp, status: FireStatus, index: number) => {
  const [error_code, error_message] = errors[status] ?? [null, null]
  const latency_ms = status === "acked_success" ? 8 + Math.floor(Shop.pseudoRandom(index, 24) * 60) : null
  return {
    id: idAt(tick),
    fire_id: fireIdOf(schedule.id, tick),
    project_id: schedule.project_id,
    schedule_id: schedule.id,
    engine: schedule.engine,
    command_id: null as string | null, // of the payout alone, whose agent sent no result
    status,
    scheduled_for: tick,
    fired_at: tick,
    acked_at: status.startsWith("acked") ? Timestamp.addSeconds(tick, 1) : null,
    latency_ms,
    error_code,
    error_message,
    definition_digest: digestFire(schedule),
    expires_at: Timestamp.addSeconds(tick, Timestamp.secondsPerDay),
    fence: 0
  }
}

/** The last ticks before now, newest first. */
const findTicks = Effect.fnUntraced(function*(schedule: Schedule, count: number, now: Timestamp.Timestamp) {
  const oldest = Timestamp.addSeconds(now, -oldestSeconds)
  const cadence = yield* compileSchedule({ ...schedule, anchor_at: oldest })
  const ticks: Array<Timestamp.Timestamp> = []
  for (const tick of cadence.ticksBackwards(now, oldest)) {
    if (ticks.length === count) break
    ticks.push(tick)
  }
  return ticks
})

/** The fires of the last weeks, as if the demo had run before. */
const insertPast = Effect.fnUntraced(
  function*(schedule: Schedule, newest: ReadonlyArray<FireStatus>, now: Timestamp.Timestamp) {
    const sql = yield* SqlClient.SqlClient
    const ticks = yield* findTicks(schedule, pastFires, now)
    const fires = ticks.map((tick, index) => makeFire(schedule, tick, newest[index] ?? "acked_success", index))
    if (fires.length === 0) return
    yield* sql`INSERT INTO schedule_fires ${sql.insert(fires)}`
    // failures before `enabled_at` would not count for the circuit breaker
    yield* sql`UPDATE schedules SET last_run_at = ${ticks[0] ?? now}, total_runs = ${fires.length},
      enabled_at = ${ticks.at(-1) ?? now}, created_at = ${ticks.at(-1) ?? now} WHERE id = ${schedule.id}`
  }
)

/** A fire whose command timed out: the loop of outcomes finds it, and puts the schedule into quarantine. */
const insertTimedOut = Effect.fnUntraced(function*(schedule: Schedule, agentId: AgentId, now: Timestamp.Timestamp) {
  const sql = yield* SqlClient.SqlClient
  const [tick = now] = yield* findTicks(schedule, 1, now)
  const command_id = idAt(tick)
  const fire = makeFire(schedule, tick, "delivered", 0)
  yield* sql`INSERT INTO commands ${
    sql.insert({
      id: command_id,
      project_id: schedule.project_id,
      agent_id: agentId,
      issued_by: null,
      action: fireAction,
      engine,
      target_type: "schedule",
      target_id: schedule.id,
      payload: JSON.stringify({ fire_id: fire.fire_id, scheduled_for: tick }),
      status: "timeout",
      error: "The agent did not answer in time.",
      issued_at: tick,
      dispatched_at: tick,
      completed_at: Timestamp.addSeconds(tick, 60),
      timeout_at: Timestamp.addSeconds(tick, 60)
    })
  }`
  yield* sql`INSERT INTO schedule_fires ${sql.insert({ ...fire, command_id })}`
  yield* sql`UPDATE schedules SET last_run_at = ${tick}, total_runs = 1 WHERE id = ${schedule.id}`
})

const insertMisfires = Effect.fnUntraced(function*(schedule: Schedule, now: Timestamp.Timestamp) {
  const sql = yield* SqlClient.SqlClient
  const [first = now, second = now] = yield* findTicks(schedule, 2, now)
  const misfires = [
    { tick: second, cause: "brain_down", slots: 1, detail: "The brain did not run at that time." },
    { tick: first, cause: "no_agent", slots: 1, detail: "No agent of the engine was connected." }
  ].map(({ tick, ...misfire }, index) => {
    const lateness_seconds = 95 + index * 400
    const detected_at = Timestamp.addSeconds(tick, lateness_seconds)
    return {
      id: idAt(detected_at),
      project_id: schedule.project_id,
      schedule_id: schedule.id,
      detected_at,
      expected_fire_at: tick,
      lateness_seconds,
      grace_seconds: 60,
      name: schedule.name,
      engine: schedule.engine,
      kind: schedule.kind,
      ...misfire
    }
  })
  yield* sql`INSERT INTO schedule_misfires ${sql.insert(misfires)}`
})

/** Christmas Eve of this year; from that day on, of the next. */
const christmasEveAfter = (now: Timestamp.Timestamp): string => {
  const year = Number(now.slice(0, 4))
  return `${now.slice(5, 10) < "12-24" ? year : year + 1}-12-24`
}

/** Creates the shop's schedules with their past, in all states that the pages of schedules show. */
export const createSchedules = Effect.fnUntraced(function*(agentId: AgentId) {
  const schedules = yield* Schedules
  const imports = yield* ScheduleImports
  const now = yield* Timestamp.now
  const create = (definition: Definition) =>
    Effect.map(schedules.create(withDefaults(definition)), ({ schedule }) => schedule)

  for (const [definition, newest] of past) {
    const schedule = yield* create(definition)
    yield* insertPast(schedule, newest, now)
    if (definition === report) yield* insertMisfires(schedule, now)
  }
  yield* Effect.flatMap(create(reminders), ({ id }) => schedules.pause(id))
  yield* create(stocktaking)
  yield* create({
    name: "closing for Christmas",
    kind: "clocked",
    expression: `${christmasEveAfter(now)}T18:00`,
    task_name: "report.nightly_sales",
    kwargs: { day: "today" }
  })
  yield* insertTimedOut(yield* create(payout), agentId, now)

  yield* imports.import({
    mode: "replace",
    source_filter: source,
    schedules: imported.map(withDefaults)
  })
  const { items } = yield* schedules.list({ cursor: null, limit: 50 })
  const drifting = items.find(({ schedule }) => schedule.name === imported[0]?.name)
  if (drifting !== undefined) yield* schedules.update(drifting.schedule.id, { expression: "0 9 * * MON" })
})
