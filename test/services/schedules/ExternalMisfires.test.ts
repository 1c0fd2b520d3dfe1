import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Metrics } from "../../../src/services/kernel/Metrics.ts"
import { connected, freshAgent } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { engines } from "../../databases.ts"
import { activatePublisher, row, schedulerHello, timeIn } from "../../schedulePublisher.ts"
import { until } from "../../until.ts"

interface Misfire {
  readonly name: string
  readonly cause: string
  readonly slots: number
  readonly detail: string
  readonly expected_fire_at: string
}

const fresh = (scheduler: string) =>
  Effect.gen(function*() {
    const project = yield* freshProject()
    const key = yield* freshKey({ roles: { [project.id]: "admin" } })
    const options = { base: yield* baseUrl, ...(yield* freshAgent(project)) }
    const agent = yield* connected({ ...options, hello: schedulerHello([scheduler]) })
    const misfires = Effect.map(
      request("GET", `/projects/${project.slug}/schedules/misfires`, key),
      ({ json }): ReadonlyArray<Misfire> => json
    )
    const schedules = Effect.map(request("GET", `/projects/${project.slug}/schedules`, key), ({ json }) => json.items)
    const publisher = yield* activatePublisher(agent, scheduler)
    return { project, agent, misfires, schedules, publisher }
  })

const later = (time: string, seconds: number) => timeIn((Date.parse(time) - Date.now()) / 1000 + seconds)

const wire = (text: string) => text.replace("+00:00", "Z")

const metricOf = (cause: string) =>
  Effect.flatMap(
    Metrics,
    ({ text }) =>
      Effect.map(text, (all) => Number(new RegExp(`misfires_total\\{cause="${cause}"\\} (\\d+)`).exec(all)?.[1] ?? 0))
  )

describe.each(engines)("misfires of engines' own schedulers on %s", (engine) => {
  layer(serverOn(engine, { scheduleGraceSeconds: 1 }), { excludeTestServices: true })((it) => {
    it.scoped("an announced run that a later snapshot does not have is a misfire of its scheduler, once", () =>
      Effect.gen(function*() {
        const { misfires, publisher, schedules } = yield* fresh("apscheduler")
        const before = yield* metricOf("external_scheduler_silent")
        const fields = { scheduler: "apscheduler", kind: "interval", expression: "60.0" } as const
        const due = timeIn(-150)
        const late = row({ ...fields, source_key: "1", name: "late", next_run_at: due })
        yield* publisher.publish([
          late,
          row({ ...fields, source_key: "2", name: "in time", next_run_at: timeIn(60) }),
          row({ ...fields, source_key: "3", name: "disabled", next_run_at: due, is_enabled: false }),
          row({ ...fields, source_key: "4", name: "unknown" })
        ])
        const [misfire] = yield* until(misfires, (all) => all.length > 0)
        assert.deepInclude(misfire, {
          name: "late",
          cause: "external_scheduler_silent",
          expected_fire_at: wire(due),
          slots: 3
        })
        yield* publisher.publish([late], 5)
        assert.strictEqual((yield* schedules)[0].skipped_slots_24h, 3)
        assert.isNull((yield* schedules)[0].paused_at)
        assert.strictEqual(yield* metricOf("external_scheduler_silent"), before + 1)
        assert.strictEqual((yield* misfires).length, 1)
      }))

    it.scoped("a job of BullMQ that has not begun holds the next ones back; its start says how many", () =>
      Effect.gen(function*() {
        const { misfires, publisher } = yield* fresh("bullmq-scheduler")
        const due = timeIn(-300)
        const fields = {
          scheduler: "bullmq-scheduler",
          engine: "bullmq",
          kind: "interval",
          expression: "60.0",
          next_run_at: due,
          total_runs: 5
        } as const
        const delayed = { ...fields, source_key: "mail:1", name: "delayed" }
        yield* publisher.publish(
          [row(delayed), row({ ...fields, source_key: "mail:2", name: "alone", queue: "mail" })],
          -240
        )
        const all = yield* until(misfires, ({ length }) => length === 2)
        assert.deepStrictEqual(
          new Map(all.map(({ cause, name }) => [name, cause])),
          new Map([["delayed", "previous_not_started"], ["alone", "scheduler_down"]])
        )
        assert.include(all.find(({ name }) => name === "alone")?.detail, "queue")
        yield* publisher.publish([
          row({ ...delayed, last_run_at: later(due, 299), next_run_at: later(due, 359), total_runs: 6 })
        ])
        const [first] = (yield* misfires).filter(({ name }) => name === "delayed")
        assert.strictEqual(first?.slots, 5)
      }))

    it.scoped("a run of celery-beat that comes between two snapshots is none, nor one that is written late", () =>
      Effect.gen(function*() {
        const { misfires, publisher } = yield* fresh("celery-beat")
        const every = (last: number, runs: number) =>
          row({
            kind: "interval",
            expression: "10.0",
            source: "celery-beat:database",
            last_run_at: timeIn(last),
            total_runs: runs
          })
        yield* publisher.publish([every(-1000, 1)], -995) // the brain sees it first now, so nothing is due before
        const last = every(-900, 11)
        yield* publisher.publish([last], -895)
        // beat writes every 180 s; the marker is late in the same round
        const marker = row({ source_key: "2", name: "marker", kind: "solar", next_run_at: timeIn(-2000) })
        yield* publisher.publish([last, marker], -750)
        const first = yield* until(misfires, ({ length }) => length > 0)
        assert.deepStrictEqual(first.map(({ name }) => name), ["marker"])
        yield* publisher.publish([last, marker], -600)
        const [misfire] = yield* until(misfires, ({ length }) => length > 1)
        assert.strictEqual(misfire?.name, "nightly")
        assert.strictEqual(misfire?.cause, "external_scheduler_silent")
        assert.isAbove(misfire?.slots ?? 0, 10)
      }))

    it.scoped("while no agent is connected, also schedules whose runs are never shown are missed", () =>
      Effect.gen(function*() {
        const { agent, misfires, project, publisher, schedules } = yield* fresh("celery-beat")
        yield* publisher.publish([
          row({ source_key: "1", name: "minutely", expression: "* * * * *" }),
          row({ source_key: "2", name: "dawn", kind: "solar", expression: "dawn" }),
          row({ source_key: "3", name: "disabled", expression: "* * * * *", is_enabled: false })
        ])
        yield* Effect.promise(() => agent.terminate())
        const sql = yield* SqlClient.SqlClient
        yield* until(
          sql`UPDATE schedule_streams SET ended_at = ${timeIn(-3600).replace("+00:00", "Z")}
            WHERE project_id = ${project.id} AND status = 'ended' RETURNING 1`,
          ({ length }) => length > 0
        )
        const all = yield* until(misfires, ({ length }) => length > 0)
        assert.strictEqual(all.length, 1)
        assert.deepInclude(all[0], { name: "minutely", cause: "scheduler_down" })
        assert.isAbove(all[0]?.slots ?? 0, 50)
        assert.isNull((yield* schedules)[0].next_run_at)
      }))
  })
})
