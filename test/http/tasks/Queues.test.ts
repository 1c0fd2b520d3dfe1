import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { connected, freshAgent } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { assertRefused, clientOf } from "../../client.ts"
import { laneEngines } from "../../engines.ts"
import { insertTasks, storedTask } from "../../tasks.ts"
import { until } from "../../until.ts"

describe.each(laneEngines)("a queue on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    /** A project whose agent serves BullMQ and can pause its queues, and Celery, whose it cannot. */
    const world = Effect.gen(function*() {
      const project = yield* freshProject()
      const credentials = yield* freshAgent(project)
      const capabilities = { bullmq: ["pause_queue", "resume_queue", "retry_task"], celery: ["retry_task"] }
      const hello = { engines: ["bullmq", "celery"], capabilities }
      const agent = yield* connected({ base: yield* baseUrl, ...credentials, hello })
      const viewer = yield* clientOf("viewer", project)
      const path = { slug: project.slug, engine: "bullmq", name: "mail/slow" }
      const report = (depth: number, paused: ReadonlyArray<string> = []) =>
        Effect.gen(function*() {
          agent.heartbeat({
            "bullmq.broker_type": "redis",
            "bullmq.queue_depths": JSON.stringify({ "mail/slow": depth }),
            "bullmq.paused_queues": JSON.stringify(paused)
          })
          return yield* until(
            viewer.queues.list({ path, urlParams: {} }),
            ([queue]) => queue?.depth === depth && (queue.pause !== null || paused.length === 0)
          )
        })
      const show = viewer.queues.get({ path, urlParams: { window: "1h" } })
      const operator = yield* clientOf("operator", project)
      const pause = (engine: string, resume_at: Timestamp.Timestamp | null = null) =>
        operator.commands.pauseQueue({
          path,
          payload: {
            agent_id: credentials.agent_id,
            engine,
            queue: path.name,
            reason: "the bank is down",
            resume_at,
            idempotency_key: null
          }
        })
      return { agent, agent_id: credentials.agent_id, operator, path, pause, project, report, show, viewer }
    })

    it.scoped("shows its depth over time, when it will be empty, and how many workers would hold its target", () =>
      Effect.gen(function*() {
        const { operator, path, project, report, show, viewer } = yield* world
        yield* report(100)
        const sql = yield* SqlClient.SqlClient
        const now = yield* Timestamp.now
        const { id, forecast } = yield* show
        assert.isNull(forecast) // a single report
        const [reported] = yield* sql<{ bucket: number }>`
          SELECT bucket FROM queue_depths WHERE queue_id = ${id} AND level = 0`
        const minute = reported?.bucket ?? 0
        for (let ago = 1; ago <= 6; ago++) {
          yield* sql`INSERT INTO queue_depths ${
            sql.insert({ queue_id: id, level: 0, bucket: minute - ago, depth: 100 + 20 * ago })
          } ON CONFLICT DO NOTHING`
        }
        const shown = yield* show
        assert.deepInclude(shown.forecast, { trend: "emptying", per_minute: -20 })
        assert.strictEqual(shown.depths.length, 60)
        assert.includeMembers(shown.depths.map(({ depth }) => depth), [null, 220, 120])
        const ofDay = yield* viewer.queues.get({ path, urlParams: {} })
        assert.strictEqual(ofDay.depths.length, 96)
        assert.deepStrictEqual(ofDay.depths.flatMap(({ depth }) => depth ?? []), [100])

        const target = { path, payload: { start_within_seconds: 30 } }
        yield* assertRefused(viewer.queues.setTarget(target), "forbidden")
        yield* assertRefused(
          operator.queues.setTarget({ ...target, path: { ...path, name: "none" } }),
          "not_found"
        )
        yield* operator.queues.setTarget(target)
        const waiting = storedTask(project.id, Timestamp.toEpochMillis(now) - 90_000, {
          engine: "bullmq",
          queue: path.name,
          state: "pending",
          finished_at: null
        })
        yield* insertTasks([waiting])
        const over = yield* show
        assert.deepInclude(over, { start_target_seconds: 30, is_over_target: true, sizing: null })
        const { json } = yield* request(
          "GET",
          "/home/summary",
          yield* freshKey({ roles: { [project.id]: "viewer" } })
        )
        assert.deepInclude(
          json.attention.map(({ kind, targets }: Record<string, unknown>) => ({ kind, targets })),
          { kind: "queue_over_target", targets: [{ engine: "bullmq", id, name: path.name }] }
        )
        const audited = yield* sql<{ metadata: string }>`SELECT metadata FROM audit_log
          WHERE project_id = ${project.id} AND action = 'queue.target.updated'`
        assert.strictEqual(audited.length, 1)
      }))

    it.scoped("a pause is shown with who, why and until when, and the server resumes the queue at its time", () =>
      Effect.gen(function*() {
        const { agent, agent_id, path, pause, project, report, show, viewer } = yield* world
        yield* report(3)
        const sql = yield* SqlClient.SqlClient
        const resume_at = Timestamp.addSeconds(yield* Timestamp.now, 1800)
        const command = yield* pause("bullmq", resume_at)
        assert.deepInclude((yield* show).pause, { status: "pausing", reason: "the bank is down", resume_at })
        const waiting = storedTask(project.id, Timestamp.toEpochMillis(yield* Timestamp.now), {
          engine: "bullmq",
          queue: path.name,
          state: "received"
        })
        yield* insertTasks([waiting])
        const why = Effect.map(
          viewer.tasks.why({ path: { ...path, task_id: waiting.task_id } }),
          ({ reasons: [first] }) => first
        )
        assert.match((yield* why)?.sentence ?? "", /^The command to pause the queue mail\/slow .* has no outcome yet\./)
        const received = yield* Effect.promise(() => agent.command("pause_queue"))
        assert.deepInclude(received.parameters, { queue: path.name })
        agent.sendResult(received, { status: "success", result: { queue: path.name, paused: true } })
        const paused = yield* until(show, ({ pause }) => pause?.status === "paused")
        assert.deepInclude(paused.pause, { command_id: command.id, agent_id, resume_at })
        assert.isNotNull(paused.pause?.paused_by)
        assert.deepStrictEqual((yield* viewer.queues.list({ path, urlParams: {} }))[0]?.pause, paused.pause)
        assert.deepInclude(yield* why, {
          code: "queue_paused",
          since: paused.pause?.paused_at ?? null,
          evidence: {
            queue: path.name,
            status: "paused",
            reason: "the bank is down",
            resume_at,
            command_id: command.id
          }
        })

        // a further pause replaces it once it is executed; one that fails leaves it
        yield* pause("bullmq")
        assert.deepInclude((yield* show).pause, { status: "pausing", resume_at: null })
        const further = yield* until(
          Effect.sync(() => agent.commands.filter(({ action }) => action === "pause_queue")),
          ({ length }) => length === 2
        )
        agent.sendResult(further[1]!, { status: "failed", error: "Redis is away" })
        yield* until(show, ({ pause }) => pause?.status === "paused")
        assert.deepInclude((yield* show).pause, { command_id: command.id, resume_at })

        // a fault of the agent at the end of the pause: it is tried again
        const due = sql`UPDATE queue_pauses SET resume_at = ${Timestamp.addSeconds(resume_at, -1800)}
          WHERE command_id = ${command.id}`
        yield* due
        const first = yield* Effect.promise(() => agent.command("resume_queue"))
        agent.sendResult(first, { status: "failed", error: "Redis is away" })
        yield* until(
          viewer.commands.get({ path: { slug: path.slug, command_id: first.id as never } }),
          ({ status }) => status === "failed"
        )
        assert.strictEqual((yield* show).pause?.status, "paused")
        yield* sql`UPDATE commands SET completed_at = ${Timestamp.addSeconds(resume_at, -3600)} WHERE id = ${first.id}`
        const second = yield* until(
          Effect.sync(() => agent.commands.filter(({ action }) => action === "resume_queue")),
          ({ length }) => length === 2
        )
        agent.sendResult(second[1]!, { status: "success", result: {} })
        yield* until(show, ({ pause }) => pause === null)
      }))

    it.scoped("a pause in the engine is shown, and one of an engine that has none is refused at once", () =>
      Effect.gen(function*() {
        const { agent_id, operator, path, pause, report, show } = yield* world
        yield* report(3, [path.name])
        assert.deepStrictEqual((yield* show).pause, {
          status: "paused",
          reason: null,
          paused_by: null,
          paused_at: null,
          resume_at: null,
          command_id: null,
          agent_id: null
        })
        yield* report(4)
        assert.isNull((yield* show).pause)
        const refused = yield* pause("celery")
        assert.strictEqual(refused.status, "failed")
        assert.match(refused.error ?? "", /cannot do pause_queue\. Stop the workers of the queue/)
        const sql = yield* SqlClient.SqlClient
        assert.isEmpty(yield* sql`SELECT 1 FROM queue_pauses WHERE agent_id = ${agent_id}`)
        const past = Timestamp.addSeconds(yield* Timestamp.now, -1)
        yield* assertRefused(pause("bullmq", past), "validation_failed")
        yield* assertRefused(pause("bullmq", Timestamp.addSeconds(past, 31 * 86_400)), "validation_failed")
        // the same key is the same command, and another body another request
        const resume = (queue: string) =>
          operator.commands.resumeQueue({
            path,
            payload: { agent_id, engine: "bullmq", queue, idempotency_key: "once" }
          })
        const first = yield* resume(path.name)
        assert.strictEqual((yield* resume(path.name)).id, first.id)
        yield* assertRefused(resume("other"), "idempotency_conflict")
      }))
  })
})
