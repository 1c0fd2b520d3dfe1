import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { RuleCreate } from "../../../src/domain/automation/Automation.ts"
import type { RuleId } from "../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { connected, event, freshAgent } from "../../agent.ts"
import { baseUrl, freshProject, serverOn } from "../../brain.ts"
import { clientOf } from "../../client.ts"
import { engines } from "../../databases.ts"
import { until } from "../../until.ts"
import { retry } from "./rules.ts"

const actionsPerMinute = 5

describe.each(engines)("rules when a commit fails, and what limits them, on %s", (engine) => {
  layer(serverOn(engine, { automationActionsPerMinute: actionsPerMinute }), { excludeTestServices: true })((it) => {
    const site = Effect.gen(function*() {
      const project = yield* freshProject()
      const { automation, commands } = yield* clientOf("admin", project)
      const agent = yield* connected({ base: yield* baseUrl, ...(yield* freshAgent(project)) })
      const path = { slug: project.slug }
      return {
        project,
        path,
        automation,
        listCommands: Effect.map(commands.list({ path, urlParams: {} }), ({ items }) => items),
        create: (rule: Partial<RuleCreate> = {}) => automation.create({ path, payload: { ...retry, ...rule } }),
        logOf: (rule_id: RuleId, times: number) =>
          Effect.map(
            until(
              automation.executions({ path: { ...path, rule_id }, urlParams: {} }),
              ({ items }) => items.reduce((sum, { occurrences }) => sum + occurrences, 0) >= times
            ),
            ({ items }) => items
          ),
        fail: Effect.suspend(() => {
          const task_id = randomUUID()
          const data = { task_name: `shop.${task_id}`, exception: "IOError" }
          return Effect.promise(() => agent.sendEvents([event({ task_id, kind: "task.failed", data })]))
        })
      }
    })

    it.scoped("an event whose transaction fails at its end is neither doubled nor lost", () =>
      Effect.gen(function*() {
        const { create, fail, listCommands, logOf, project } = yield* site
        const sql = yield* SqlClient.SqlClient
        const rule = yield* create()
        yield* sql`CREATE TABLE broken (project_id TEXT)`
        yield* sql`INSERT INTO broken VALUES (${project.id})`
        // the removal of the event is the last statement, after log, breaker, audit row and command
        yield* sql.onDialectOrElse({
          pg: () =>
            Effect.zipRight(
              sql.unsafe(`CREATE FUNCTION break() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF EXISTS (SELECT 1 FROM broken WHERE project_id = CAST(OLD.project_id AS TEXT)) THEN
                  RAISE EXCEPTION 'broken'; END IF;
                RETURN OLD; END $$`),
              sql`CREATE TRIGGER break BEFORE DELETE ON trigger_events FOR EACH ROW EXECUTE FUNCTION break()`
            ),
          orElse: () =>
            sql.unsafe(`CREATE TRIGGER break BEFORE DELETE ON trigger_events
              WHEN EXISTS (SELECT 1 FROM broken WHERE project_id = OLD.project_id)
              BEGIN SELECT RAISE(ABORT, 'broken'); END`)
        })
        yield* fail
        const waiting = sql<{ attempts: number }>`SELECT attempts FROM trigger_events WHERE project_id = ${project.id}`
        yield* until(waiting, (rows) => (rows[0]?.attempts ?? 0) > 0)
        assert.lengthOf(yield* waiting, 1)
        assert.lengthOf(yield* listCommands, 0)
        assert.lengthOf(yield* logOf(rule.id, 0), 0)
        yield* sql`DELETE FROM broken`
        yield* sql`UPDATE trigger_events SET due_at = ${yield* Timestamp.now} WHERE project_id = ${project.id}`
        const log = yield* logOf(rule.id, 1)
        yield* until(waiting, (rows) => rows.length === 0)
        assert.deepStrictEqual(log.map(({ outcome }) => outcome), ["executed"])
        assert.deepStrictEqual((yield* listCommands).map(({ id }) => id), log.map(({ command_id }) => command_id))
      }))

    it.scoped("the ceiling holds over all rules of a project", () =>
      Effect.gen(function*() {
        const { create, fail, listCommands, logOf } = yield* site
        const rules = [yield* create(), yield* create({ name: "cancel", actions: [{ type: "cancel" }] })]
        for (let task = 0; task < 4; task++) yield* fail
        const logs = (yield* Effect.forEach(rules, ({ id }) => logOf(id, 4))).flat()
        const sum = (outcome: string) =>
          logs.filter((entry) => entry.outcome === outcome).reduce((all, { occurrences }) => all + occurrences, 0)
        assert.deepStrictEqual([sum("executed"), sum("ceiling")], [actionsPerMinute, 8 - actionsPerMinute])
        assert.lengthOf(yield* listCommands, actionsPerMinute)
      }))

    it.scoped("the breaker: trips beyond its limit, only notifies, and the next attempt after the window arms it", () =>
      Effect.gen(function*() {
        const { automation, create, fail, logOf, path, project } = yield* site
        const sql = yield* SqlClient.SqlClient
        const both = [...retry.actions, { type: "notify", channel_ids: [], in_app: true }] as const
        const { id } = yield* create({ max_executions_per_window: 1, actions: both })
        const stateOf = automation.get({ path: { ...path, rule_id: id } })
        yield* fail
        yield* logOf(id, 1)
        assert.deepInclude(yield* stateOf, { cb_tripped: false, cb_execution_count: 1 })
        yield* fail
        const [degraded] = yield* logOf(id, 2)
        assert.deepInclude(degraded, { outcome: "degraded", command_id: null })
        assert.deepInclude(yield* stateOf, { cb_tripped: true, cb_execution_count: 1 })
        const messages = yield* sql<{ condition_key: string; occurrences: number }>`
          SELECT condition_key, CAST(occurrences AS INTEGER) AS occurrences FROM automation_messages
          WHERE rule_id = ${id} ORDER BY first_at`
        assert.deepStrictEqual(
          messages.map(({ occurrences }) => occurrences),
          [2, 1],
          "of both failures, and of the trip"
        )
        assert.strictEqual(messages[1]?.condition_key, "breaker")
        const trips = yield* sql`SELECT id FROM audit_log
          WHERE project_id = ${project.id} AND action = 'automation.rule.circuit_tripped'`
        assert.lengthOf(trips, 1)
        // a shorter window: the execution has aged out
        yield* automation.update({ path: { ...path, rule_id: id }, payload: { window_seconds: 1 } })
        const executed_at = (yield* logOf(id, 2))[1]?.created_at ?? ""
        yield* until(Timestamp.now, (now) => Timestamp.addSeconds(now, -2) > executed_at)
        yield* fail
        const [rearmed] = yield* logOf(id, 3)
        assert.strictEqual(rearmed?.outcome, "executed")
        assert.deepInclude(yield* stateOf, { cb_tripped: false, cb_execution_count: 1 })
      }))
  })
})
