import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import * as Ids from "../../../../src/services/kernel/Ids.ts"
import { freshKey, freshProject, request, serverOn } from "../../../brain.ts"
import { laneEngines } from "../../../engines.ts"
import { insertTasks, type StoredTask, storedTask } from "../../../tasks.ts"

const name = "shop.pay"
const fingerprint = "9f2c41d07be5a836"

describe.each(laneEngines)("what differs between failed and succeeded tasks on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    /** 500 successes of the last half hour, 20 failures since a deploy of a minute ago, and tasks of another name. */
    const site = Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const project = yield* freshProject()
      const key = yield* freshKey({ roles: { [project.id]: "admin" } })
      const now = Date.now()
      const at = (secondsAgo: number) => Timestamp.fromEpochMicros((now - secondsAgo * 1000) * 1000)
      const task = (secondsAgo: number, fields: Partial<StoredTask>) =>
        storedTask(project.id, now - secondsAgo * 1000, { name, runtime_ms: 100, ...fields })
      const successes = Array.from({ length: 500 }, (_, index) =>
        task(1700 - index * 3, {
          worker_name: index % 10 === 0 ? "worker-3" : "worker-1",
          kwargs: `{"region":"${index % 2 === 0 ? "eu" : "us"}"}`
        }))
      const failures = Array.from({ length: 20 }, (_, index) =>
        task(50 - index, {
          state: "failure",
          fingerprint,
          worker_name: "worker-3",
          runtime_ms: 4000,
          kwargs: `{"region":"eu","coupon":"c${index}","card":"[REDACTED]"}`
        }))
      const others = Array.from({ length: 30 }, () => task(40, { name: "mail.send", state: "failure", queue: "mail" }))
      yield* insertTasks([...successes, ...failures, ...others])
      yield* sql`INSERT INTO deploys ${
        sql.insert(
          ["1.0", "2.0"].map((version, index) => ({
            id: Ids.uuidv7(now),
            project_id: project.id,
            version,
            at: at(index === 0 ? 3600 : 60),
            created_at: at(0)
          }))
        )
      }`
      yield* sql`INSERT INTO failure_groups ${
        sql.insert({
          project_id: project.id,
          fingerprint,
          engine: "celery",
          task_name: name,
          sample_task_id: failures[0]!.task_id,
          first_seen_at: at(50),
          last_seen_at: at(31),
          occurrences: 20,
          open_count: 20,
          recovered_count: 0
        })
      }`
      const get = (path: string) => request("GET", `/projects/${project.slug}${path}`, key)
      return { sql, project, get, failures, successes }
    })

    it.effect("ranks what is more frequent among the failures of a name or a group", () =>
      Effect.gen(function*() {
        const { get, project, sql } = yield* site
        const found = yield* get(`/task-differences?name=${name}`)
        assert.strictEqual(found.status, 200)
        const { differences, failed, succeeded } = found.json
        assert.deepInclude(failed, { compared: 20, found: 20 })
        assert.deepInclude(succeeded, { compared: 500, found: 500, since: failed.since })
        const sentences = differences.map(({ sentence }: { sentence: string }) => sentence)
        assert.sameMembers(sentences.filter((sentence: string) => !sentence.includes("hour")), [
          "100 % of failures had kwargs.coupon, 0 % of successes.",
          "100 % of failures ran longer than 100 ms, 0 % of successes.",
          "100 % of failures ran with version 2.0, 0 % of successes.",
          "100 % of failures ran on worker-3, 10 % of successes.",
          "100 % of failures had kwargs.region = eu, 50 % of successes."
        ])
        assert.deepInclude(differences.find(({ field }: { field: string }) => field === "worker"), {
          value: "worker-3",
          failures: 20,
          failure_share: 1
        })
        const ofGroup = yield* get(`/task-differences?fingerprint=${fingerprint}&hours=1`)
        assert.deepInclude(ofGroup.json, { name, fingerprint, hours: 1, differences })

        yield* sql`UPDATE projects SET payload_role = 'admin' WHERE id = ${project.id}`
        const viewer = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const { json } = yield* request("GET", `/projects/${project.slug}/task-differences?name=${name}`, viewer)
        assert.isTrue(json.payload_hidden)
        assert.notInclude(JSON.stringify(json), "kwargs")
        assert.include(JSON.stringify(json), "worker-3")
      }))

    it.effect("compares a task with the last success before it", () =>
      Effect.gen(function*() {
        const { failures, get, project, sql, successes } = yield* site
        const differencesOf = ({ engine, task_id }: StoredTask) => get(`/tasks/${engine}/${task_id}/differences`)
        const { json } = yield* differencesOf(failures[0]!)
        assert.strictEqual(json.success.task_id, successes.at(-1)!.task_id)
        assert.sameDeepMembers(json.differences, [
          { field: "worker", path: null, task: "worker-3", success: "worker-1" },
          { field: "version", path: null, task: "2.0", success: "1.0" },
          { field: "run_time", path: null, task: "4000", success: "100" },
          { field: "argument", path: "kwargs.region", task: "eu", success: "us" },
          { field: "argument", path: "kwargs.coupon", task: "c0", success: null }
        ])
        const first = yield* differencesOf(successes[0]!)
        assert.deepInclude(first.json, { success: null, differences: [] })
        assert.strictEqual((yield* get("/tasks/celery/none/differences")).status, 404)

        yield* sql`UPDATE projects SET payload_role = 'admin' WHERE id = ${project.id}`
        const viewer = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const path = `/projects/${project.slug}/tasks/celery/${failures[0]!.task_id}/differences`
        const hidden = (yield* request("GET", path, viewer)).json
        assert.isTrue(hidden.payload_hidden)
        assert.deepStrictEqual(hidden.differences.map(({ field }: { field: string }) => field), [
          "worker",
          "version",
          "run_time"
        ])
      }))

    it.effect("says that there is nothing to compare, and refuses what it cannot", () =>
      Effect.gen(function*() {
        const { get } = yield* site
        const none = yield* get("/task-differences?name=mail.send")
        assert.deepStrictEqual([none.json.failed.compared, none.json.succeeded.compared], [30, 0])
        assert.deepStrictEqual(none.json.differences, [])
        const statuses = yield* Effect.forEach(
          [
            "",
            `?name=${name}&fingerprint=${fingerprint}`,
            `?name=${name}&hours=0`,
            `?name=${name}&hours=2161`,
            "?name=%00"
          ],
          (query) => Effect.map(get(`/task-differences${query}`), ({ status }) => status)
        )
        assert.deepStrictEqual(statuses, [422, 422, 422, 422, 422])
        assert.strictEqual((yield* get("/task-differences?fingerprint=0000000000000000")).status, 404)
      }))
  })
})
