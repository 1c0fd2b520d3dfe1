import { SqlClient } from "@effect/sql"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { connected, type Credentials, freshAgent, type TestAgent } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request } from "../../brain.ts"

export interface Fire {
  readonly fire_id: string
  readonly status: string
  readonly scheduled_for: string
  readonly latency_ms: number | null
  readonly command_id: string | null
  readonly error_message: string | null
}

const celery = { engines: ["celery"], capabilities: { celery: ["submit_task"] }, worker_role: "task" }

/** A project with schedules over REST, and an agent that `connect` connects. */
export const world = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const project = yield* freshProject()
  const { token } = yield* freshKey({ roles: { [project.id]: "admin" } })
  const credentials: Credentials = yield* freshAgent(project)
  const base = yield* baseUrl
  const path = `/projects/${project.slug}/schedules`
  const call = (method: string, rest: string, body?: unknown) =>
    request(method, `${path}${rest}`, { token, ...(body !== undefined && { body }) })
  const read = (rest: string) => request("GET", `/projects/${project.slug}${rest}`, { token })
  const create = (overrides: object) =>
    Effect.map(
      call("POST", "", {
        name: "report",
        engine: "celery",
        kind: "interval",
        expression: "86400",
        task_name: "shop.report",
        args: [7],
        ...overrides
      }),
      ({ json, status, text }) => {
        assert.strictEqual(status, 201, text)
        return json
      }
    )
  /** Puts the cursor back, as if nothing had fired since. */
  const rewind = (id: string, seconds: number) =>
    Effect.gen(function*() {
      const [row] = yield* sql<{ next_run_at: Timestamp.Timestamp; anchor_at: Timestamp.Timestamp }>`
        SELECT next_run_at, anchor_at FROM schedules WHERE id = ${id}`
      const now = yield* Timestamp.now
      const tick = Timestamp.addSeconds(row?.next_run_at ?? now, -seconds)
      const anchor_at = Timestamp.addSeconds(row?.anchor_at ?? now, -864_000)
      yield* sql`UPDATE schedules SET next_run_at = ${tick}, due_at = ${tick}, anchor_at = ${anchor_at} WHERE id = ${id}`
      return tick
    })
  const fires = (id: string) => Effect.map(call("GET", `/${id}/fires`), ({ json }): ReadonlyArray<Fire> => json)
  const misfires = (id: string) => Effect.map(call("GET", `/${id}/misfires`), ({ json }) => json)
  const connect = (prepare: (agent: TestAgent) => void) =>
    Effect.tap(connected({ base, ...credentials, hello: celery }), (agent) => Effect.sync(() => prepare(agent)))
  return { project, call, read, create, rewind, fires, misfires, connect }
})

export const succeed = (agent: TestAgent) => {
  agent.onCommand = (command) => agent.sendResult(command, { status: "success", result: { task_id: "t1" } })
}
export const fail = (agent: TestAgent) => {
  agent.onCommand = (command) => agent.sendResult(command, { status: "failed", error: "no such task" })
}

export const statusesOf = (fires: ReadonlyArray<Fire>) => fires.map(({ status }) => status)
