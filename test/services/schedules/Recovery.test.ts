import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import type { TestAgent } from "../../agent.ts"
import { serverOn } from "../../brain.ts"
import { engines } from "../../databases.ts"
import { until } from "../../until.ts"
import { statusesOf, succeed, world } from "./world.ts"

const resolution = (
  schedule: { readonly control_token: string },
  fire: { readonly fire_id: string; readonly command_id: string | null }
) => ({
  fire_id: fire.fire_id,
  command_id: fire.command_id,
  expected_status: "timeout",
  observed_control_token: schedule.control_token,
  work_may_have_executed: true
})

/** A schedule that asks for certainty, in quarantine because its fires have no result. */
const prepareQuarantine = (fireCount: number) =>
  Effect.gen(function*() {
    const here = yield* world
    const agent = yield* here.connect((agent) => {
      agent.onCommand = () => undefined // the command is sent and gets no result
    })
    const { id } = yield* here.create({
      expression: "3600",
      on_unknown_outcome: "quarantine",
      catch_up: "fire_all_missed"
    })
    yield* here.rewind(id, fireCount * 3600)
    yield* until(here.fires(id), (rows) =>
      statusesOf(rows).filter((status) => status === "delivered").length === fireCount)
    const sql = yield* SqlClient.SqlClient
    const past = Timestamp.addSeconds(yield* Timestamp.now, -60)
    yield* sql`UPDATE commands SET timeout_at = ${past} WHERE target_id = ${id}` // instead of waiting for the timeout
    const get = Effect.map(here.call("GET", `/${id}`), ({ json }) =>
      json)
    const schedule = yield* until(get, ({ quarantined_at }) => quarantined_at !== null)
    yield* until(here.fires(id), (rows) => statusesOf(rows).every((status) => status === "terminal_timeout"))
    const fires = yield* here.fires(id)
    const resolve = (body: object) => here.call("POST", `/${id}/resolve-terminal-fire`, body)
    return { ...here, agent, id, get, schedule, fires, listFires: here.fires(id), resolve }
  })

const auditActions = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ action: string }>`SELECT action FROM audit_log WHERE target_id = ${id} ORDER BY id`,
      (rows) => rows.map(({ action }) => action)
    ))

describe.each(engines)("recovery of schedules on %s", (engine) => {
  layer(serverOn(engine, { scheduleCatchUpMax: 10, scheduleReplayPerSecond: 100 }), { excludeTestServices: true })(
    (it) => {
      it.scoped(
        "a fire without a result puts a schedule that asks for certainty into quarantine, until it is resolved",
        () =>
          Effect.gen(function*() {
            const { call, create, fires: [fire], get, id, resolve, rewind, schedule } = yield* prepareQuarantine(1)
            assert.isDefined(fire)
            if (fire === undefined) return
            assert.strictEqual(schedule.quarantine_code, "outcome_unknown")
            assert.include(schedule.quarantine_detail, fire.fire_id)
            assert.strictEqual(schedule.quarantine_control_token, schedule.control_token)

            // the view of before a pause is an old one
            yield* call("POST", `/${id}/pause`)
            const stale = yield* resolve(resolution(schedule, fire))
            assert.deepInclude(stale, { status: 409 })
            assert.strictEqual(stale.json.code, "stale_control_token")
            yield* call("POST", `/${id}/resume`)
            const seen = yield* get
            assert.strictEqual(seen.quarantine_control_token, seen.control_token)

            const wrongStatus = yield* resolve({ ...resolution(seen, fire), expected_status: "completed" })
            assert.strictEqual(wrongStatus.json.code, "command_status_changed")
            assert.strictEqual((yield* resolve({ ...resolution(seen, fire), fire_id: randomUUID() })).status, 404)
            assert.strictEqual((yield* resolve({ ...resolution(seen, fire), command_id: randomUUID() })).status, 404)

            const body = resolution(seen, fire)
            const resolved = yield* resolve(body)
            assert.strictEqual(resolved.status, 200, resolved.text)
            assert.deepInclude(resolved.json, {
              disposition: "resolved",
              fire_id: fire.fire_id,
              command_id: fire.command_id,
              command_status: "timeout",
              grant_carried: false
            })
            assert.deepInclude(resolved.json.schedule, {
              quarantined_at: null,
              quarantine_control_token: null,
              is_enabled: true,
              control_token: resolved.json.resolution_control_token,
              schedule_revision: resolved.json.committed_revision
            })
            assert.notStrictEqual(resolved.json.resolution_control_token, seen.control_token)
            assert.strictEqual((yield* call("GET", `/${id}/fires`)).json[0].status, "terminal_completed")

            const again = yield* resolve(body)
            assert.deepStrictEqual(again.json, {
              ...resolved.json,
              disposition: "already_resolved",
              schedule: again.json.schedule
            })
            const other = yield* resolve({ ...body, work_may_have_executed: false })
            assert.strictEqual(other.json.code, "fire_already_resolved")
            assert.deepStrictEqual(
              (yield* auditActions(id)).filter((action) => action !== "schedule.fired"),
              [
                "schedule.created",
                "schedule.quarantined",
                "schedule.paused",
                "schedule.resumed",
                "schedule.fire_resolved"
              ]
            )

            yield* rewind(id, 3600) // the same tick is due once more
            const passing = yield* create({ name: "other", expression: "1" })
            yield* until(call("GET", `/${passing.id}`), ({ json }) => json.total_runs >= 2) // the loop has passed it
            assert.lengthOf((yield* call("GET", `/${id}/fires`)).json, 1)
            yield* call("DELETE", `/${passing.id}`)
          })
      )

      it.scoped(
        "the quarantine holds until each of its fires is resolved; one that did not run is skipped",
        () =>
          Effect.gen(function*() {
            const { call, fires: [second, first], get, id, resolve, schedule } = yield* prepareQuarantine(2)
            if (first === undefined || second === undefined) return assert.fail("two fires")
            const one = yield* resolve({
              ...resolution(schedule, first),
              work_may_have_executed: false,
              enabled_after_resolution: false
            })
            assert.strictEqual(one.status, 200, one.text)
            assert.strictEqual(one.json.schedule.quarantine_code, "outcome_unknown")
            assert.include(one.json.schedule.quarantine_detail, second.fire_id)
            const two = yield* resolve(resolution(yield* get, second))
            assert.strictEqual(two.json.schedule.quarantined_at, null)
            assert.strictEqual(two.json.schedule.is_enabled, false, "enabling is another operation")
            assert.deepStrictEqual(statusesOf((yield* call("GET", `/${id}/fires`)).json), [
              "terminal_completed",
              "operator_skipped"
            ])
          })
      )

      it.scoped("a result after the time of its command ends the fire and the quarantine, and counts for the breaker", () =>
        Effect.gen(function*() {
          const { agent, fires: [newest, oldest], get, id, listFires, resolve, schedule } = yield* prepareQuarantine(2)
          const sendResult = (fire: typeof newest, result: Parameters<TestAgent["sendResult"]>[1]) => {
            const command = agent.commands.find(({ id }) => id === fire?.command_id) ?? assert.fail("it was not sent")
            agent.sendResult(command, result)
          }
          sendResult(oldest, { status: "success", result: { task_id: "t1" } })
          const seen = yield* until(listFires, (rows) => rows.at(-1)?.status === "terminal_completed")
          assert.isAtLeast(seen.at(-1)?.latency_ms ?? -1, 0)
          const quarantinedSchedule = yield* get
          assert.deepInclude(quarantinedSchedule, { quarantine_code: "outcome_unknown", consecutive_failures: 0 })
          assert.include(quarantinedSchedule.quarantine_detail, newest?.fire_id)
          sendResult(newest, { status: "failed", error: "no such task" })
          const [failed] = yield* until(listFires, ([fire]) => fire?.status === "terminal_failed")
          assert.strictEqual(failed?.error_message, "no such task")
          const free = yield* get
          assert.deepInclude(free, { quarantined_at: null, quarantine_code: null, consecutive_failures: 1 })
          assert.notStrictEqual(free.control_token, schedule.control_token)
          const late = yield* resolve({ ...resolution(free, failed ?? assert.fail()), expected_status: "failed" })
          assert.deepInclude(late.json, { status: 409, code: "fire_not_resolvable" })
          assert.include(yield* auditActions(id), "schedule.fire_answered_late")
        }))

      it.scoped("a schedule that does not ask for certainty fires on", () =>
        Effect.gen(function*() {
          const { call, create, fires, rewind } = yield* world
          const { connect } = yield* world
          yield* connect(succeed)
          const { id } = yield* create({})
          assert.strictEqual((yield* call("GET", `/${id}`)).json.on_unknown_outcome, "continue")
          yield* rewind(id, 86_400)
          const [waiting] = yield* until(fires(id), (rows) => rows.length === 1)
          const refused = yield* call("POST", `/${id}/resolve-terminal-fire`, {
            ...resolution(yield* Effect.map(call("GET", `/${id}`), ({ json }) => json), {
              fire_id: waiting?.fire_id ?? "",
              command_id: null
            }),
            command_id: randomUUID()
          })
          assert.strictEqual(refused.status, 404)
        }))

      it.scoped("an update or an import whose definition compiles ends the quarantine for the definition", () =>
        Effect.gen(function*() {
          const { call, create, rewind } = yield* world
          const sql = yield* SqlClient.SqlClient
          const definition = { engine: "celery", kind: "interval", expression: "3600", task_name: "shop.report" }
          const edited = yield* create({ name: "edited" })
          const imported = { ...definition, name: "imported", source: "git" }
          yield* call("POST", ":import", { schedules: [imported] })
          const { json: { items } } = yield* call("GET", "")
          const ids = [edited.id, items.find(({ name }: { name: string }) => name === "imported").id]
          for (const id of ids) {
            yield* sql`UPDATE schedules SET timezone = 'Mars/Base' WHERE id = ${id}`
            yield* rewind(id, 86_400)
            yield* until(call("GET", `/${id}`), ({ json }) => json.quarantined_at !== null)
          }
          yield* sql`UPDATE schedules SET timezone = 'UTC' WHERE id = ${ids[1]}` // the machine knows the zone again
          yield* call("PATCH", `/${ids[0]}`, { timezone: "UTC" })
          const { json } = yield* call("POST", ":import", { schedules: [imported] })
          assert.strictEqual(json.updated, 1)
          const now = yield* Timestamp.now
          for (const id of ids) {
            const { json } = yield* call("GET", `/${id}`)
            assert.deepInclude(json, { quarantined_at: null, quarantine_code: null, quarantine_control_token: null })
            assert.isTrue(json.next_run_at > now)
          }
        }))

      it.scoped("a grant for a scheduler without fencing needs its confirmation, and ends with the next operation", () =>
        Effect.gen(function*() {
          const { call, create } = yield* world
          const created = yield* create({})
          const grant = (body: object) => call("POST", `/${created.id}/legacy-fire-grant`, body)
          const body = {
            observed_control_token: created.control_token,
            allow: true,
            all_replicas_quiesced_and_resynced: true
          }
          assert.strictEqual((yield* grant({ ...body, all_replicas_quiesced_and_resynced: false })).status, 422)
          assert.strictEqual(
            (yield* grant({ ...body, observed_control_token: randomUUID() })).json.code,
            "stale_control_token"
          )
          const { json: granted } = yield* grant(body)
          assert.strictEqual(granted.legacy_fire_control_token, granted.control_token)
          assert.notStrictEqual(granted.control_token, created.control_token)
          assert.strictEqual((yield* grant(body)).json.schedule_revision, granted.schedule_revision, "idempotent")
          const { json: paused } = yield* call("POST", `/${created.id}/pause`)
          assert.strictEqual(paused.legacy_fire_control_token, null)
          assert.strictEqual((yield* grant({ ...body, allow: false })).status, 200, "revoked already")
        }))

      it.scoped("evidence of a fire that is not recorded: its tick never fires; unknown evidence is 404", () =>
        Effect.gen(function*() {
          const { call, create, fires, project } = yield* world
          const sql = yield* SqlClient.SqlClient
          const schedule = yield* create({})
          const resolve = (body: object) => call("POST", `/${schedule.id}/resolve-legacy-evidence`, body)
          const [fire_id, command_id] = [randomUUID(), randomUUID()]
          const tick = Timestamp.addSeconds(`${schedule.created_at.slice(0, 19)}.000000Z` as Timestamp.Timestamp, -3600)
          yield* sql`INSERT INTO commands ${
            sql.insert({
              id: command_id,
              project_id: project.id,
              action: "schedule.fire",
              target_type: "schedule",
              target_id: schedule.id,
              payload: JSON.stringify({ fire_id, scheduled_for: tick }),
              status: "timeout",
              issued_at: tick,
              timeout_at: tick,
              completed_at: tick
            })
          }`
          const body = {
            fire_id,
            source_evidence_kind: "command",
            source_evidence_id: command_id,
            observed_control_token: schedule.control_token,
            work_may_have_executed: true
          }
          assert.strictEqual((yield* resolve({ ...body, source_evidence_kind: "hearsay" })).status, 422)
          for (
            const mismatch of [{ fire_id: randomUUID() }, { source_evidence_id: randomUUID() }, {
              source_evidence_kind: "fire"
            }]
          ) {
            assert.strictEqual((yield* resolve({ ...body, ...mismatch })).status, 404)
          }
          const resolved = yield* resolve(body)
          assert.deepInclude(resolved.json, { disposition: "resolved", fire_id, source_evidence_id: command_id })
          assert.deepInclude((yield* fires(schedule.id))[0], {
            fire_id,
            scheduled_for: tick,
            status: "terminal_completed"
          })
          assert.strictEqual((yield* resolve(body)).json.disposition, "already_resolved")
          assert.lengthOf(yield* fires(schedule.id), 1)
        }))

      it.scoped("a fire that waits without a command is taken back by an operator", () =>
        Effect.gen(function*() {
          const { call, create, fires, rewind } = yield* world
          const { id } = yield* create({})
          yield* rewind(id, 86_400)
          yield* until(fires(id), (rows) => rows.length === 1)
          const { json: [fire] } = yield* call("GET", `/${id}/fires`)
          const { json: schedule } = yield* call("GET", `/${id}`)
          const { json, status } = yield* call("POST", `/${id}/resolve-legacy-evidence`, {
            fire_id: fire.fire_id,
            source_evidence_kind: "fire",
            source_evidence_id: fire.id,
            observed_control_token: schedule.control_token,
            work_may_have_executed: false
          })
          assert.strictEqual(status, 200, JSON.stringify(json))
          assert.deepStrictEqual(statusesOf(yield* fires(id)), ["operator_skipped"])
        }))
    }
  )
})
