import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ScheduleId } from "../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { fireIdOf } from "../../../src/domain/schedules/Schedule/FireId.ts"
import { Settings } from "../../../src/services/kernel/Settings.ts"
import { serverOn } from "../../brain.ts"
import { engines } from "../../databases.ts"
import { idOf } from "../../ids.ts"
import { insertTasks, storedTask } from "../../tasks.ts"
import { until } from "../../until.ts"
import { recordedEvents, subscribe, watchOutbox } from "../triggers/TriggerEvents/world.ts"
import { fail, statusesOf, succeed, world } from "./world.ts"

/** Once an hour, about half an hour from now: no tick is on time while the test runs. */
const farMinute = `${(new Date().getUTCMinutes() + 30) % 60} * * * *`

describe.each(engines)("fires on %s", (engine) => {
  layer(serverOn(engine, { scheduleBreakerThreshold: 2, scheduleCatchUpMax: 3 }), { excludeTestServices: true })(
    (it) => {
      it.scoped("a schedule fires at each of its ticks, once, and shows the outcome", () =>
        Effect.gen(function*() {
          const { call, connect, create, fires } = yield* world
          const agent = yield* connect(succeed)
          const { created_at, id } = yield* create({ expression: "1" })
          const ended = yield* until(fires(id), (rows) =>
            statusesOf(rows).filter((s) => s === "acked_success").length >= 2)
          const oldest = ended.at(-1)
          const tick = Timestamp.addSeconds(`${created_at.slice(0, 19)}.000000Z` as Timestamp.Timestamp, 1)
          assert.strictEqual(oldest?.scheduled_for, tick)
          assert.strictEqual(oldest?.fire_id, fireIdOf(idOf(ScheduleId, id), tick))
          assert.isAtLeast(oldest?.latency_ms ?? -1, 0)
          assert.strictEqual(
            new Set(ended.map(({ scheduled_for }) =>
              scheduled_for
            )).size,
            ended.length
          )
          const [command] = agent.commands
          assert.deepInclude(command?.parameters, {
            task_name: "shop.report",
            engine: "celery",
            args: [7],
            schedule_id: id,
            fire_id: oldest?.fire_id
          })
          const shown = (yield* call("GET", `/${id}`)).json
          assert.isAtLeast(shown.total_runs, 2)
          assert.isTrue(shown.last_run_at < shown.next_run_at)
          assert.strictEqual((yield* call("POST", `/${id}/disable`)).status, 200)
        }))

      it.scoped("the task that a fire submitted names its schedule, and has the command of the fire among its own", () =>
        Effect.gen(function*() {
          const { connect, create, fires, project, read, rewind } = yield* world
          yield* insertTasks([storedTask(project.id, Date.now(), { task_id: "t1" })])
          assert.isNull((yield* read("/tasks/celery/t1")).json.fired_by)
          yield* connect(succeed)
          const { id } = yield* create({ name: "nightly report", catch_up: "fire_one_missed" })
          yield* rewind(id, 86_400)
          const [fire] = yield* until(fires(id), (rows) => statusesOf(rows).includes("acked_success"))
          assert.deepStrictEqual((yield* read("/tasks/celery/t1")).json.fired_by, {
            schedule_id: id,
            schedule_name: "nightly report",
            fire_id: fire?.fire_id
          })
          const { json } = yield* read("/commands?engine=celery&task_id=t1")
          assert.deepStrictEqual(
            json.items.map(({ action, engine, target_name }: Record<string, unknown>) => [action, engine, target_name]),
            [["schedule.fire", "celery", "nightly report"]]
          )
        }))

      it.scoped("after an outage catch_up decides: none, the newest, or the newest few; it is one misfire", () =>
        Effect.gen(function*() {
          const { connect, create, fires, misfires, rewind } = yield* world
          yield* connect(succeed)
          for (const [catch_up, expected] of [["skip", 0], ["fire_one_missed", 1], ["fire_all_missed", 3]] as const) {
            const { id } = yield* create({ name: catch_up, kind: "cron", expression: farMinute, catch_up })
            const first = yield* rewind(id, 10 * 3600)
            const [misfire] = yield* until(misfires(id), ([row]) => row?.slots > 1) // the watch may have seen its first tick
            assert.deepInclude(misfire, { expected_fire_at: first, slots: 10, cause: "brain_down" })
            const rows = yield* until(
              fires(id),
              (rows) => statusesOf(rows).filter((status) => status === "acked_success").length === expected
            )
            assert.strictEqual(rows.length, expected)
            const newest = Timestamp.addSeconds(first, 9 * 3600)
            assert.deepStrictEqual(
              rows.map(({ scheduled_for }) => scheduled_for),
              Array.from({ length: expected }, (_, back) => Timestamp.addSeconds(newest, -back * 3600))
            )
          }
        }))

      it.scoped("without an agent a fire waits, and an agent of the engine that comes gets it", () =>
        Effect.gen(function*() {
          const { connect, create, fires, rewind } = yield* world
          const { id } = yield* create({})
          yield* rewind(id, 86_400)
          const [waiting] = yield* until(fires(id), (rows) => rows.length === 1)
          assert.deepInclude(waiting, { status: "buffered", command_id: null })
          yield* connect(succeed)
          yield* until(fires(id), ([fire]) => fire?.status === "acked_success")
        }))

      it.scoped("a fire that waits is stale once its schedule is disabled or its definition changes", () =>
        Effect.gen(function*() {
          const { call, create, fires, rewind } = yield* world
          const sql = yield* SqlClient.SqlClient
          const importAll = (names: ReadonlyArray<string>, queue: string) =>
            call("POST", ":import", {
              mode: "replace",
              source_filter: "git",
              schedules: names.map((name) => ({
                name,
                engine: "celery",
                kind: "interval",
                expression: "86400",
                task_name: "shop.report",
                source: "git",
                queue
              }))
            })
          yield* importAll(["imported", "removed"], "first")
          for (const name of ["disabled", "edited", "paused", "deleted"]) yield* create({ name })
          const { json: { items } } = yield* call("GET", "")
          const ids = new Map<string, string>(
            items.map(({ id, name }: { readonly id: string; readonly name: string }) => [name, id])
          )
          const idOfName = (name: string) => ids.get(name) ?? assert.fail(name)
          for (const id of ids.values()) {
            yield* rewind(id, 86_400)
            yield* until(fires(id), (rows) => rows.length === 1)
          }
          yield* call("POST", `/${idOfName("disabled")}/disable`)
          yield* call("PATCH", `/${idOfName("edited")}`, { args: [8] })
          yield* call("POST", `/${idOfName("paused")}/pause`)
          yield* call("DELETE", `/${idOfName("deleted")}`)
          yield* importAll(["imported"], "second")
          // no agent has come: the changes alone decide
          const found = yield* sql<
            { readonly id: string; readonly status: string; readonly error_message: string | null }
          >`
            SELECT schedule_id AS id, status, error_message FROM schedule_fires`
          const seen = Object.fromEntries(
            [...ids].map(([name, id]) => {
              const fire = found.find((row) => row.id === id)
              return [name, [fire?.status, fire?.error_message]]
            })
          )
          assert.deepStrictEqual(seen, {
            disabled: ["buffer_stale", "The schedule was disabled."],
            edited: ["buffer_stale", "The schedule's definition has changed."],
            imported: ["buffer_stale", "The schedule's definition has changed."],
            paused: ["buffered", null],
            deleted: ["buffer_stale", "The schedule was deleted."],
            removed: ["buffer_stale", "The schedule was deleted."]
          })
        }))

      it.scoped("a fire that waits expires after SVC_SCHEDULE_BUFFER_SECONDS, and no agent gets it afterwards", () =>
        Effect.gen(function*() {
          const { connect, create, fires, rewind } = yield* world
          const sql = yield* SqlClient.SqlClient
          const { scheduleBufferSeconds } = yield* Settings
          const { id } = yield* create({})
          yield* rewind(id, 86_400)
          yield* until(fires(id), ([fire]) => fire?.status === "buffered")
          const [row] = yield* sql<{ fired_at: Timestamp.Timestamp; expires_at: string }>`
            SELECT fired_at, expires_at FROM schedule_fires WHERE schedule_id = ${id}`
          assert.strictEqual(
            row?.expires_at,
            Timestamp.addSeconds(row?.fired_at ?? assert.fail(), scheduleBufferSeconds)
          )
          yield* sql`UPDATE schedule_fires SET expires_at = ${yield* Timestamp.now} WHERE schedule_id = ${id}`
          const [expired] = yield* until(fires(id), ([fire]) => fire?.status !== "buffered")
          assert.deepInclude(expired, { status: "buffer_expired", command_id: null })
          assert.include(expired?.error_message, "SVC_SCHEDULE_BUFFER_SECONDS")
          yield* connect(succeed)
          const next = yield* create({ name: "next" })
          yield* rewind(next.id, 86_400)
          yield* until(fires(next.id), ([fire]) => fire?.status === "acked_success")
          assert.deepStrictEqual(statusesOf(yield* fires(id)), ["buffer_expired"])
        }))

      it.scoped("failures in a row disable the schedule; enabling it starts the count again", () =>
        Effect.gen(function*() {
          const { call, connect, create, fires, project } = yield* world
          const sql = yield* SqlClient.SqlClient
          yield* watchOutbox
          yield* subscribe(project.id, "schedule.task_failed")
          yield* subscribe(project.id, "schedule.circuit_breaker.tripped")
          yield* connect(fail)
          const { id } = yield* create({ expression: "1" })
          const shown = (yield* until(call("GET", `/${id}`), ({ json }) => !json.is_enabled)).json
          assert.isAtLeast(shown.consecutive_failures, 2)
          const marks = yield* sql`SELECT 1 FROM schedules WHERE id = ${id} AND tripped_at >= enabled_at`
          assert.lengthOf(marks, 1, "home shows it")
          assert.deepInclude((yield* fires(id)).at(-1), { status: "acked_failed", error_message: "no such task" })
          const audit = yield* sql`SELECT 1 FROM audit_log
          WHERE target_id = ${id} AND action = 'schedule.circuit_breaker.tripped'`
          assert.lengthOf(audit, 1)
          const failuresOf = (events: Effect.Effect.Success<ReturnType<typeof recordedEvents>>) =>
            events.filter(({ trigger }) => trigger === "schedule.task_failed")
          // a fire that was sent before the schedule was disabled may end between the two reads
          const [events] = yield* until(
            Effect.all([recordedEvents(project.id), fires(id)]),
            ([events, all]) =>
              failuresOf(events).length === all.filter(({ status }) => status === "acked_failed").length
          )
          const failed = failuresOf(events)
          assert.deepInclude(failed[0], { condition: id, priority: "normal" })
          assert.strictEqual(failed[0]?.occurrences[0].detail, "no such task")
          assert.deepStrictEqual(
            events.filter((event) => !failed.includes(event)).map(({ trigger }) => trigger),
            ["schedule.circuit_breaker.tripped"]
          )
          yield* call("PATCH", `/${id}`, { expression: "86400" })
          yield* call("POST", `/${id}/enable`)
          assert.deepInclude((yield* call("GET", `/${id}`)).json, { is_enabled: true, consecutive_failures: 0 })
        }))

      it.scoped("a definition that no longer compiles is put in quarantine and does not stop the others", () =>
        Effect.gen(function*() {
          const { call, connect, create, fires, rewind } = yield* world
          const sql = yield* SqlClient.SqlClient
          yield* connect(succeed)
          const broken = yield* create({ name: "broken" })
          const sound = yield* create({ name: "sound" })
          yield* sql`UPDATE schedules SET timezone = 'Mars/Base' WHERE id = ${broken.id}`
          yield* Effect.all([rewind(broken.id, 86_400), rewind(sound.id, 86_400)])
          yield* until(fires(sound.id), ([fire]) => fire?.status === "acked_success")
          const { json } = yield* until(call("GET", `/${broken.id}`), ({ json }) => json.quarantined_at !== null)
          assert.strictEqual(json.quarantine_code, "definition_invalid")
          assert.include(json.quarantine_detail, "Mars/Base")
          assert.strictEqual(json.quarantine_control_token, json.control_token)
          assert.deepStrictEqual(yield* fires(broken.id), [])
        }))

      it.scoped("a paused schedule does not fire; resumed, its catch_up decides", () =>
        Effect.gen(function*() {
          const { call, connect, create, fires, rewind } = yield* world
          yield* connect(succeed)
          const { id } = yield* create({ kind: "cron", expression: farMinute })
          const other = yield* create({ name: "other" })
          yield* call("POST", `/${id}/pause`)
          yield* rewind(id, 3 * 3600)
          yield* rewind(other.id, 86_400)
          yield* until(fires(other.id), (rows) => rows.length === 1) // the loop has passed the paused one
          assert.deepStrictEqual(yield* fires(id), [])
          yield* call("POST", `/${id}/resume`)
          yield* until(fires(id), ([fire]) => fire?.status === "acked_success")
          assert.lengthOf(yield* fires(id), 1)
        }))
    }
  )
})
