import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Project } from "../../src/domain/kernel/Project.ts"
import { Metrics } from "../../src/services/kernel/Metrics.ts"
import { connected, freshAgent, type Options } from "../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { activatePublisher, activationOf, Publisher, row, schedulerHello } from "../schedulePublisher.ts"
import { until } from "../until.ts"

const fresh = Effect.gen(function*() {
  const project = yield* freshProject()
  const credentials = yield* freshAgent(project)
  const key = yield* freshKey({ roles: { [project.id]: "admin" } })
  const schedules = Effect.map(
    request("GET", `/projects/${project.slug}/schedules?limit=500`, key),
    ({ json }) => json.items
  )
  return { project, key, schedules, credentials, options: { base: yield* baseUrl, ...credentials } }
})

const beat = (options: Options, hello: Options["hello"] = schedulerHello(["celery-beat"])) =>
  connected({ ...options, hello })

const streamsOf = (project: Project) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql<{
      readonly stream_id: string
      readonly status: string
      readonly session_id: string
      readonly epoch_number: number
      readonly accepted_sequence: number
      readonly error: string | null
      readonly schedule_count: number
    }>`SELECT * FROM schedule_streams WHERE project_id = ${project.id} ORDER BY stream_id`)

const auditOf = (project: Project) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ readonly metadata: string }>`SELECT metadata FROM audit_log
        WHERE project_id = ${project.id} AND action = 'schedules.published' ORDER BY id`,
      (rows) => rows.map(({ metadata }) => JSON.parse(metadata))
    ))

const countOf = (outcome: string) =>
  Effect.flatMap(
    Metrics,
    ({ text }) =>
      Effect.map(text, (all) =>
        Number(new RegExp(`publications_total\\{outcome="${outcome}"\\} (\\d+)`).exec(all)?.[1] ?? 0))
  )

describe.each(laneEngines)("published schedules on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("a scheduler is asked to publish, and its snapshot becomes the project's schedules", () =>
      Effect.gen(function*() {
        const { options, project, schedules } = yield* fresh
        const publisher = yield* activatePublisher(yield* beat(options))
        assert.strictEqual(publisher.epoch.epoch_number, 1)
        const acks = yield* publisher.publish([
          row({ source_key: "static:1", name: "nightly", queue: "low", kwargs: { token: "abc", a: 1 } }),
          row({
            source_key: "static:2",
            name: "dawn",
            kind: "solar",
            expression: "dawn_astronomical",
            last_run_at: "2026-11-22T05:00:00.000001+00:00",
            next_run_at: "2026-11-23T05:00:00.000000+00:00",
            total_runs: 7
          })
        ])
        assert.deepStrictEqual(acks.map(({ accepted, rejected }) => [accepted, rejected]), [[1, 0], [1, 0]])
        const [dawn, nightly] = yield* schedules
        assert.deepInclude(dawn, {
          name: "dawn",
          kind: "solar",
          expression: "dawn_astronomical",
          scheduler: "celery-beat",
          engine: "celery",
          source: "celery-beat:static",
          external_id: "static:2",
          last_run_at: "2026-11-22T05:00:00.000001Z",
          next_run_at: "2026-11-23T05:00:00.000000Z",
          total_runs: 7,
          is_drifted: false,
          quarantine_code: null
        })
        assert.deepInclude(nightly, { name: "nightly", queue: "low", next_run_at: null })
        assert.deepStrictEqual(nightly.kwargs, { a: 1, token: "[REDACTED]" })
        assert.notInclude(Object.keys(nightly), "stream_id")
        assert.deepStrictEqual(yield* auditOf(project), [
          { by: "agents", scheduler: "celery-beat", inserted: 2, updated: 0, deleted: 0 }
        ])
        const [stream] = yield* streamsOf(project)
        assert.deepInclude(stream, { status: "live", accepted_sequence: 1, schedule_count: 2, error: null })
      }))

    it.scoped("a later snapshot is the truth: it changes and deletes; a run alone is no audited change", () =>
      Effect.gen(function*() {
        const { options, project, schedules } = yield* fresh
        const publisher = yield* activatePublisher(yield* beat(options))
        const one = { source_key: "1", name: "one" }
        yield* publisher.publish([row(one), row({ source_key: "2", name: "two" })])
        const before = yield* schedules
        yield* publisher.publish([row({ ...one, total_runs: 1, last_run_at: "2026-11-22T05:00:00+00:00" })])
        const [ran] = yield* schedules
        assert.deepStrictEqual(
          { ...ran, schedule_revision: 0 },
          { ...before[0], schedule_revision: 0, total_runs: 1, last_run_at: "2026-11-22T05:00:00.000000Z" }
        )
        yield* publisher.publish([row({ ...one, total_runs: 2, last_run_at: "2026-11-22T06:00:00+00:00" })])
        yield* publisher.publish([row({ ...one, total_runs: 2, expression: "6 3 * * *" })])
        const [changed] = yield* schedules
        assert.deepInclude(changed, { id: ran.id, expression: "6 3 * * *", created_at: ran.created_at })
        assert.notStrictEqual(changed.control_token, ran.control_token)
        yield* publisher.publish([])
        assert.deepStrictEqual(yield* schedules, [])
        assert.deepStrictEqual(
          (yield* auditOf(project)).map(({ deleted, inserted, updated }) => [inserted, updated, deleted]),
          [[2, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, 1]]
        )
      }))

    it.scoped("names can be exchanged, and two schedules of one name stay distinct", () =>
      Effect.gen(function*() {
        const { options, schedules } = yield* fresh
        const publisher = yield* activatePublisher(yield* beat(options))
        yield* publisher.publish([row({ source_key: "1", name: "a" }), row({ source_key: "2", name: "b" })])
        const [a, b] = yield* schedules
        yield* publisher.publish([row({ source_key: "1", name: "b" }), row({ source_key: "2", name: "a" })])
        const exchanged = yield* schedules
        assert.deepStrictEqual(exchanged.map(({ id, name }: typeof a) => [id, name]), [[b.id, "a"], [a.id, "b"]])
        yield* publisher.publish([row({ source_key: "1", name: "b" }), row({ source_key: "2", name: "b" })])
        assert.deepStrictEqual((yield* schedules).map(({ name }: typeof a) => name), ["b (1)", "b (2)"])
        // a job that is created again under another id keeps its history
        yield* publisher.publish([row({ source_key: "3", name: "b (1)" })])
        assert.deepInclude((yield* schedules)[0], { id: a.id, name: "b (1)", external_id: "3" })
      }))

    it.scoped("a name is unique, whatever names other agents choose, and however long names and keys are", () =>
      Effect.gen(function*() {
        const { options, project, schedules } = yield* fresh
        const a = yield* activatePublisher(yield* beat(options))
        const b = yield* activatePublisher(
          yield* beat({ base: options.base, ...(yield* freshAgent(project, "second")) })
        )
        yield* a.publish([row({ source_key: "1", name: "x" }), row({ source_key: "2", name: "x (k)" })])
        yield* b.publish([row({ source_key: "k", name: "y" })])
        yield* b.publish([row({ source_key: "k", name: "x" })])
        const names = (yield* schedules).map(({ name }: { name: string }) => name)
        assert.deepStrictEqual(names.slice(0, 2), ["x", "x (k)"])
        assert.match(names[2], /^x \(k\) [0-9a-f-]{36}$/)
        const long = (length: number) =>
          Array.from({ length }, () => String.fromCharCode(0x4e00 + Math.floor(Math.random() * 20_000))).join("")
        const name = long(500)
        const acks = yield* a.publish(Array.from({ length: 2 }, () => row({ source_key: long(512), name })))
        assert.deepStrictEqual(acks.map(({ rejected }) => rejected), [0, 0])
      }))

    it.scoped("a snapshot counts only as a whole, whatever the order and number of its frames", () =>
      Effect.gen(function*() {
        const { options, project, schedules } = yield* fresh
        const publisher = yield* activatePublisher(yield* beat(options))
        const rows = Array.from({ length: 5 }, (_, index) => row({ source_key: `k${index}`, name: `n${index}` }))
        const frames = publisher.frames(rows, { maxBytes: 1 })
        assert.strictEqual(frames.length, 6)
        const [first, ...rest] = frames.toReversed()
        yield* publisher.send([first!, ...rest.slice(0, 4), first!, ...rest.slice(1, 3)])
        assert.deepStrictEqual(yield* schedules, [])
        yield* publisher.send(rest.slice(4))
        assert.strictEqual((yield* schedules).length, 5)
        // all again: the sequence is known
        yield* publisher.send(frames)
        // a newer snapshot displaces an unfinished one
        const unfinished = publisher.frames([row({ source_key: "old" })])
        const newer = publisher.frames([row({ source_key: "new", name: "new" })])
        yield* publisher.send([unfinished[0]!, newer[0]!, unfinished[1]!, newer[1]!])
        assert.deepStrictEqual((yield* schedules).map(({ name }: { name: string }) => name), ["new"])
        // an older sequence never wins
        yield* publisher.send(publisher.frames([], { sequence: 1 }))
        assert.strictEqual((yield* schedules).length, 1)
        assert.deepInclude((yield* streamsOf(project))[0], { accepted_sequence: 3, status: "live" })
      }))

    it.scoped("a change of one schedule leaves the others", () =>
      Effect.gen(function*() {
        const { options, project, schedules } = yield* fresh
        const publisher = yield* activatePublisher(yield* beat(options))
        const two = row({ source_key: "2", name: "two" })
        yield* publisher.publish([row({ source_key: "1", name: "one" }), two])
        yield* publisher.update([{ ...two, is_enabled: false }])
        assert.deepStrictEqual(
          (yield* schedules).map(({ is_enabled, name }: { name: string; is_enabled: boolean }) => [name, is_enabled]),
          [["one", true], ["two", false]]
        )
        yield* publisher.update([], { deleted: ["1", "unknown"] })
        assert.deepStrictEqual((yield* schedules).length, 1)
        assert.deepInclude((yield* streamsOf(project))[0], { accepted_sequence: 3, schedule_count: 1 })
      }))

    it.scoped("an invalid snapshot is refused as a whole; the session and the schedules stay", () =>
      Effect.gen(function*() {
        const { options, project, schedules } = yield* fresh
        const agent = yield* beat(options)
        const publisher = yield* activatePublisher(agent)
        yield* publisher.publish([row()])
        const bad: ReadonlyArray<readonly [reason: string, rows: ReadonlyArray<ReturnType<typeof row>>]> = [
          ["bad_row", [row({ name: "x".repeat(501) })]],
          ["bad_row", [row({ source_key: "" })]],
          ["bad_row", [row({ name: "a\0b" })]],
          ["bad_row", [row({ total_runs: -1 })]],
          ["bad_row", [row({ total_runs: 1.5 })]],
          ["bad_row", [row({ args: {} })]],
          ["bad_row", [row({ kwargs: "x" })]],
          ["bad_row", [row({ is_enabled: 1 })]],
          ["bad_row", [row({ last_run_at: "yesterday" })]],
          ["bad_row", [row({ scheduler: "apscheduler" })]],
          ["duplicate_key", [row({ name: "a" }), row({ name: "b" })]]
        ]
        for (const [reason, rows] of bad) {
          const before = yield* countOf(reason)
          const acks = yield* publisher.publish(rows)
          assert.strictEqual(acks.at(-1)?.rejected, 1, reason)
          assert.strictEqual(yield* countOf(reason), before + 1)
          const [stream] = yield* streamsOf(project)
          assert.include(stream?.error, reason)
          assert.strictEqual(stream?.accepted_sequence, 1)
        }
        const [good] = publisher.frames([row({ name: "never" })])
        const invalid = [
          { ...good!, frame_digest: "0".repeat(64) },
          { ...good!, frame_digest: "" }
        ]
        for (const frame of invalid) assert.strictEqual((yield* publisher.send([frame]))[0]?.rejected, 1)
        assert.deepStrictEqual((yield* schedules).map(({ name }: { name: string }) => name), ["nightly"])
        // the next right one clears the error
        yield* publisher.publish([row({ name: "again" })])
        assert.deepInclude((yield* streamsOf(project))[0], { error: null, status: "live" })
        assert.isNull(agent.refusal)
      }))

    it.scoped("only the bound session of the epoch may publish", () =>
      Effect.gen(function*() {
        const { options, project, schedules } = yield* fresh
        const publisher = yield* activatePublisher(yield* beat(options))
        yield* publisher.publish([row()])
        const other = yield* beat(options)
        const before = yield* countOf("stale")
        const stolen = new Publisher(other, publisher.epoch)
        stolen.sequence = 10
        yield* stolen.publish([])
        yield* stolen.update([], { deleted: ["static:1"] })
        assert.strictEqual(yield* countOf("stale"), before + 2)
        assert.strictEqual((yield* schedules).length, 1)
        assert.strictEqual((yield* streamsOf(project)).length, 1)
      }))

    it.scoped("another session takes over in a higher epoch when the publisher ends", () =>
      Effect.gen(function*() {
        const { options, project, schedules } = yield* fresh
        const first = yield* beat(options)
        yield* (yield* activatePublisher(first)).publish([row()])
        const second = yield* beat(options)
        yield* Effect.promise(() => first.terminate())
        const publisher = yield* activatePublisher(second)
        assert.strictEqual(publisher.epoch.epoch_number, 2)
        assert.strictEqual((yield* schedules).length, 1)
        yield* publisher.publish([row({ name: "later" })])
        assert.deepStrictEqual((yield* schedules).map(({ name }: { name: string }) => name), ["later"])
        yield* Effect.promise(() => second.terminate())
        yield* until(streamsOf(project), ([stream]) => stream?.status === "ended")
        assert.strictEqual((yield* schedules).length, 1)
      }))

    it.scoped("an epoch whose begin was committed, but not confirmed to the brain, is used", () =>
      Effect.gen(function*() {
        const { options, project, schedules } = yield* fresh
        const sql = yield* SqlClient.SqlClient
        const publisher = yield* activatePublisher(yield* beat(options))
        yield* sql`UPDATE schedule_streams SET epoch_number = 7 WHERE project_id = ${project.id}`
        const later = new Publisher(publisher.agent, { ...publisher.epoch, epoch_number: 7 })
        yield* until(Effect.zipRight(later.publish([row()]), schedules), (rows) => rows.length === 1)
      }))

    it.scoped("an agent that refuses to publish shows as failed", () =>
      Effect.gen(function*() {
        const { options, project } = yield* fresh
        const agent = yield* beat(options)
        agent.onCommand = (command) => agent.sendResult(command, { status: "failed", error: "no store" })
        const [stream] = yield* until(streamsOf(project), ([stream]) => stream?.status === "failed")
        assert.include(stream?.error, "no store")
      }))

    it.scoped("a scheduler that the project does not allow is not asked, nor is one that bears the service's name", () =>
      Effect.gen(function*() {
        const project = yield* freshProject({ allowed_schedulers: ["svc-scheduler", "apscheduler"] })
        const options = { base: yield* baseUrl, ...(yield* freshAgent(project)) }
        const agent = yield* beat(options, schedulerHello(["celery-beat", "apscheduler", "svc-scheduler"]))
        yield* activatePublisher(agent, "apscheduler")
        const streams = yield* until(streamsOf(project), (streams) => streams.length === 2)
        assert.deepStrictEqual(streams.map(({ status }) => status).sort(), ["activating", "not_allowed"])
        assert.include(streams.find(({ status }) => status === "not_allowed")?.error, "allowed_schedulers")
        assert.strictEqual(agent.commands.length, 1)
      }))

    it.scoped("a resync asks each publisher once, and one that refused is activated again", () =>
      Effect.gen(function*() {
        const { key, options, project, schedules } = yield* fresh
        const agent = yield* beat(options, schedulerHello(["celery-beat", "apscheduler"]))
        const publisher = yield* activatePublisher(agent)
        yield* publisher.publish([row()])
        agent.sendResult(yield* activationOf(agent, "apscheduler"), { status: "failed", error: "no store" })
        yield* until(streamsOf(project), (streams) => streams.some(({ status }) => status === "failed"))
        const fleet = Effect.map(request("GET", "/schedulers", key), ({ json }) => json)
        const before = yield* fleet
        assert.deepStrictEqual(
          before.schedulers.map(({ ok, url }: { url: string; ok: boolean }) => [url.split("/").at(-1), ok]),
          [["svc-scheduler", true], ["apscheduler", false], ["celery-beat", true]]
        )
        assert.deepStrictEqual([before.total, before.healthy], [3, 2])
        assert.include(before.schedulers[1].error, "no store")
        assert.deepInclude(before.schedulers[2].info, { project: project.slug, status: "live", schedule_count: 1 })
        const stranger = yield* freshKey({ roles: {} })
        assert.strictEqual((yield* request("GET", "/schedulers", stranger)).json.total, 1)

        const response = yield* request("POST", `/projects/${project.slug}/schedules:resync`, key)
        assert.strictEqual(response.status, 202)
        assert.deepStrictEqual(response.json, {
          agents_dispatched: 1,
          schedulers_observed: ["apscheduler", "celery-beat"]
        })
        const command = yield* Effect.promise(() => agent.command("schedule.resync"))
        agent.sendResult(command, { status: "success", result: { schedulers_drained: 1 } })
        yield* publisher.publish([])
        assert.deepStrictEqual(yield* schedules, [])
        yield* Effect.promise(() =>
          agent.when(() =>
            agent.commands.filter(({ parameters }) => parameters.scheduler === "apscheduler").length === 2
          )
        )
        assert.strictEqual(agent.commands.filter(({ action }) => action === "schedule.resync").length, 1)
      }))

    it.scoped("two agents with one definition are one owner; with two, the schedule is in quarantine until one ends", () =>
      Effect.gen(function*() {
        const { key, options, project, schedules } = yield* fresh
        const a = yield* activatePublisher(yield* beat(options))
        const credentials = yield* freshAgent(project, "second agent")
        const second = yield* beat({ base: options.base, ...credentials })
        const b = yield* activatePublisher(second)
        yield* a.publish([row()])
        yield* b.publish([row({ total_runs: 3 })])
        assert.deepInclude((yield* schedules)[0], { quarantine_code: null, total_runs: 0 })
        yield* a.publish([])
        assert.deepInclude((yield* schedules)[0], { quarantine_code: null, total_runs: 3 })
        yield* a.publish([row({ expression: "1 1 * * *" })])
        const [quarantined] = yield* schedules
        assert.deepInclude(quarantined, { quarantine_code: "two_owners", expression: "5 3 * * *" })
        assert.include(quarantined.quarantine_detail, "\"second agent\"")
        assert.isNotNull(quarantined.quarantined_at)
        // another key under the name is a second owner too
        yield* a.publish([row({ source_key: "other" })])
        assert.deepInclude((yield* schedules)[0], { quarantine_code: "two_owners", id: quarantined.id })
        yield* a.publish([row()])
        assert.deepInclude((yield* schedules)[0], { quarantine_code: null, quarantine_detail: null })
        yield* a.publish([row({ expression: "1 1 * * *" })])
        yield* Effect.promise(() => second.terminate())
        const [free] = yield* until(schedules, ([schedule]) => schedule.quarantine_code === null)
        assert.strictEqual(free.expression, "1 1 * * *")
        // a deleted agent takes its claims with it
        yield* a.publish([])
        const left = yield* schedules
        assert.deepStrictEqual(left.length, 1)
        const deleted = yield* request("DELETE", `/projects/${project.slug}/agents/${credentials.agent_id}`, key)
        assert.strictEqual(deleted.status, 204)
        assert.deepStrictEqual(yield* schedules, [])
      }))

    it.scoped("a publication that the brain cannot apply is refused, and does not hold back those of other agents", () =>
      Effect.gen(function*() {
        const { options, project, schedules } = yield* fresh
        const sql = yield* SqlClient.SqlClient
        const a = yield* activatePublisher(yield* beat(options))
        const b = yield* activatePublisher(
          yield* beat({ base: options.base, ...(yield* freshAgent(project, "second")) })
        )
        yield* a.publish([row()])
        const [stream] = yield* streamsOf(project)
        yield* sql`UPDATE schedule_claims SET projection = '{' WHERE stream_id = ${stream!.stream_id}`
        assert.strictEqual((yield* b.publish([row()])).at(-1)?.rejected, 1)
        assert.include((yield* streamsOf(project)).at(-1)?.error, "failed")
        yield* b.publish([row({ source_key: "2", name: "other" })])
        assert.strictEqual((yield* schedules).length, 2)
      }))

    it.scoped("the unfinished snapshots of one agent do not keep out those of others", () =>
      Effect.gen(function*() {
        const { options, project, schedules } = yield* fresh
        const schedulers = ["one", "two", "three"]
        const greedy = yield* beat(options, schedulerHello(schedulers))
        for (const scheduler of schedulers) {
          const publisher = yield* activatePublisher(greedy, scheduler)
          const rows = Array.from({ length: 31 }, (_, index) =>
            row({ scheduler, source_key: `k${index}`, name: `n${index}`, kwargs: { text: "x".repeat(700_000) } }))
          yield* publisher.send(publisher.frames(rows).slice(0, -1))
        }
        const other = yield* activatePublisher(
          yield* beat({ base: options.base, ...(yield* freshAgent(project, "other")) })
        )
        yield* other.publish([row({ kwargs: { text: "x".repeat(700_000) } })])
        assert.strictEqual((yield* schedules).length, 1)
      }))

    it.scoped("ten thousand schedules are read, one more is refused", () =>
      Effect.gen(function*() {
        const { options, project } = yield* fresh
        const publisher = yield* activatePublisher(yield* beat(options))
        const rows = Array.from({ length: 10_001 }, (_, index) => row({ source_key: `k${index}`, name: `n${index}` }))
        yield* publisher.publish(rows.slice(1))
        assert.deepInclude((yield* streamsOf(project))[0], { schedule_count: 10_000, error: null })
        assert.strictEqual((yield* publisher.publish(rows)).at(-1)?.rejected, 1)
        assert.include((yield* streamsOf(project))[0]?.error, "too_large")
      }))
  })
})
