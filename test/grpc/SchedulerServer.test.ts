import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Either } from "effect"
import { randomUUID } from "node:crypto"
import { SchedulerLeaseService } from "../../proto/generated/lease.ts"
import {
  AdvanceScheduleCursorRequest,
  CursorTransitionDisposition,
  FireDisposition,
  type FireScheduleRequest,
  QuarantineOutcome,
  type Schedule,
  SchedulerServiceService
} from "../../proto/generated/scheduler.ts"
import { ScheduleId } from "../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { fireIdOf } from "../../src/domain/schedules/Schedule/FireId.ts"
import { writeTime } from "../../src/grpc/Convert.ts"
import { freshKey, request } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { succeed, world } from "../services/schedules/world.ts"
import { until } from "../until.ts"
import { callUnary, capabilities, connect, connectCurrent, day, fireOf, schedulersOn, tickOf } from "./client.ts"

const advanceOf = (row: Schedule, changes: Partial<AdvanceScheduleCursorRequest> = {}) => {
  const tick = tickOf(row)
  return AdvanceScheduleCursorRequest.fromPartial({
    project_id: row.project_id,
    schedule_id: row.id,
    observed_control_token: row.control_token,
    definition_digest: row.definition_digest,
    expected_schedule_revision: row.schedule_revision,
    expected_next_run_at: row.next_run_at!,
    skipped_through: writeTime(tick)!,
    prepared_next_run_at: writeTime(Timestamp.addSeconds(tick, day))!,
    scheduler_protocol_epoch: 1,
    cadence_semantics_version: 1,
    cadence_runtime_fingerprint: row.cadence_runtime_fingerprint,
    ...changes
  })
}

describe.each(laneEngines)("the gRPC server for schedulers on %s", (engine) => {
  layer(schedulersOn(engine, { scheduleGraceSeconds: 20, slowReaderSeconds: 3 }), {
    excludeTestServices: true
  })((it) => {
    /** A world with a scheduler, and a schedule of each day whose next tick was so many seconds ago. */
    const due = (secondsAgo = 0) =>
      Effect.gen(function*() {
        const site = yield* world
        const client = yield* connectCurrent(`s-${randomUUID().slice(0, 8)}`)
        const created = yield* site.create({})
        yield* site.rewind(created.id, day + secondsAgo)
        const read = Effect.map(client.snapshot(site.project.id), ({ rows }) => rows[0]!)
        const fire = (request: FireScheduleRequest) =>
          callUnary(client.scheduler, SchedulerServiceService.fireSchedule, request)
        const advance = (request: AdvanceScheduleCursorRequest) =>
          callUnary(client.scheduler, SchedulerServiceService.advanceScheduleCursor, request)
        return { ...site, ...client, id: created.id, read, fire, advance }
      })

    it.scoped("it negotiates version 1 of all parts, and nothing before that", () =>
      Effect.gen(function*() {
        const { scheduler } = yield* connect("early")
        const readError = (effect: Effect.Effect<unknown, Error>) =>
          Effect.map(Effect.flip(effect), ({ message }) => message)
        const ping = yield* callUnary(scheduler, SchedulerServiceService.ping, {})
        assert.strictEqual(ping.scheduler_protocol_epoch, 1)
        assert.closeTo(Number(ping.brain_time?.seconds), Date.now() / 1000, 60)

        const negotiate = (offered: ReturnType<typeof capabilities>) =>
          callUnary(scheduler, SchedulerServiceService.negotiateSchedulerProtocol, { offered })
        const state = callUnary(scheduler, SchedulerServiceService.getScheduleState, {
          project_id: randomUUID(),
          schedule_id: randomUUID(),
          minimum_observed_revision: 0n
        })
        assert.match(yield* readError(state), /^9 FAILED_PRECONDITION/)
        assert.match(
          yield* readError(negotiate({ ...capabilities("f"), quarantine_version: 2 })),
          /^9 FAILED_PRECONDITION/
        )
        assert.match(yield* readError(negotiate(capabilities(""))), /^9 FAILED_PRECONDITION/)
        assert.deepStrictEqual((yield* negotiate(capabilities("mine"))).selected, capabilities("mine"))
        const absent = yield* state
        assert.strictEqual(absent.state?.$case, "absence")
        assert.isAbove(Number(absent.observed_revision), 0)
        const trigger = callUnary(scheduler, SchedulerServiceService.triggerSchedule, {
          schedule_id: "",
          user_id: "",
          idempotency_key: ""
        })
        assert.match(yield* readError(trigger), /^12 UNIMPLEMENTED/)
        const invalid = callUnary(scheduler, SchedulerServiceService.getScheduleState, {
          project_id: "x",
          schedule_id: "y",
          minimum_observed_revision: 0n
        })
        assert.match(yield* readError(invalid), /^3 INVALID_ARGUMENT: project_id must be a UUID/)
      }))

    it.scoped("a fire issues one command, also when it is repeated, and moves the cursor as the scheduler says", () =>
      Effect.gen(function*() {
        const { connect, fire, fires, id, read } = yield* due()
        yield* connect(succeed)
        const row = yield* read
        const request = fireOf(row)
        const all = yield* Effect.all(Array.from({ length: 5 }, () => fire(request)), { concurrency: "unbounded" })
        const [first] = all
        for (const response of all) {
          assert.strictEqual(response.disposition, FireDisposition.FIRE_ACCEPTED, response.error_message)
          assert.strictEqual(response.command_id, first!.command_id)
          assert.isTrue(response.acceptance_revision > row.schedule_revision)
          assert.deepStrictEqual(response.live_last_run_at, request.scheduled_for)
          assert.deepStrictEqual(response.live_next_run_at, request.prepared_next_run_at)
          assert.strictEqual(response.live_control_token, row.control_token)
        }
        const [recorded, ...others] = yield* until(fires(id), (rows) => rows[0]?.status === "acked_success")
        assert.lengthOf(others, 0)
        assert.strictEqual(recorded?.command_id, first!.command_id)
        const after = yield* read
        assert.strictEqual(after.schedule_revision, first!.live_revision)
        assert.strictEqual(after.total_runs, 1n)

        // the cursor went on: the same fire is known, and its command with it
        yield* fire(fireOf(after, { prepared_next_run_at: writeTime(Timestamp.addSeconds(tickOf(after), 2 * day))! }))
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE schedules SET last_run_at = NULL WHERE id = ${id}`
        const again = yield* fire(request)
        assert.strictEqual(again.disposition, FireDisposition.FIRE_SLOT_RESOLVED_REFRESH)
        assert.strictEqual(again.command_id, first!.command_id)
      }))

    it.scoped("without an agent a fire is buffered, and sent when one connects", () =>
      Effect.gen(function*() {
        const { connect, fire, fires, id, read } = yield* due()
        const response = yield* fire(fireOf(yield* read))
        assert.deepInclude(response, { disposition: FireDisposition.FIRE_ACCEPTED, buffered: true, command_id: "" })
        assert.strictEqual((yield* fires(id))[0]?.status, "buffered")
        yield* connect(succeed)
        yield* until(fires(id), (rows) => rows[0]?.status === "acked_success")
      }))

    it.scoped("a fire of something else than the schedule as it is now is refused, and the response says what it is", () =>
      Effect.gen(function*() {
        const { call, fire, fires, id, read } = yield* due()
        const row = yield* read
        const later = Timestamp.addSeconds(tickOf(row), 3600)
        const refused = [
          [fireOf(row, { expected_schedule_revision: row.schedule_revision - 1n }), "FIRE_SLOT_RESOLVED_REFRESH"],
          [fireOf(row, { expected_last_run_at: writeTime(later)! }), "FIRE_SLOT_RESOLVED_REFRESH"],
          [fireOf(row, { observed_control_token: randomUUID() }), "FIRE_STALE_CONTROL_REFRESH"],
          [fireOf(row, { definition_digest: "other" }), "FIRE_STALE_CONTROL_REFRESH"],
          [fireOf(row, { fire_id: randomUUID() }), "FIRE_STALE_CONTROL_REFRESH"],
          [fireOf(row, { fire_id: "no UUID" }), "FIRE_STALE_CONTROL_REFRESH"],
          [fireOf(row, { fire_id: "\0" }), "FIRE_STALE_CONTROL_REFRESH"],
          // its id is that of the whole second, so both would fire
          [
            fireOf(row, { scheduled_for: { ...row.next_run_at!, nanos: 500_000_000 } }),
            "FIRE_STALE_CONTROL_REFRESH"
          ],
          [
            fireOf(row, { prepared_next_run_at: { ...row.next_run_at!, nanos: 500_000_000 } }),
            "FIRE_STALE_CONTROL_REFRESH"
          ],
          [fireOf(row, { schedule_id: randomUUID() }), "FIRE_STALE_CONTROL_REFRESH"],
          [fireOf(row, { prepared_next_run_at: row.next_run_at! }), "FIRE_STALE_CONTROL_REFRESH"],
          [fireOf(row, { scheduler_protocol_epoch: 0 }), "FIRE_LEGACY_UPGRADE_REQUIRED"],
          [fireOf(row, { triggered_by_user_id: randomUUID() }), "FIRE_LEGACY_UPGRADE_REQUIRED"],
          [fireOf(row, { cadence_semantics_version: 2 }), "FIRE_CADENCE_SEMANTICS_MISMATCH"],
          [{ ...fireOf(row), prepared_next_run_at: undefined }, "FIRE_CADENCE_SEMANTICS_MISMATCH"]
        ] as const
        for (const [request, disposition] of refused) {
          const response = yield* fire(request)
          assert.strictEqual(response.disposition, FireDisposition[disposition], JSON.stringify(response.error_message))
          assert.notStrictEqual(response.error_code, "")
        }
        const ahead = yield* Effect.map(Timestamp.now, (now) => Timestamp.addSeconds(now, 60))
        const tick = Timestamp.fromEpochMicros(BigInt(Timestamp.toEpochSeconds(ahead)) * 1_000_000n)
        const early = yield* fire(fireOf(row, {
          fire_id: fireIdOf(ScheduleId.make(id), tick),
          scheduled_for: writeTime(tick)!
        }))
        assert.strictEqual(early.disposition, FireDisposition.FIRE_RETRYABLE_OR_AMBIGUOUS)

        yield* call("POST", `/${id}/pause`)
        const paused = yield* fire(fireOf(row))
        assert.strictEqual(paused.disposition, FireDisposition.FIRE_STALE_CONTROL_REFRESH)
        assert.strictEqual(paused.error_code, "schedule_paused")
        assert.isTrue(paused.live_revision > row.schedule_revision)
        assert.isFalse((yield* read).is_enabled)
        assert.lengthOf(yield* fires(id), 0)
      }))

    it.scoped("ticks that are skipped or late are misfires with the cause scheduler_down", () =>
      Effect.gen(function*() {
        const { advance, fire, fires, id, misfires, read } = yield* due(3 * day)
        const row = yield* read
        const tick = tickOf(row)
        const request = advanceOf(row, {
          skipped_through: writeTime(Timestamp.addSeconds(tick, day))!,
          prepared_next_run_at: writeTime(Timestamp.addSeconds(tick, 2 * day))!
        })
        const response = yield* advance(request)
        assert.strictEqual(response.disposition, CursorTransitionDisposition.CURSOR_APPLIED, response.error_message)
        assert.deepStrictEqual(response.committed_next_run_at, request.prepared_next_run_at)
        assert.strictEqual((yield* advance(request)).disposition, CursorTransitionDisposition.CURSOR_IDEMPOTENT)
        assert.lengthOf(yield* fires(id), 0)
        const [misfire] = yield* misfires(id)
        assert.deepInclude(misfire, { slots: 2, expected_fire_at: tick })
        const after = yield* read
        assert.strictEqual(after.schedule_revision, response.live_revision)
        assert.strictEqual((yield* fire(fireOf(row))).disposition, FireDisposition.FIRE_SLOT_RESOLVED_REFRESH)
        // two days late: the tick is one more of the same outage
        const late = yield* fire(fireOf(after))
        assert.strictEqual(late.disposition, FireDisposition.FIRE_ACCEPTED, late.error_message)
        const outages = yield* misfires(id)
        assert.lengthOf(outages, 1)
        assert.deepInclude(outages[0], { slots: 3, expected_fire_at: tick })
        const stale = yield* advance(advanceOf(yield* read, { observed_control_token: randomUUID() }))
        assert.strictEqual(stale.disposition, CursorTransitionDisposition.CURSOR_STALE_CONTROL_REFRESH)
        assert.notStrictEqual(stale.live_control_token, "")
      }))

    it.scoped("a date and time that is skipped is shown as disabled, by another revision than the scheduler's own", () =>
      Effect.gen(function*() {
        const { advance, create, project, snapshot } = yield* due()
        const { id } = yield* create({ name: "once", kind: "clocked", expression: "2190-01-01T00:00:00Z" })
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE schedules SET next_run_at = '2026-01-01T00:00:00.000000Z', expression = '2026-01-01T01:00:00+01:00'
          WHERE id = ${id}`
        const find = Effect.map(snapshot(project.id), ({ rows }) => rows.find((row) => row.id === id)!)
        const row = yield* find
        assert.strictEqual(row.expression, "2026-01-01T00:00:00.000000Z")
        const response = yield* advance({ ...advanceOf(row), prepared_next_run_at: undefined })
        assert.strictEqual(response.disposition, CursorTransitionDisposition.CURSOR_APPLIED, response.error_message)
        const after = yield* find
        assert.isFalse(after.is_enabled)
        assert.isTrue(after.schedule_revision > response.committed_revision)
      }))

    it.scoped("a quarantine is applied once, under the token that the scheduler saw", () =>
      Effect.gen(function*() {
        const { call, fire, id, read, scheduler } = yield* due()
        const row = yield* read
        const quarantine = (observed_control_token: string, schedule_id = id) =>
          Effect.map(
            callUnary(scheduler, SchedulerServiceService.quarantineSchedule, {
              project_id: row.project_id,
              schedule_id,
              observed_control_token,
              reason_code: "bad_expression",
              detail: "cannot be parsed",
              scheduler_protocol_epoch: 1
            }),
            ({ outcome }) => outcome
          )
        assert.strictEqual(yield* quarantine(randomUUID()), QuarantineOutcome.QUARANTINE_STALE_CONTROL)
        assert.strictEqual(
          yield* quarantine(row.control_token, randomUUID()),
          QuarantineOutcome.QUARANTINE_NOT_FOUND
        )
        assert.strictEqual(yield* quarantine(row.control_token), QuarantineOutcome.QUARANTINE_APPLIED)
        assert.strictEqual(yield* quarantine(row.control_token), QuarantineOutcome.QUARANTINE_ALREADY_APPLIED)
        const { json } = yield* call("GET", `/${id}`)
        assert.deepInclude(json, { quarantine_code: "bad_expression", quarantine_detail: "cannot be parsed" })
        assert.strictEqual((yield* fire(fireOf(row))).disposition, FireDisposition.FIRE_TERMINAL_QUARANTINED)
        const sql = yield* SqlClient.SqlClient
        const [entry] = yield* sql<{ actor: string }>`SELECT * FROM audit_log
          WHERE action = 'schedule.quarantined' AND target_id = ${id}`
        assert.match(JSON.stringify(entry), /scheduler:s-/)
      }))

    it.scoped("texts that a database cannot hold are stored without what it cannot hold, or refused", () =>
      Effect.gen(function*() {
        const { call, id, lease, project, read, scheduler } = yield* due()
        const row = yield* read
        const { outcome } = yield* callUnary(scheduler, SchedulerServiceService.quarantineSchedule, {
          project_id: row.project_id,
          schedule_id: id,
          observed_control_token: row.control_token,
          reason_code: "outcome_unknown", // a word of the brain's own, which another operation ends
          detail: `cannot be parsed: \0${"🎉".repeat(300)}`,
          scheduler_protocol_epoch: 1
        })
        assert.strictEqual(outcome, QuarantineOutcome.QUARANTINE_APPLIED)
        const { json } = yield* call("GET", `/${id}`)
        assert.strictEqual(json.quarantine_code, "definition_invalid")
        assert.match(json.quarantine_detail, /^cannot be parsed: \ufffd🎉/)
        const hold = callUnary(lease, SchedulerLeaseService.hold, {
          project_ids: [project.id],
          instance_id: "a\0",
          ttl_seconds: 5
        })
        assert.match((yield* Effect.flip(hold)).message, /^3 INVALID_ARGUMENT: instance_id/)
      }))

    it.scoped("changes come in order, with deletions, and what is not of the scope is scanned through", () =>
      Effect.gen(function*() {
        const { call, create, id, project, snapshot, watch } = yield* due()
        const other = yield* world
        const { complete } = yield* snapshot("")
        const all = yield* watch("", complete.watermark)
        const own = yield* watch(project.id, complete.watermark)
        const elsewhere = yield* other.create({})
        yield* call("PATCH", `/${id}`, { queue: "reports" })
        yield* create({ name: "second" })
        yield* call("DELETE", `/${id}`)
        const frames = (seen: (typeof all)["seen"]) =>
          seen.flatMap(({ frame }) =>
            frame?.$case === "change" ? [frame.value.schedule?.id ?? `deleted ${frame.value.deleted_id}`] : []
          )
        yield* until(Effect.sync(() => frames(own.seen)), (seen) => seen.includes(`deleted ${id}`))
        yield* until(Effect.sync(() => frames(all.seen)), (seen) => seen.includes(`deleted ${id}`))
        assert.notInclude(frames(own.seen), elsewhere.id)
        assert.include(frames(all.seen), elsewhere.id)
        for (const { seen } of [all, own]) {
          const revisions = seen.map(({ frame }) =>
            frame?.$case === "change" ? frame.value.revision : frame?.value.scanned_through_revision ?? 0n
          )
          assert.deepStrictEqual(revisions, [...new Set(revisions)].toSorted((a, b) => (a < b ? -1 : 1)))
        }
        const newest = (yield* snapshot("")).complete.watermark
        yield* until(
          Effect.sync(() => own.seen.at(-1)?.frame),
          (frame) =>
            (frame?.$case === "change" ? frame.value.revision : frame?.value.scanned_through_revision) === newest
        )

        const sql = yield* SqlClient.SqlClient
        const [{ horizon } = { horizon: 0 }] = yield* sql<{ horizon: number }>`SELECT horizon FROM schedule_changes`
        const past = yield* watch("", BigInt(horizon) - 1n)
        yield* until(Effect.sync(() => past.state.error), (error) => error !== null)
        assert.match(past.state.error ?? "", /^11 OUT_OF_RANGE/)
        const future = yield* watch("", newest + 1000n)
        yield* until(Effect.sync(() => future.state.error), (error) => error !== null)
      }))

    it.scoped("a scheduler has at most four streams of changes", () =>
      Effect.gen(function*() {
        const { project, snapshot, watch } = yield* due()
        const { complete } = yield* snapshot("")
        const streams = yield* Effect.forEach(Array.from({ length: 5 }), () => watch(project.id, complete.watermark))
        const errors = Effect.sync(() => streams.flatMap(({ state }) => state.error ?? []))
        const [error, ...others] = yield* until(errors, (list) => list.length > 0)
        assert.match(error ?? "", /^8 RESOURCE_EXHAUSTED/)
        assert.lengthOf(others, 0)
        streams[0]?.stream.cancel()
        yield* until(
          Effect.gen(function*() {
            const next = yield* watch(project.id, complete.watermark - 1n)
            yield* until(Effect.sync(() => next.state.error !== null || next.seen.length > 0), (isKnown) => isKnown)
            return next.state.error
          }),
          (refused) => refused === null
        )
      }))

    it.scoped("a scheduler takes at most four snapshots at once, and those that are not read end", () =>
      Effect.gen(function*() {
        const { create, project, scheduler, snapshot } = yield* due()
        // more than a connection holds for a stream that is not read
        for (let index = 0; index < 60; index++) {
          yield* create({ name: `large ${index}`, kwargs: { blob: "x".repeat(5000) } })
        }
        const all = { project_id: project.id, page_size: 100, snapshot_format_version: 1 }
        const errors: Array<string> = []
        const unread = Effect.acquireRelease(
          Effect.sync(() =>
            scheduler.listScheduleSnapshot(all).on("error", ({ message }) => void errors.push(message))
          ),
          (stream) => Effect.sync(() => stream.cancel())
        )
        yield* Effect.replicateEffect(unread, 5)
        yield* until(Effect.sync(() => errors), (list) => list.length > 0)
        assert.match(errors[0] ?? "", /^8 RESOURCE_EXHAUSTED: A scheduler has at most 4 snapshots/)
        const { rows } = yield* until(Effect.either(snapshot(project.id)), Either.isRight).pipe(Effect.flatten)
        assert.lengthOf(rows, 61)
      }))

    it.scoped("of two instances one holds the lease of a project until it gives it up or is gone", () =>
      Effect.gen(function*() {
        const { lease, project } = yield* due()
        const { token } = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const service = Effect.map(request("GET", "/schedulers", { token }), ({ json }) => json.schedulers[0])
        const other = yield* connectCurrent("other")
        const hold = (client: typeof lease, instance_id: string) =>
          Effect.map(
            callUnary(client, SchedulerLeaseService.hold, {
              project_ids: [project.id, randomUUID()],
              instance_id,
              ttl_seconds: 5
            }),
            ({ leases }) => leases
          )
        const { projects } = yield* callUnary(lease, SchedulerLeaseService.listProjects, {})
        assert.deepInclude(projects, { id: project.id, slug: project.slug })
        const [first, ...rest] = yield* hold(lease, "a")
        assert.lengthOf(rest, 0)
        assert.isTrue(first?.held)
        const firing = yield* until(service, ({ ok }) => ok) // a program is recorded some time after its first call
        assert.deepInclude(firing, { url: "svc-scheduler", ok: true, error: null })
        const [second] = yield* hold(other.lease, "b")
        assert.isFalse(second?.held)
        assert.strictEqual(second?.holder, first?.holder)
        const [sameInstance] = yield* hold(other.lease, "a") // of another certificate
        assert.isFalse(sameInstance?.held)
        assert.isTrue((yield* hold(lease, "a"))[0]?.held)
        yield* callUnary(other.lease, SchedulerLeaseService.release, { instance_id: "a" })
        assert.isFalse((yield* hold(other.lease, "b"))[0]?.held)
        yield* callUnary(lease, SchedulerLeaseService.release, { instance_id: "a" })
        assert.isTrue((yield* hold(other.lease, "b"))[0]?.held)
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE leases SET expires_at = 1 WHERE name LIKE ${`%${project.id}`}`
        assert.isTrue((yield* hold(lease, "a"))[0]?.held)
      }))

    it.scoped("a shorter lease does not take a longer one over", () =>
      Effect.gen(function*() {
        const { lease, project } = yield* due()
        const hold = (instance_id: string, ttl_seconds: number) =>
          Effect.map(
            callUnary(lease, SchedulerLeaseService.hold, { project_ids: [project.id], instance_id, ttl_seconds }),
            ({ leases }) => leases[0]?.held
          )
        assert.isTrue(yield* hold("a", 60))
        assert.isFalse(yield* hold("b", 5))
        assert.isTrue(yield* hold("a", 60))
        // the database's clock was set back
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE leases SET expires_at = expires_at + 86400000 WHERE name LIKE ${`%${project.id}`}`
        assert.isTrue(yield* hold("b", 5))
      }))

    it.scoped("a tick that no scheduler fires is a misfire with the cause scheduler_down", () =>
      Effect.gen(function*() {
        const { create, misfires } = yield* world
        const { id } = yield* create({ expression: "3", grace_seconds: 1 })
        const [misfire] = yield* until(misfires(id), (rows) => rows.length > 0)
        assert.strictEqual(misfire.cause, "scheduler_down")
      }))
  })
})
