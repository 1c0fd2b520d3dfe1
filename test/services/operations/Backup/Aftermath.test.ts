import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import { verifyLog } from "../../../../src/services/audit/Verify.ts"
import { Keys } from "../../../../src/services/kernel/keys/Keys.ts"
import { restoreRules } from "../../../../src/services/operations/Restore/RestoreRules.ts"
import { engines, temporaryHome } from "../../../databases.ts"
import { fillTables } from "./rows.ts"
import { backUp, headTables, layerAudit, layerDatabase, makeSite, restoreInto } from "./site.ts"

const hours = (count: number) => Effect.map(Timestamp.now, (now) => Timestamp.addSeconds(now, count * 3600))

/** A schedule of the service whose next tick passed before the backup was restored. */
const insertSchedule = (project_id: string, on_unknown_outcome: "continue" | "quarantine") =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = yield* hours(-5.5)
    const id = randomUUID()
    const next = yield* hours(-2.5)
    yield* sql`INSERT INTO schedules ${
      sql.insert({
        id,
        project_id,
        engine: "celery",
        scheduler: "svc-scheduler",
        name: id,
        task_name: "shop.pay",
        kind: "interval",
        expression: "3600",
        timezone: "UTC",
        args: "[]",
        kwargs: "{}",
        is_enabled: 1,
        next_run_at: next,
        due_at: next,
        cursor_at: at,
        total_runs: 3,
        catch_up: "fire_all_missed",
        jitter_seconds: 0,
        source: "api",
        control_token: randomUUID(),
        schedule_revision: 1,
        anchor_at: at,
        enabled_at: at,
        created_at: at,
        updated_at: at,
        on_unknown_outcome
      })
    }`
    return id
  })

const insertFire = (schedule_id: string, project_id: string, status: string, command_id: string | null) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const tick = yield* hours(-3.5)
    const fire_id = randomUUID()
    yield* sql`INSERT INTO schedule_fires ${
      sql.insert({
        id: randomUUID(),
        fire_id,
        project_id,
        schedule_id,
        engine: "celery",
        command_id,
        status,
        scheduled_for: tick,
        fired_at: tick,
        definition_digest: "x",
        expires_at: yield* hours(10),
        fence: 1
      })
    }`
    return fire_id
  })

/** Work in progress of every kind, on rows that `fillTables` has inserted. */
const beginWork = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const now = yield* Timestamp.now
  const idsOf = (table: string, column = "id") =>
    Effect.map(
      sql<{ id: string }>`SELECT ${sql(column)} AS id FROM ${sql(table)} ORDER BY 1`,
      (rows) => rows.map(({ id }) => id)
    )
  const [pending = "", dispatched = "", completed = ""] = yield* idsOf("commands")
  yield* sql`UPDATE commands SET issued_at = ${now}`
  yield* sql`UPDATE commands SET status = 'pending', dispatched_at = NULL, completed_at = NULL WHERE id = ${pending}`
  yield* sql`UPDATE commands SET status = 'dispatched', dispatched_at = ${now}, completed_at = NULL WHERE id = ${dispatched}`
  yield* sql`UPDATE commands SET status = 'completed', completed_at = ${now} WHERE id = ${completed}`
  const [delivery = ""] = yield* idsOf("deliveries")
  yield* sql`UPDATE deliveries SET status = 'pending', due_at = ${now} WHERE id = ${delivery}`
  const [unsentAlert = "", openAlert = "", ended = ""] = yield* idsOf("alerts")
  yield* sql`UPDATE alerts SET recovered_at = NULL, status = 'open', unsent = 4, due_at = ${now}, escalated_at = NULL
    WHERE id <> ${ended}`
  yield* sql`UPDATE alerts SET messages = 0 WHERE id = ${unsentAlert}`
  yield* sql`UPDATE alerts SET messages = 2, last_sent_at = ${yield* hours(-1)} WHERE id <> ${unsentAlert}`
  yield* sql`UPDATE alerts SET recovered_at = ${now}, status = 'recovered' WHERE id = ${ended}`
  const [bulk = "", job = ""] = yield* idsOf("bulk_jobs")
  yield* sql`UPDATE bulk_jobs SET finished_at = ${now}`
  yield* sql`UPDATE bulk_jobs SET action = 'retry', control_state = 'running', finished_at = NULL WHERE id = ${bulk}`
  yield* sql`UPDATE bulk_jobs SET action = 'delete', status = 'running', finished_at = NULL, resolved_at = NULL WHERE id = ${job}`
  yield* sql`UPDATE user_notifications SET trigger_key = 'approval.requested', read_at = NULL`
  yield* sql`UPDATE schedule_streams SET epoch_number = 7`
  yield* sql`UPDATE sessions SET revoked_at = NULL`
  yield* sql`UPDATE trusted_devices SET revoked_at = NULL`
  yield* sql`UPDATE agents SET state = 'online'`
  yield* sql`UPDATE agent_workers SET state = 'online'`
  yield* sql`UPDATE workers SET state = 'online'`
  const [started = ""] = yield* idsOf("tasks")
  yield* sql`UPDATE tasks SET state = 'started', started_at = ${now} WHERE id = ${started}`
  const [project_id = ""] = yield* idsOf("projects")
  const calm = yield* insertSchedule(project_id, "continue")
  const strict = yield* insertSchedule(project_id, "quarantine")
  const waited = yield* insertFire(calm, project_id, "buffered", null)
  const sent = yield* insertFire(strict, project_id, "delivered", dispatched)
  return {
    pending,
    dispatched,
    completed,
    delivery,
    unsentAlert,
    openAlert,
    ended,
    bulk,
    job,
    started,
    calm,
    strict,
    waited,
    sent
  }
})

describe("what a restore does with a table", () => {
  it.scopedLive("is decided for each one of the schema", () =>
    Effect.gen(function*() {
      const names = (yield* headTables).map(({ name }) => name)
      assert.deepStrictEqual(names.sort(), Object.keys(restoreRules).sort())
    }))
})

describe.each(engines)("after a restore into %s", (engine) => {
  it.scopedLive("nothing is sent, fired or retried again, and what is unknown says so", () =>
    Effect.gen(function*() {
      const from = yield* makeSite(engine === "SQLite" ? "PostgreSQL" : "SQLite")
      const work = yield* Effect.zipRight(fillTables(yield* headTables), beginWork).pipe(
        Effect.provide(layerAudit(from))
      )
      const path = join(yield* temporaryHome, "archive")
      const { manifest } = yield* backUp(from, path)
      const to = yield* makeSite(engine, { keysOf: from })
      const { changedRows } = yield* restoreInto(to, path)
      assert.deepInclude(changedRows, {
        commands_unknown: 2,
        deliveries_suppressed: 1,
        mails_deleted: 4,
        trigger_events_deleted: 4,
        alerts_ended: 1,
        bulk_retries_paused: 1,
        bulk_jobs_stopped: 1,
        approval_messages_read: 4,
        sessions_revoked: 4,
        trusted_devices_revoked: 4,
        password_resets_deleted: 4,
        password_reset_requests_deleted: 4,
        setup_tokens_deleted: 4,
        agents_offline: 4,
        tasks_unknown: 1,
        schedules_moved: 2,
        fires_unknown: 3,
        schedules_quarantined: 1
      })

      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const one = (table: string, id: string, key = "id") =>
          Effect.map(sql<Record<string, unknown>>`SELECT * FROM ${sql(table)} WHERE ${sql(key)} = ${id}`, ([row]) =>
            row ?? {})

        for (const id of [work.pending, work.dispatched]) {
          const command = yield* one("commands", id)
          assert.strictEqual(command.status, "timeout")
          assert.isNotNull(command.dispatched_at)
          assert.include(command.error, "Whether this command was sent and executed since then is unknown")
        }
        assert.strictEqual((yield* one("commands", work.completed)).status, "completed")
        const delivery = yield* one("deliveries", work.delivery)
        assert.deepInclude(delivery, { status: "suppressed", due_at: null, claimed_until: null })
        assert.include(delivery.error, Timestamp.formatSecond(manifest.created_at))
        assert.deepInclude(yield* one("alerts", work.unsentAlert), { status: "stale", due_at: null })
        const openAlert = yield* one("alerts", work.openAlert)
        assert.deepInclude(openAlert, { status: "open", recovered_at: null })
        assert.isNotNull(openAlert.escalated_at)
        assert.strictEqual((yield* one("alerts", work.ended)).status, "recovered")
        assert.strictEqual((yield* one("bulk_jobs", work.bulk)).control_state, "paused")
        const job = yield* one("bulk_jobs", work.job)
        assert.deepInclude(job, { action: "delete", status: "stopped" })
        assert.isNotNull(job.resolved_at)
        const orphans = yield* sql<{ detail: string }>`SELECT o.detail FROM task_orphans o JOIN tasks t
          ON t.project_id = o.project_id AND t.engine = o.engine AND t.task_id = o.task_id AND t.started_at = o.started_at
          WHERE t.id = ${work.started}`
        assert.include(orphans[0]?.detail, "Whether the task has ended since then is unknown")

        // neither schedule fires a tick that has passed
        const now = yield* Timestamp.now
        for (const id of [work.calm, work.strict]) {
          const schedule = yield* one("schedules", id)
          assert.isTrue(String(schedule.next_run_at) > now, String(schedule.next_run_at))
          assert.strictEqual(schedule.due_at, schedule.next_run_at)
          assert.strictEqual(schedule.quarantine_code, id === work.strict ? "outcome_unknown" : null)
        }
        for (const id of [work.waited, work.sent]) {
          assert.deepInclude(yield* one("schedule_fires", id, "fire_id"), {
            status: "terminal_timeout",
            error_code: "restored"
          })
        }
        // the sent fire, and the first tick that may have fired since the backup
        const unresolved = yield* sql`SELECT fire_id FROM schedule_resolutions
          WHERE schedule_id = ${work.strict} AND resolved_at IS NULL`
        assert.strictEqual(unresolved.length, 2)

        const streams = yield* sql<{ epoch_number: number }>`SELECT epoch_number FROM schedule_streams`
        assert.isTrue(streams.every(({ epoch_number }) =>
          Number(epoch_number) === 1_000_007
        ))
        const [changes] = yield* sql<
          { revision: number; horizon: number }
        >`SELECT revision, horizon FROM schedule_changes`
        assert.isAbove(Number(changes?.horizon), 1_000_000)
        assert.isAtLeast(Number(changes?.revision), Number(changes?.horizon))
        yield* sql`INSERT INTO leases (name, holder, expires_at) VALUES ('next', 'x', 0)`
        assert.isAbove(Number((yield* one("leases", "next", "name")).fence), (manifest.sequences.leases ?? 0) + 999_999)

        const found = yield* verifyLog(sql, yield* Keys)
        assert.deepNestedInclude(found, { "value.problem": null })
        const actions = yield* sql<{ action: string }>`SELECT action FROM audit_log WHERE seq > ${
          manifest.audit_head?.seq ?? 0
        } ORDER BY seq`
        assert.deepStrictEqual(
          actions.map(({ action }) => action),
          ["schedule.quarantined", "system.restored"]
        )
      }).pipe(Effect.provide(layerAudit(to)))
      yield* Effect.void.pipe(Effect.provide(layerDatabase(to)))
    }))
})
