import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { JsonInput } from "../../../../src/domain/kernel/CanonicalJson.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import { minId } from "../../../../src/services/kernel/Ids.ts"
import { makeLiveTasksRepo } from "../../../../src/services/tasks/LiveTasks/Repo.ts"
import { connected, freshAgent } from "../../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../../brain.ts"
import { laneEngines } from "../../../engines.ts"

const second = (at: number) => `2026-11-21T12:00:0${at}.000000+00:00`

const event = (kind: string, at: number, data: Readonly<Record<string, JsonInput>>, taskId = "mail:1") => ({
  id: randomUUID(),
  kind,
  engine: "bullmq",
  task_id: taskId,
  occurred_at: second(at),
  data
})

const started = event("task.started", 1, { task_name: "welcome", queue: "mail", worker: "w1" })

const log = event("task.log", 2, {
  attempt: 1,
  lines: [
    { after_ms: 0, level: "info", message: "charging order 42" },
    {
      after_ms: 250,
      level: "warning",
      message: "slow answer; password=hunter2secret",
      fields: { ms: 12345678901234567890n }
    },
    { after_ms: 900, level: "shout", message: "done" }
  ]
})

describe.each(laneEngines)("what a task says while it runs, on %s", (engine) => {
  layer(serverOn(engine, { logUrlTemplate: "https://logs.example/{project}?q={task_id}" }), {
    excludeTestServices: true
  })((it) => {
    const site = Effect.gen(function*() {
      const project = yield* freshProject()
      const credentials = yield* freshAgent(project)
      const agent = yield* connected({ base: yield* baseUrl, ...credentials })
      const admin = yield* freshKey({ roles: { [project.id]: "admin" } })
      const path = `/projects/${project.slug}/tasks`
      const send = (...events: ReadonlyArray<Readonly<Record<string, JsonInput>>>) =>
        Effect.promise(() => agent.sendEvents(events))
      const logs = (query = "", taskId = "mail:1", key = admin) =>
        request("GET", `${path}/bullmq/${encodeURIComponent(taskId)}/logs${query}`, key)
      return { admin, logs, path, project, send }
    })
    const messages = ({ json }: { readonly json: { readonly items: ReadonlyArray<{ readonly message: string }> } }) =>
      json.items.map(({ message }) => message)

    it.scoped("is read by level, text and sequence, with its secrets masked, and stored once", () =>
      Effect.gen(function*() {
        const { logs, send } = yield* site
        yield* send(started, log)
        yield* send(log)
        const all = yield* logs()
        assert.strictEqual(all.status, 200, all.text)
        assert.deepInclude(all.json, { next_after: 3, has_more: false, line_count: 3, dropped_count: 0 })
        assert.deepStrictEqual(all.json.items[0], {
          seq: 1,
          at: "2026-11-21T12:00:02.000000Z",
          level: "info",
          attempt: 1,
          message: "charging order 42",
          fields: null
        })
        assert.include(all.text, "\"fields\":{\"ms\":12345678901234567890}")
        assert.notInclude(all.text, "hunter2secret")
        assert.strictEqual(all.json.items[1].at, "2026-11-21T12:00:02.250000Z")
        assert.deepStrictEqual(messages(yield* logs("?level=warning")).length, 1)
        assert.deepStrictEqual(messages(yield* logs("?search=ORDER")), ["charging order 42"])
        const first = yield* logs("?limit=2")
        assert.deepInclude(first.json, { next_after: 2, has_more: true })
        assert.deepStrictEqual(messages(yield* logs("?after=2")), ["done"])
        assert.deepInclude((yield* logs("?after=3")).json, { items: [], next_after: 3, has_more: false })
        assert.strictEqual((yield* logs("?level=loud")).status, 422)
        assert.strictEqual((yield* logs("", "mail:unknown")).status, 404)
      }))

    it.scoped("is in the task's detail and in the list while it runs, the latest progress first", () =>
      Effect.gen(function*() {
        const { admin, path, project, send } = yield* site
        yield* send(
          started,
          log,
          event("task.progress", 4, { progress: { done: 3, total: 4 } }),
          event("task.progress", 3, { progress: 10 })
        )
        const progress = { percent: 75, value: { done: 3, total: 4 }, at: "2026-11-21T12:00:04.000000Z" }
        const { json: detail } = yield* request("GET", `${path}/bullmq/mail%3A1`, admin)
        assert.deepInclude(detail, { log_line_count: 3, state: "started" })
        assert.deepStrictEqual(detail.progress, progress)
        assert.match(detail.log_url, /^https:\/\/logs\.example\/[^?]+\?q=mail%3A1$/)
        const { json: list } = yield* request("GET", path, admin)
        assert.deepStrictEqual(list.items[0].progress, progress)
        // of an earlier run it is shown nowhere
        const { listPage } = yield* makeLiveTasksRepo
        const shown = Effect.gen(function*() {
          const { json: again } = yield* request("GET", `${path}/bullmq/mail%3A1`, admin)
          const { json: page } = yield* request("GET", path, admin)
          const [live] = yield* listPage(project.id, { updated_at: Timestamp.fromEpochMicros(0), id: minId }, null)
          return [again.progress?.percent, page.items[0].progress?.percent, live?.percent ?? undefined]
        })
        assert.deepStrictEqual(yield* shown, [75, 75, 75])
        yield* send(
          event("task.retried", 5, { reason: "no" }),
          event("task.started", 6, { task_name: "welcome", queue: "mail", worker: "w1", attempt: 2 })
        )
        assert.deepStrictEqual(yield* shown, [undefined, undefined, undefined])
        yield* send(event("task.progress", 7, { progress: 20 }))
        assert.deepStrictEqual(yield* shown, [20, 20, 20])
        yield* send(event("task.succeeded", 8, { result: 1 }))
        assert.isNull((yield* request("GET", path, admin)).json.items[0].progress)
      }))

    it.scoped("waits for its task where it comes first, and is as bounded from any agent", () =>
      Effect.gen(function*() {
        const { admin, logs, path, send } = yield* site
        const line = (level: string) => ({ level, message: "x".repeat(2000) })
        const many = Array.from(
          { length: 20 },
          (_, index) =>
            event("task.log", 1, {
              lines: Array.from({ length: 60 }, () => line(index === 19 ? "error" : "info"))
            }, "late")
        )
        for (const one of many) yield* send(one)
        yield* send(
          event("task.log", 1, { dropped: 7, lines: [] }, "late"),
          event("task.progress", 3, { progress: 5 }, "late")
        )
        const { json } = yield* logs("", "late")
        // 204 KiB for lines of any level, and the rest for errors
        assert.strictEqual(json.line_count, Math.floor(256 * 1024 / 2000))
        assert.strictEqual(json.dropped_count, 20 * 60 - json.line_count + 7)
        assert.strictEqual(json.items.at(-1).level, "error")
        assert.strictEqual((yield* request("GET", `${path}/bullmq/late`, admin)).status, 404)
        yield* send(event("task.started", 2, { task_name: "late" }, "late"))
        assert.deepInclude((yield* request("GET", `${path}/bullmq/late`, admin)).json.progress, { percent: 5 })
        const ack = yield* send(event("task.log", 1, { lines: "none" }), event("task.progress", 1, {}))
        assert.deepInclude(ack, { accepted: 0, rejected: 2 })
      }))

    it.scoped("is for those who may see payloads", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { logs, path, project, send } = yield* site
        yield* send(started, log, event("task.progress", 4, { progress: { percent: 50, customer: "ada" } }))
        yield* sql`UPDATE projects SET payload_role = 'operator' WHERE id = ${project.id}`
        const viewer = yield* freshKey({ roles: { [project.id]: "viewer" } })
        assert.strictEqual((yield* logs("", "mail:1", viewer)).status, 403)
        const hidden = yield* request("GET", `${path}/bullmq/mail%3A1`, viewer)
        assert.deepInclude(hidden.json.progress, { percent: 50, value: null })
        assert.deepInclude((yield* request("GET", path, viewer)).json.items[0].progress, { percent: 50, value: null })
      }))
  })
})
