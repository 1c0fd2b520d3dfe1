import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import * as Ids from "../../../../src/services/kernel/Ids.ts"
import { freshAgent } from "../../../agent.ts"
import { freshProject, serverOn } from "../../../brain.ts"
import { assertRefused, clientOf } from "../../../client.ts"
import { laneEngines } from "../../../engines.ts"
import { insertTasks, type StoredTask, storedTask } from "../../../tasks.ts"

describe.each(laneEngines)("why a task is not running on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    /** A project with an online agent of Celery, and helpers that write the facts. */
    const site = Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const project = yield* freshProject()
      const { agent_id } = yield* freshAgent(project)
      const client = yield* clientOf("viewer", project)
      const now = yield* Timestamp.now
      const ago = (seconds: number) => Timestamp.addSeconds(now, -seconds)
      const agentIs = (state: string) =>
        sql`UPDATE agents SET state = ${state}, engine_adapters = '["celery"]', last_seen_at = ${ago(5)}
          WHERE id = ${agent_id}`
      const worker = (name: string, fields: Readonly<Record<string, unknown>> = {}) =>
        Effect.flatMap(Ids.next, (id) =>
          sql`INSERT INTO workers ${
            sql.insert({
              id,
              project_id: project.id,
              engine: "celery",
              name,
              state: "online",
              queues: `["celery"]`,
              concurrency: 4,
              active_tasks: 0,
              processed: 0,
              failed: 0,
              succeeded: 0,
              retried: 0,
              metadata: "{}",
              last_heartbeat: ago(5),
              created_at: now,
              updated_at: now,
              ...fields
            })
          }`)
      // ids of one millisecond are not ordered, and of two commands the later one counts
      let issued = Date.now()
      const command = (action: string, target_id: string | null, payload: object, fields: object = {}) => {
        const id = Ids.uuidv7(issued++)
        return Effect.as(
          sql`INSERT INTO commands ${
            sql.insert({
              id,
              project_id: project.id,
              agent_id,
              action,
              engine: "celery",
              target_type: "worker",
              target_id,
              payload: JSON.stringify(payload),
              status: "completed",
              issued_at: now,
              timeout_at: now,
              completed_at: ago(1),
              ...fields
            })
          }`,
          id
        )
      }
      const task = (fields: Partial<StoredTask>, millis = Date.now()) => {
        const row = storedTask(project.id, millis, { state: "received", ...fields })
        return Effect.as(insertTasks([row]), row)
      }
      const why = ({ engine, task_id }: StoredTask) =>
        client.tasks.why({ path: { slug: project.slug, engine, task_id } })
      const codes = (row: StoredTask) => Effect.map(why(row), ({ reasons }) => reasons.map(({ code }) => code))
      yield* agentIs("online")
      return { sql, ago, agentIs, worker, command, task, why, codes, client, project }
    })

    it.effect("a waiting task: eta, workers, consumers, limits, children, others ahead; and honest otherwise", () =>
      Effect.gen(function*() {
        const { ago, client, codes, command, project, sql, task, why, worker } = yield* site
        const lone = yield* task({})
        assert.deepStrictEqual(yield* codes(lone), ["unknown"], "no worker has ever been reported")
        yield* assertRefused(
          client.tasks.why({ path: { slug: project.slug, engine: "celery", task_id: "none" } }),
          "not_found"
        )

        yield* worker("w1", { state: "offline", last_heartbeat: ago(300) })
        const [gone] = (yield* why(lone)).reasons
        assert.deepInclude(gone, {
          code: "no_worker",
          since: ago(300),
          evidence: { workers_offline: 1, last_heartbeat: ago(300) }
        })
        yield* sql`UPDATE workers SET state = 'online', last_heartbeat = ${ago(5)} WHERE project_id = ${project.id}`
        assert.deepStrictEqual(yield* codes(lone), ["unknown"])

        const elsewhere = yield* task({ queue: "reports", eta: Timestamp.addSeconds(ago(0), 3600) })
        assert.deepStrictEqual(yield* codes(elsewhere), ["eta_in_future", "no_consumer"])
        const [waits] = (yield* why(elsewhere)).reasons
        assert.match(
          waits?.sentence ?? "",
          /^It is to run at [-\d]+ [:\d]+ UTC at the earliest, in (1 h|59 min \d+ s)\.$/
        )
        yield* worker("w2", { queues: "[]" })
        assert.deepStrictEqual(yield* codes(elsewhere), ["eta_in_future"], "w2 does not say what it consumes")
        yield* sql`DELETE FROM workers WHERE project_id = ${project.id} AND name = 'w2'`

        const cancelled = yield* command("cancel_consumer", "w1", { worker_name: "w1", queue: "celery" })
        assert.deepInclude((yield* why(lone)).reasons[0], {
          code: "consumer_cancelled",
          evidence: { queue: "celery", workers: ["w1"], command_ids: [cancelled] }
        })
        yield* command("add_consumer", "w1", { worker_name: "w1", queue: "celery" })
        assert.deepStrictEqual(yield* codes(lone), ["unknown"])

        yield* sql`UPDATE workers SET active_tasks = 4 WHERE project_id = ${project.id}`
        assert.deepStrictEqual(yield* codes(lone), ["workers_busy"])
        yield* sql`UPDATE workers SET active_tasks = 3 WHERE project_id = ${project.id}`

        yield* command("rate_limit", "w1", { task_name: lone.name, rate: "5/m", worker_name: "w1" })
        const limit = yield* command("rate_limit", null, { task_name: lone.name, rate: "1/h" })
        assert.deepInclude((yield* why(lone)).reasons[0], {
          code: "rate_limited",
          evidence: { rate: "1/h", worker_name: null, command_id: limit }
        })
        yield* command("rate_limit", null, { task_name: lone.name, rate: "0" })
        assert.deepStrictEqual(yield* codes(lone), ["unknown"])

        const child = yield* task({ parent_task_id: lone.task_id, root_task_id: lone.task_id, state: "started" })
        yield* task({ parent_task_id: lone.task_id, root_task_id: lone.task_id, state: "success" })
        assert.deepInclude((yield* why(lone)).reasons[0], {
          code: "waiting_for_children",
          evidence: { unfinished: 1, sample: [{ engine: "celery", task_id: child.task_id, state: "started" }] }
        })

        yield* sql`INSERT INTO queues ${
          sql.insert({
            id: yield* Ids.next,
            project_id: project.id,
            engine: "celery",
            name: "celery",
            depth: 12,
            last_seen_at: ago(3),
            created_at: ago(3)
          })
        }`
        yield* sql`UPDATE queues SET paused = 1 WHERE project_id = ${project.id}`
        assert.deepStrictEqual((yield* codes(lone))[0], "queue_paused")
        yield* sql`UPDATE queues SET paused = 0 WHERE project_id = ${project.id}`
        const last = yield* task({}, Date.now() + 1000)
        yield* command("retry_task", last.task_id, {}, { status: "pending", target_type: "task", completed_at: null })
        const reasons = (yield* why(last)).reasons
        assert.deepStrictEqual(reasons.map(({ code }) => code), ["behind_others", "command_pending"])
        assert.deepStrictEqual(reasons[0]?.evidence, {
          queue: "celery",
          depth: 12,
          known_ahead: 1,
          is_at_least: false
        })
      }))

    it.effect("an agent that is away comes first, and what its workers do is not guessed", () =>
      Effect.gen(function*() {
        const { ago, agentIs, task, why, worker } = yield* site
        yield* worker("w1", { state: "offline" })
        yield* agentIs("offline")
        const { reasons } = yield* why(yield* task({}))
        assert.deepStrictEqual(reasons.map(({ code, evidence, since }) => [code, since, evidence]), [
          ["agent_offline", ago(5), { agents: 1, last_seen_at: ago(5) }]
        ])
      }))

    it.effect("a started task: its worker is gone, dropped it, or runs it; a task that has ended says how", () =>
      Effect.gen(function*() {
        const { ago, codes, project, sql, task, why, worker } = yield* site
        const started = { state: "started", started_at: ago(60), worker_name: "w1" } as const
        const row = yield* task(started)
        assert.deepStrictEqual(yield* codes(row), ["unknown"], "its worker was never reported")
        const describes = (...ids: ReadonlyArray<string>) =>
          sql`UPDATE workers SET metadata = ${JSON.stringify({ active_task_ids: ids, described_at: ago(5) })}
            WHERE project_id = ${project.id}`
        yield* worker("w1")
        assert.deepStrictEqual(yield* codes(row), ["running"])
        yield* describes("another")
        assert.deepStrictEqual(yield* codes(row), ["worker_lost_task"])
        const young = yield* task({ ...started, started_at: ago(8) })
        assert.deepStrictEqual(yield* codes(young), ["running"], "the list of 3 s later may be from before its start")
        yield* describes(row.task_id)
        assert.deepStrictEqual(yield* codes(row), ["running"])
        yield* sql`UPDATE workers SET state = 'offline', last_heartbeat = ${ago(50)} WHERE project_id = ${project.id}`
        assert.deepInclude((yield* why(row)).reasons[0], { code: "worker_gone", since: ago(50) })
        yield* sql`INSERT INTO task_orphans ${
          sql.insert({
            project_id: project.id,
            engine: "celery",
            task_id: row.task_id,
            started_at: row.started_at,
            worker_name: "w1",
            detail: "Nobody runs it.",
            orphaned_at: ago(10)
          })
        }`
        assert.deepStrictEqual(yield* codes(row), ["orphaned", "worker_gone"])

        const failed = yield* task({ state: "failure", finished_at: ago(30), exception: "ValueError: no\nmore" })
        assert.deepStrictEqual((yield* why(failed)).reasons, [{
          code: "ended",
          sentence: "It failed: ValueError: no. It is not waiting to run.",
          since: ago(30),
          evidence: { state: "failure", exception: "ValueError: no" }
        }])
        for (
          const [state, sentence] of [
            ["revoked", "It was revoked. It is not waiting to run."],
            ["rejected", "Its worker rejected it. It is not waiting to run."]
          ] as const
        ) {
          const ended = yield* task({ state, finished_at: ago(30) })
          assert.deepInclude((yield* why(ended)).reasons[0], { code: "ended", sentence })
        }
        const lost = yield* task({ state: "unknown", exception: "Outcome unknown: worker w1 has been silent." })
        assert.deepStrictEqual(yield* codes(lost), ["outcome_unknown"])
      }))
  })
})
