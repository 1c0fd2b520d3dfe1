import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { RuleCreate } from "../../../src/domain/automation/Automation.ts"
import type { RuleBacktest } from "../../../src/domain/automation/Backtest.ts"
import type { Project } from "../../../src/domain/kernel/Project.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { RuleHistory } from "../../../src/services/automation/History.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { connected, event, freshAgent } from "../../agent.ts"
import { baseUrl, freshProject, serverOn } from "../../brain.ts"
import { assertRefused, clientOf } from "../../client.ts"
import { engines } from "../../databases.ts"
import { scheduleIn } from "../../http/access/world.ts"
import { until } from "../../until.ts"

const decodeRule = Schema.decodeUnknownSync(RuleCreate)

const ruleOf = (rule: Omit<Partial<typeof RuleCreate.Encoded>, "name">) =>
  decodeRule({ name: "tried", trigger: "task.failed", actions: [{ type: "retry" }], ...rule })

const day = 86_400

const outline = ({ held_back, matched, trips, would_execute }: RuleBacktest) => ({
  matched,
  would_execute,
  trips,
  ...held_back
})

const none = { trips: 0, degraded: 0, ceiling: 0, loop_guard: 0, not_allowed: 0 }

describe.each(engines)("a rule on the past, on %s", (engine) => {
  layer(serverOn(engine, { automationActionsPerMinute: 4 }), { excludeTestServices: true })((it) => {
    const site = Effect.gen(function*() {
      const project = yield* freshProject()
      const { automation } = yield* clientOf("admin", project)
      const agent = yield* connected({ base: yield* baseUrl, ...(yield* freshAgent(project)) })
      const now = yield* Clock.currentTimeMillis
      const at = (secondsAgo: number) => new Date(now - secondsAgo * 1000).toISOString().replace("Z", "000+00:00")
      /** Reports events of one task: kind, age in seconds, and data. */
      const report = (
        task_id: string,
        events: ReadonlyArray<readonly [kind: string, secondsAgo: number, data?: Readonly<Record<string, string>>]>,
        base: { readonly engine?: string; readonly name?: string } = {}
      ) =>
        Effect.promise(() =>
          agent.sendEvents(events.map(([kind, secondsAgo, data]) =>
            event({
              task_id,
              kind: `task.${kind}`,
              engine: base.engine ?? "celery",
              occurred_at: at(secondsAgo),
              data: { task_name: base.name ?? "shop.pay", queue: "cards", worker: "w1", ...data }
            })
          ))
        )
      const failed = (secondsAgo: number, exception = "ConnectionError: refused", name = "shop.pay") => {
        const task_id = randomUUID()
        return Effect.as(
          report(task_id, [["started", secondsAgo + 1], ["failed", secondsAgo, { exception }]], { name }),
          task_id
        )
      }
      const path = { slug: project.slug }
      const backtest = (rule: RuleCreate, days = 7) => automation.backtest({ path, payload: { rule, days } })
      return { project, automation, path, report, failed, backtest, at }
    })

    const stored = (project: Project, tasks: number) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* until(
          sql<{ n: number }>`SELECT CAST(count(*) AS INTEGER) AS n FROM tasks
            WHERE project_id = ${project.id} AND history <> '' AND finished_at IS NOT NULL`,
          ([row]) => row?.n === tasks
        )
      })

    it.scoped("matches attempts that failed by what was known then, by day, name and worker", () =>
      Effect.gen(function*() {
        const { backtest, failed, project, report } = yield* site
        const first = yield* failed(2 * day)
        yield* failed(2 * day + 60, "KeyError: 'a'")
        yield* failed(day, "ConnectionError: reset", "mail.send")
        yield* failed(10 * day)
        // the same id twice, as RQ does: only the first attempt lost its connection
        const again = randomUUID()
        yield* report(again, [
          ["started", day + 30],
          ["failed", day + 20, { exception: "ConnectionError: again" }],
          ["started", day + 10],
          ["failed", day + 5, { exception: "KeyError: 'b'" }],
          ["started", 3]
        ], { engine: "celery" })
        yield* report(randomUUID(), [["started", 500], ["succeeded", 499]])
        yield* stored(project, 5)
        const result = yield* backtest(ruleOf({ conditions: { exception: "ConnectionError" } }))
        assert.deepStrictEqual(outline(result), { ...none, matched: 3, would_execute: 3 })
        assert.deepStrictEqual(result.task_names, [{ value: "shop.pay", count: 2 }, { value: "mail.send", count: 1 }])
        assert.deepStrictEqual(result.workers, [{ value: "w1", count: 3 }])
        assert.lengthOf(result.fingerprints, 3)
        assert.strictEqual(result.per_day.reduce((sum, { matched }) => sum + matched, 0), 3)
        assert.isFalse(result.truncated)
        assert.deepStrictEqual(
          result.samples.map(({ detail, outcome, task_id }) => [detail, outcome, task_id]).slice(1),
          [["ConnectionError: again", "executed", again], ["ConnectionError: refused", "executed", first]]
        )
        assert.deepStrictEqual(outline(yield* backtest(ruleOf({}), 30)), { ...none, matched: 6, would_execute: 6 })
        const byWorkerOfAnother = yield* backtest(ruleOf({ conditions: { engine: "rq" } }))
        assert.strictEqual(byWorkerOfAnother.matched, 0)
      }))

    it.scoped("the breaker trips and is armed again at the times that the states table gives", () =>
      Effect.gen(function*() {
        const { at, backtest, failed, project } = yield* site
        for (const secondsAgo of [1000, 940, 880, 820, 760]) yield* failed(secondsAgo)
        yield* stored(project, 5)
        const rule = ruleOf({ max_executions_per_window: 2, window_seconds: 150 })
        const result = yield* backtest(rule)
        assert.deepStrictEqual(outline(result), { ...none, matched: 5, would_execute: 4, trips: 1, degraded: 1 })
        assert.deepStrictEqual(result.tripped_at.map((time) => time.slice(0, 19)), [at(880).slice(0, 19)])
      }))

    it.scoped("the ceiling suppresses commands, and not notifications", () =>
      Effect.gen(function*() {
        const { backtest, failed, project } = yield* site
        for (const secondsAgo of [1000, 999, 998, 997, 996, 995, 930]) yield* failed(secondsAgo)
        yield* stored(project, 7)
        assert.deepStrictEqual(outline(yield* backtest(ruleOf({}))), {
          ...none,
          matched: 7,
          would_execute: 5,
          ceiling: 2
        })
        const notify = ruleOf({ actions: [{ type: "notify" }] })
        assert.deepStrictEqual(outline(yield* backtest(notify)), { ...none, matched: 7, would_execute: 7 })
      }))

    it.scoped("the loop guard knows the retries that were, and an engine without arguments cannot retry", () =>
      Effect.gen(function*() {
        const { backtest, failed, project, report } = yield* site
        const sql = yield* SqlClient.SqlClient
        const chain = [yield* failed(900), yield* failed(600), yield* failed(300)] as const
        yield* report(randomUUID(), [["started", 200], ["failed", 199]], { engine: "arq" })
        yield* stored(project, 4)
        for (const [task_id, new_task_id] of [[chain[0], chain[1]], [chain[1], chain[2]]] as const) {
          yield* sql`INSERT INTO task_retries ${
            sql.insert({ project_id: project.id, engine: "celery", task_id, new_task_id, command_id: randomUUID() })
          }`
        }
        const result = yield* backtest(ruleOf({ actions: [{ type: "retry", max_retries: 2 }] }))
        assert.deepStrictEqual(outline(result), {
          ...none,
          matched: 4,
          would_execute: 2,
          loop_guard: 1,
          not_allowed: 1
        })
        assert.match(result.samples[1]?.reason ?? "", /2 retries of the task/)
      }))

    it.scoped("succeeded, retried, orphaned and misfired are read too; worker.offline has no history", () =>
      Effect.gen(function*() {
        const { automation, backtest, path, project, report } = yield* site
        const sql = yield* SqlClient.SqlClient
        const task_id = randomUUID()
        yield* report(task_id, [
          ["started", 900],
          ["retried", 890, { reason: "Timeout" }],
          ["started", 800],
          ["succeeded", 790]
        ])
        yield* stored(project, 1)
        const now = yield* Timestamp.now
        yield* sql`INSERT INTO task_orphans ${
          sql.insert({
            project_id: project.id,
            engine: "celery",
            task_id,
            started_at: now,
            worker_name: "w1",
            detail: "gone",
            orphaned_at: now
          })
        }`
        const schedule_id = yield* scheduleIn(project)
        yield* sql`INSERT INTO schedule_misfires ${
          sql.insert({
            id: yield* Ids.next,
            project_id: project.id,
            schedule_id,
            detected_at: now,
            expected_fire_at: now,
            lateness_seconds: 61,
            grace_seconds: 60,
            slots: 1,
            cause: "late",
            name: "hourly",
            engine: "celery",
            kind: "cron"
          })
        }`
        const notify = [{ type: "notify" }] as const
        const count = (trigger: RuleCreate["trigger"], conditions = {}) =>
          Effect.map(backtest(ruleOf({ trigger, conditions, actions: notify })), ({ matched }) => matched)
        assert.strictEqual(yield* count("task.succeeded", { runtime: { min_ms: 5000 } }), 1)
        assert.strictEqual(yield* count("task.succeeded", { runtime: { min_ms: 15_000 } }), 0)
        assert.strictEqual(yield* count("task.retried"), 1)
        assert.strictEqual(yield* count("task.failed"), 0)
        assert.strictEqual(yield* count("task.orphaned", { task_name: "shop.*" }), 1)
        assert.strictEqual(yield* count("schedule.misfired", { task_name: "shop.*" }), 1)
        const rule = ruleOf({ trigger: "worker.offline", actions: notify })
        const refused = yield* Effect.flip(automation.backtest({ path, payload: { rule, days: 7 } }))
        assert.include(JSON.stringify(refused), "keeps no history of worker.offline")
      }))

    it.scoped("a saved rule gives what the engine did, and nothing is written", () =>
      Effect.gen(function*() {
        const { automation, failed, path, project } = yield* site
        const sql = yield* SqlClient.SqlClient
        const payload = {
          ...ruleOf({ max_executions_per_window: 3, actions: [{ type: "notify", in_app: false }] }),
          dry_run: false
        }
        const rule = yield* automation.create({ path, payload })
        for (let at = 8; at > 0; at--) yield* failed(0, "ConnectionError: refused", at > 2 ? "shop.pay" : "mail.send")
        const sum = (
          items: ReadonlyArray<{ readonly outcome: string; readonly occurrences: number }>,
          outcome: string
        ) => items.filter((item) => item.outcome === outcome).reduce((all, { occurrences }) => all + occurrences, 0)
        const { items } = yield* until(
          automation.executions({ path: { ...path, rule_id: rule.id }, urlParams: {} }),
          ({ items }) => items.reduce((all, { occurrences }) => all + occurrences, 0) === 8
        )
        const counts = (table: string) =>
          Effect.map(
            sql<{ n: number }>`SELECT CAST(count(*) AS INTEGER) AS n FROM ${
              sql(table)
            } WHERE project_id = ${project.id}`,
            ([row]) => row?.n
          )
        const tables = ["audit_log", "automation_executions", "trigger_events", "commands"]
        const before = yield* Effect.forEach(tables, counts)
        const row = yield* automation.get({ path: { ...path, rule_id: rule.id } })
        const result = yield* automation.backtest({ path, payload: { rule_id: rule.id, days: 1 } })
        assert.deepStrictEqual(
          [result.would_execute, result.held_back.degraded],
          [sum(items, "executed"), sum(items, "degraded")]
        )
        assert.deepStrictEqual([result.would_execute, result.held_back.degraded, result.trips], [3, 5, 1])
        assert.deepStrictEqual(yield* Effect.forEach(tables, counts), before)
        assert.deepStrictEqual(yield* automation.get({ path: { ...path, rule_id: rule.id } }), row)
      }))

    it.scoped("more history than one request reads: the newest part, and from when on it is complete", () =>
      Effect.gen(function*() {
        const { failed, project } = yield* site
        const history = yield* RuleHistory
        for (let age = 6; age > 0; age--) yield* failed(age * 10)
        yield* stored(project, 6)
        const now = yield* Timestamp.now
        const stretch = { projectId: project.id, from: Timestamp.addSeconds(now, -day), until: now }
        const find = (limits: { readonly matches: number; readonly rows: number; readonly millis: number }) =>
          history.find("task.failed", stretch, { matches: () => true }, limits)
        const all = yield* find({ matches: 100, rows: 100, millis: 60_000 })
        assert.deepStrictEqual([all.matches.length, all.scanned, all.truncated, all.from], [6, 6, false, stretch.from])
        const some = yield* find({ matches: 100, rows: 4, millis: 60_000 })
        assert.deepStrictEqual([some.scanned, some.truncated], [4, true])
        assert.isTrue(some.from > stretch.from)
        assert.isTrue(some.matches.every(({ occurrence }) => occurrence.occurred_at >= some.from))
        assert.isTrue((yield* find({ matches: 2, rows: 100, millis: 60_000 })).truncated)
      }).pipe(Effect.provide(RuleHistory.layer)))

    it.scoped("refuses neither and both, shapes that no rule may have, rules of others and unknown fields", () =>
      Effect.gen(function*() {
        const { automation, path } = yield* site
        const other = yield* site
        const rule = ruleOf({})
        const foreign = yield* other.automation.create({ path: other.path, payload: rule })
        yield* assertRefused(automation.backtest({ path, payload: { days: 7 } }), "validation_failed")
        const both = { rule, rule_id: foreign.id, days: 7 }
        yield* assertRefused(automation.backtest({ path, payload: both }), "validation_failed")
        yield* assertRefused(automation.backtest({ path, payload: { rule_id: foreign.id, days: 7 } }), "not_found")
        const impossible = ruleOf({ trigger: "schedule.misfired" })
        yield* assertRefused(automation.backtest({ path, payload: { rule: impossible, days: 7 } }), "validation_failed")
      }))
  })
})
